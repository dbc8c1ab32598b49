"""`record.json`: valid by its schema, and the same when it is read back."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema
import pytest
from hypothesis import given, settings

from octavo.errors import NotebookFailed, StorageError
from octavo.events.types import Event
from octavo.records.assemble import assemble
from octavo.records.executed import PAPERMILL_WORDS
from octavo.records.record import RunRecord, load_record, result
from octavo.records.schema import RECORD_PROPERTIES, key_tables, record_schema
from records.making import failing_run, journalled, runs, small_run

DOCS = Path(__file__).parents[2] / "docs" / "records.md"


def check(run_dir: Path) -> None:
    validator = jsonschema.Draft202012Validator(record_schema())
    plain = json.loads((run_dir / "record.json").read_bytes())
    assert [error.message for error in validator.iter_errors(plain)] == []
    assert list(plain) == list(RECORD_PROPERTIES)


@settings(max_examples=25, deadline=None)
@given(runs())
def test_every_record_fits_its_schema_and_reads_back(events: list[Event]) -> None:
    with TemporaryDirectory() as folder:
        run_dir = journalled(Path(folder), events)
        record = assemble(run_dir)
        check(run_dir)
        assert load_record(run_dir) == record
        assert RunRecord.from_json(record.to_json(), run_dir) == record


def test_failures_and_cut_journals_fit_the_schema_too(tmp_path: Path) -> None:
    for length in range(len(failing_run()) + 1):
        run_dir = journalled(tmp_path, failing_run()[:length])
        assemble(run_dir)
        check(run_dir)


def test_a_record_can_be_read_a_line_at_a_time(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, small_run())
    assemble(run_dir)
    lines = (run_dir / "record.json").read_text().splitlines()
    assert lines[1:4] == [' "schema": 1,', f' "run_id": "{run_dir.name}",', ' "status": "success",']
    assert sum(line.startswith('  {"index": ') for line in lines) == 2


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 1, "cells": [{}]}'])
def test_a_damaged_record_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "record.json").write_text(text)
    with pytest.raises(StorageError) as failure:
        load_record(tmp_path)
    assert failure.value.kind == "record-invalid"
    assert failure.value.place == str(tmp_path / "record.json")


def test_keys_of_a_newer_version_do_no_harm(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, small_run())
    record = assemble(run_dir)
    plain = json.loads((run_dir / "record.json").read_text())
    plain["cells"][0]["colour"] = "red"
    (run_dir / "record.json").write_text(json.dumps({**plain, "new": 1}))
    assert load_record(run_dir) == record


def test_a_record_from_before_scraps_were_declared_can_be_read(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, small_run())
    record = assemble(run_dir)
    plain = json.loads((run_dir / "record.json").read_text())
    del plain["scraps_schema"], plain["scrap_problems"], plain["files"]
    (run_dir / "record.json").write_text(json.dumps(plain))
    assert load_record(run_dir) == record
    jsonschema.Draft202012Validator(record_schema()).validate(plain)


def test_a_failed_run_raises_when_asked_to(tmp_path: Path) -> None:
    told = result(assemble(journalled(tmp_path, failing_run())))
    with pytest.raises(NotebookFailed, match="ZeroDivisionError: division by zero"):
        told.raise_for_status()


def test_the_result_as_json_has_the_promised_keys(tmp_path: Path) -> None:
    plain = result(assemble(journalled(tmp_path, failing_run()))).to_json()
    assert set(plain) >= {
        *("status", "reason", "duration_seconds", "cells_executed", "failed_cell"),
        *("scraps", "run_id", "notebook_path", "record_path"),
    }
    assert list(plain["failed_cell"]) == [
        *("index", "source", "ename", "evalue", "traceback", "line")
    ]
    json.dumps(plain)


def test_the_documentation_lists_the_keys_of_this_version() -> None:
    assert key_tables() in DOCS.read_text()


def test_the_documentation_has_the_table_of_papermills_words() -> None:
    text = DOCS.read_text()
    for status, (word, exception) in PAPERMILL_WORDS.items():
        assert f"| `{status}` | `{word}` | `{json.dumps(exception)}` |" in text
