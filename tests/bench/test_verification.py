from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.measurement import STDOUT
from bench.tools import OCTAVO, PAPERMILL, PYTHON
from bench.verification import JobNotDone, check_notebooks, check_printed, check_records
from bench.work import (
    HELP,
    Document,
    Printed,
    Work,
    many_cells,
    many_notebooks,
    printing,
    two_cells,
)


def executed(document: Document, texts: list[str]) -> str:
    notebook = json.loads(document.ipynb())
    for cell, text in zip(notebook["cells"], texts, strict=True):
        if text:
            halves = [text[: len(text) // 2], text[len(text) // 2 :]]
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": half} for half in halves
            ]
    return json.dumps(notebook)


def leave_record(folder: Path, name: str, document: Document, texts: list[str]) -> Path:
    record = folder / ".octavo" / "runs" / "2025-01-01" / name
    record.mkdir(parents=True)
    (record / "events.jsonl").write_text("{}\n")
    (record / "notebook.ipynb").write_text(executed(document, texts))
    return record


def right(document: Document) -> list[str]:
    return [printed.text for printed in document.prints]


def test_a_percent_file_prints_what_the_work_says(capsys: pytest.CaptureFixture[str]) -> None:
    for work in (two_cells(), many_cells(5), printing(2, 300)):
        exec(compile(work.documents[0].percent(), "notebook.py", "exec"), {})
        assert capsys.readouterr().out == "".join(right(work.documents[0]))


def test_complete_records_pass_in_any_order(tmp_path: Path) -> None:
    work = many_notebooks(3)
    for number, document in enumerate(reversed(work.documents)):
        leave_record(tmp_path, f"run{number}", document, right(document))
    check_records(work, tmp_path)


def test_a_missing_record_fails(tmp_path: Path) -> None:
    with pytest.raises(JobNotDone, match="0 records for 1 notebooks"):
        check_records(two_cells(), tmp_path)


def test_a_record_without_a_journal_fails(tmp_path: Path) -> None:
    work = two_cells()
    record = leave_record(tmp_path, "run", work.documents[0], right(work.documents[0]))
    (record / "events.jsonl").write_text("")
    with pytest.raises(JobNotDone, match="without a journal"):
        check_records(work, tmp_path)


def test_a_wrong_output_fails_and_names_the_cell(tmp_path: Path) -> None:
    work = two_cells()
    leave_record(tmp_path, "run", work.documents[0], ["", "41\n"])
    with pytest.raises(JobNotDone, match="cell 1"):
        check_records(work, tmp_path)


@pytest.mark.parametrize("spilled", [True, False])
def test_output_over_the_cap_must_stand_whole_in_a_file(tmp_path: Path, spilled: bool) -> None:
    work = printing(1, 1000)
    record = leave_record(tmp_path, "run", work.documents[0], ["head … tail\n"])
    (record / "files").mkdir()
    text = right(work.documents[0])[0]
    (record / "files" / "cell-0.txt").write_text(text if spilled else text[:-1])
    if spilled:
        check_records(work, tmp_path)
    else:
        with pytest.raises(JobNotDone, match="wrong output"):
            check_records(work, tmp_path)


def test_peers_must_leave_a_notebook_with_every_output(tmp_path: Path) -> None:
    work = two_cells()
    with pytest.raises(JobNotDone, match=r"no notebook\.ipynb was written"):
        check_notebooks(work, tmp_path)
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "notebook.ipynb"
    path.write_text("{")
    with pytest.raises(JobNotDone, match="is not a notebook"):
        check_notebooks(work, tmp_path)
    path.write_text(executed(work.documents[0], right(work.documents[0])))
    check_notebooks(work, tmp_path)


def test_scripts_may_print_in_any_order_but_must_print_everything(tmp_path: Path) -> None:
    work = Work((Document("a", (), (Printed("1\n"),)), Document("b", (), (Printed("2\n"),))))
    (tmp_path / "out.txt").write_text("2\n1\n")
    check_printed(work, tmp_path / "out.txt")
    (tmp_path / "out.txt").write_text("2\n")
    with pytest.raises(JobNotDone):
        check_printed(work, tmp_path / "out.txt")


def test_an_empty_help_page_is_none(tmp_path: Path) -> None:
    (tmp_path / STDOUT).write_text("")
    PYTHON.check(HELP, tmp_path)
    for tool in (OCTAVO, PAPERMILL):
        with pytest.raises(JobNotDone, match="no help page"):
            tool.check(HELP, tmp_path)
    (tmp_path / STDOUT).write_text("Usage: octavo COMMAND")
    OCTAVO.check(HELP, tmp_path)
