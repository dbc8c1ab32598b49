"""Lists of runs: which, in which order, and how much is read for them."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import UsageError
from octavo.records import heads
from octavo.records.assemble import assemble
from octavo.records.record import load_record
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.runs.looking import listing
from octavo.runs.looking.listing import RunRow, RunsRequest, RunsResult
from octavo.runs.looking.selecting import condition, in_order
from records.making import BEGAN, code, finished, started, succeeded


def run_of(store: Store, at: float, source: str = "/p/nb.py", **parameters: Any) -> RunDir:
    run = store.create_run(BEGAN + at, os.urandom(8), b"", ".py")
    journal = store.open_journal(run)
    facts = {"path": source, "sha256": "0" * 64, "format": "py"}
    first = started(
        code(0), run_id=run.run_id, time=BEGAN + at, source=facts, parameters=parameters
    )
    journal.write([first, *succeeded(0), finished(BEGAN + at + 1 + at % 3)])
    store.finish(run, assemble(run.path))
    journal.close()
    return run


def listed(store: Store, **asked: Any) -> RunsResult:
    context: Any = SimpleNamespace(cwd=str(store.root.parent), store=lambda near: store)
    return asyncio.run(listing.runs(RunsRequest(**asked), context))


def row(**changes: Any) -> RunRow:
    values = {"run_id": "r", "status": "success", "reason": None, "notebook": "nb.py",
              "started": 0.0, "duration_seconds": 1.0, "cells_executed": 1}  # fmt: skip
    return RunRow(**{**values, **changes})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_only_as_many_records_are_read_as_are_shown(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(30):
        run_of(store, at, n=at)
    read: list[Path] = []
    real = heads.read_head
    monkeypatch.setattr(listing, "read_head", lambda path: (read.append(path), real(path))[1])
    monkeypatch.setattr(RunDir, "record", lambda self: pytest.fail("a whole record was read"))
    assert len(listed(store, limit=5).runs) == 5
    assert len(read) == 6
    assert len(listed(store, limit=3, sort="n").runs) == 3
    assert len(read) == 6 + 30


def test_the_head_of_a_record_is_all_but_its_long_parts(store: Store) -> None:
    run = run_of(store, 0, text='\n "packages": {}')
    head = heads.read_head(run.path)
    whole = json.loads(run.record_path.read_bytes())
    assert head == {key: whole[key] for key in whole if key not in ("packages", "cells")}
    assert listing.row_of(run) == listing._from_record(load_record(run.path), run)


@pytest.mark.parametrize("damage", [b"", b"{", b'{\n "packages": {}}', b'[\n "packages":', b"\xff"])
def test_a_damaged_record_is_rebuilt_for_the_list(store: Store, damage: bytes) -> None:
    run = run_of(store, 0, n=3)
    run.record_path.write_bytes(damage)
    assert [each.parameters for each in listed(store).runs] == [{"n": 3}]


def test_a_long_head_is_read_to_its_end(store: Store) -> None:
    run = run_of(store, 0, text="x" * 100_000)
    assert listing.row_of(run).parameters["text"] == "x" * 100_000


def test_until_is_before_then(store: Store) -> None:
    runs = [run_of(store, at * 86_400) for at in range(3)]
    found = listed(store, since="2025-11-14T00:00+00:00", until="2025-11-17T00:00+00:00").runs
    assert [each.run_id for each in found] == [runs[1].run_id, runs[0].run_id]


def test_a_status_that_no_run_can_have_is_refused(store: Store) -> None:
    run_of(store, 0)
    assert listed(store, status="cell-error").runs == ()
    with pytest.raises(UsageError) as refused:
        listed(store, status="failed")
    assert "success, error, running" in refused.value.hint


def test_sorting_by_a_value_puts_runs_without_it_last(store: Store) -> None:
    for at, values in enumerate(({"x": 2}, {}, {"x": 10}, {"x": 3.5})):
        run_of(store, at, **values)
    assert [each.parameters.get("x") for each in listed(store, sort="x").runs] == [10, 3.5, 2, None]
    found = listed(store, sort="x", reverse=True, limit=3)
    assert [each.parameters.get("x") for each in found.runs] == [2, 3.5, 10]
    assert found.more
    with pytest.raises(UsageError, match="no run has a parameter or a scrap"):
        listed(store, sort="y")


def test_other_orders(store: Store) -> None:
    runs = [run_of(store, at, source=f"/p/{'bac'[at]}.py") for at in range(3)]
    ids = [run.run_id for run in runs]

    def order(**asked: Any) -> list[int]:
        return [ids.index(each.run_id) for each in listed(store, **asked).runs]

    assert order() == [2, 1, 0]
    assert order(reverse=True) == [0, 1, 2]
    assert order(sort="notebook") == [1, 0, 2]
    assert order(sort="duration") == [2, 1, 0]
    assert order(sort="duration", reverse=True) == [0, 1, 2]
    assert order(sort="status") == [2, 1, 0]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("n=3", True),
        ("n=3.0", True),
        ("n == 3", True),
        ("n=4", False),
        ("n!=4", True),
        ("n>2", True),
        ("n>=3", True),
        ("n<3", False),
        ("n<=2.9", False),
        ("n", True),
        ("nothing", False),
        ("nothing!=1", False),
        ("word=abc", True),
        ("word='abc'", False),
        ('word="abc"', True),
        ("word<b", True),
        ("word>2", False),
        ("on=true", True),
        ("on=True", True),
        ("on=1", False),
        ("digits=007", True),
        ("kept=9", True),
        ("score>0.5", True),
        ("metrics.f1=0.5", True),
        ("metrics.no=0.5", False),
        ("nil=null", True),
        ("items=[1, 2]", True),
    ],
)
def test_conditions(text: str, fits: bool) -> None:
    given_to = {"n": 3, "word": "abc", "on": True, "digits": "007", "nil": None, "items": [1, 2]}
    one = row(
        parameters=given_to,
        defaults={"n": 4, "kept": 9},
        scraps={"score": 0.75, "metrics": {"f1": 0.5}},
    )
    assert condition(text)(one) is fits


@pytest.mark.parametrize("text", ["", "=3", " > 1"])
def test_a_condition_without_a_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="names nothing"):
        condition(text)


VALUES = st.one_of(st.integers(), st.floats(allow_nan=False), st.text(), st.booleans(), st.none())


@given(st.lists(VALUES, max_size=30), st.booleans(), st.integers(1, 40))
def test_the_first_of_an_order_are_those_of_the_whole(
    values: list[Any], reverse: bool, most: int
) -> None:
    rows = [row(started=-at, scraps={"v": value}) for at, value in enumerate(values)]
    whole = in_order(iter(rows), "v", reverse=reverse, most=len(rows) + 1)
    assert in_order(iter(rows), "v", reverse=reverse, most=most) == whole[:most]
    assert sorted(each.started for each in whole) == sorted(each.started for each in rows)
    nothing = [each.scraps["v"] is None for each in whole]
    assert nothing == sorted(nothing)


@pytest.mark.parametrize(("text", "meant"), [("n=>1", ">="), ("n =< 2.5", "<="), ("n<>3", "!=")])
def test_a_misspelled_comparison_is_not_one_that_finds_nothing(text: str, meant: str) -> None:
    with pytest.raises(UsageError, match="is no comparison") as caught:
        condition(text)
    assert f"did you mean {meant}?" in caught.value.hint


@pytest.mark.parametrize("text", ["n=" + "[" * 100_000, "n<" + "9" * 5000, "n=<b>", "n=1e999"])
def test_odd_values_are_compared_like_any_other(text: str) -> None:
    assert condition(text)(row(parameters={"n": "<b>"}, scraps={})) is (text == "n=<b>")
