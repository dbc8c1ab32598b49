"""Record and executed notebook, from a journal that may end anywhere."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.making import output_widget, updated
from octavo.events.types import (
    BoundCell,
    CellFinished,
    CellStarted,
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    ExitRequested,
    KernelReady,
    RunFinished,
    Spilled,
    Stream,
)
from octavo.records.assemble import assemble
from octavo.records.journal import JOURNAL_NAME, read_events
from octavo.records.record import RunRecord, load_record, result
from records.making import (
    BEGAN,
    RUN_ID,
    code,
    failing_run,
    finished,
    journal_bytes,
    journalled,
    notebook_of,
    runs,
    small_run,
    started,
    succeeded,
)

FINAL = {"succeeded", "failed", "timed-out", "interrupted", "kernel-died", "skipped", "not-run"}


def statuses(record: RunRecord) -> list[str | None]:
    return [cell.status for cell in record.cells]


def test_a_run_that_went_well(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, small_run())
    record = assemble(run_dir)
    assert (record.status, record.reason, record.run_id) == ("success", None, RUN_ID)
    assert statuses(record) == ["succeeded", "succeeded"]
    assert (record.cells_executed, record.failed_cell) == (2, None)
    assert record.cells[1].memory_peak == 5_000_000
    assert record.cells[1].duration_seconds == 0.5
    assert record == load_record(run_dir)
    assert notebook_of(run_dir)["cells"][0]["outputs"][0]["text"] == ["a\n"]


def test_the_result_says_where_everything_is(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, small_run())
    told = result(assemble(run_dir))
    assert (told.status, told.duration_seconds, told.cells_executed) == ("success", 60.0, 2)
    assert Path(told.notebook_path) == run_dir / "notebook.ipynb"
    assert Path(told.record_path) == run_dir / "record.json"


def test_the_failed_cell_is_named_as_its_author_knows_it(tmp_path: Path) -> None:
    record = assemble(journalled(tmp_path, failing_run(origin=0, line=40)))
    failed = record.failed_cell
    assert failed is not None
    assert (failed.index, failed.line) == (0, 41)
    assert (failed.ename, failed.evalue) == ("ZeroDivisionError", "division by zero")
    assert failed.source == "a = 1\nb = a / 0"
    assert statuses(record) == ["succeeded", "failed", "not-run"]


def test_an_injected_cell_has_no_place_in_the_authors_file(tmp_path: Path) -> None:
    failed = assemble(journalled(tmp_path, failing_run(origin=None))).failed_cell
    assert failed is not None
    assert (failed.index, failed.line) == (None, None)


def test_a_cell_that_was_stopped_is_named_by_what_stopped_it(tmp_path: Path) -> None:
    events = failing_run()
    events[-2:] = [
        CellFinished(1, BEGAN + 2, "timed-out"),
        RunFinished(BEGAN + 2, "error", "cell-timeout", "cell 1 took longer than 5 s"),
    ]
    record = assemble(journalled(tmp_path, events))
    failed = record.failed_cell
    assert failed is not None
    assert (failed.ename, failed.evalue) == ("CellTimeout", "cell 1 took longer than 5 s")
    assert failed.line == 12
    assert statuses(record) == ["succeeded", "timed-out", "not-run"]


def test_an_error_shown_inside_an_output_widget_is_not_the_one_that_ended_the_run(
    tmp_path: Path,
) -> None:
    events = failing_run()
    harmless = ErrorRaised(1, "KeyError", "shown in a widget", ("elsewhere",), 1)
    inside = [output_widget("o"), updated("o", 1, msg_id="cell-1"), harmless]
    events[4:5] = [*inside, updated("o", 1, msg_id="")]
    events[-2:] = [
        CellFinished(1, BEGAN + 2, "timed-out"),
        RunFinished(BEGAN + 2, "error", "cell-timeout", "5 s"),
    ]
    failed = assemble(journalled(tmp_path, events)).failed_cell
    assert failed is not None
    assert (failed.ename, failed.traceback, failed.line) == ("CellTimeout", (), None)


def test_a_cell_is_not_blamed_for_a_runner_that_died(tmp_path: Path) -> None:
    record = assemble(journalled(tmp_path, failing_run()[:-3]))
    assert (record.status, record.reason, record.failed_cell) == ("error", "runner-died", None)
    assert statuses(record) == ["succeeded", "interrupted", "not-run"]
    assert record.finished == BEGAN + 1


def test_what_an_early_exit_hands_out(tmp_path: Path) -> None:
    events: list[Event] = [
        started(code(0), code(1)),
        *succeeded(0, ExitRequested(0, {"why": "nothing to do"})),
        RunFinished(BEGAN + 1, "success", "exited-early"),
    ]
    record = assemble(journalled(tmp_path, events))
    assert (record.status, record.reason) == ("success", "exited-early")
    assert record.value == {"why": "nothing to do"}
    assert statuses(record) == ["succeeded", "not-run"]


@settings(max_examples=60, deadline=None)
@given(runs(), st.data())
def test_a_journal_cut_at_any_byte_gives_a_valid_record(events: list[Event], data) -> None:
    whole = journal_bytes(events)
    cut = data.draw(st.integers(0, len(whole)))
    with TemporaryDirectory() as folder:
        run_dir = journalled(Path(folder), [])
        (run_dir / JOURNAL_NAME).write_bytes(whole[:cut])
        record = assemble(run_dir)
        complete = whole[:cut].rstrip(b"\n") == whole.rstrip(b"\n")
        assert record.status == ("success" if complete else "error")
        assert record.reason == (None if complete else "runner-died")
        assert record.run_id == RUN_ID
        assert {cell.status for cell in record.cells if cell.kind == "code"} <= FINAL
        done = {e.cell for e in read_events(run_dir / JOURNAL_NAME) if isinstance(e, CellFinished)}
        assert done == {cell.index for cell in record.cells if cell.status == "succeeded"}
        assert load_record(run_dir) == record
        assert len(notebook_of(run_dir)["cells"]) == len(record.cells)


@settings(max_examples=40, deadline=None)
@given(runs())
def test_assembling_again_changes_nothing(events: list[Event]) -> None:
    with TemporaryDirectory() as folder:
        run_dir = journalled(Path(folder), events)
        first = assemble(run_dir)
        before = _files(run_dir)
        assert assemble(run_dir) == first
        assert _files(run_dir) == before


@settings(max_examples=40, deadline=None)
@given(runs())
def test_reading_in_pieces_folds_as_reading_at_once(events: list[Event]) -> None:
    """The notebook is folded cell by cell from the journal; the plain fold is the law."""
    from octavo.events.fold import fold_outputs
    from octavo.notebook.formats.ipynb import parse

    outside = [e for e in events if type(e).__name__ != "CommMessage"]
    with TemporaryDirectory() as folder:
        run_dir = journalled(Path(folder), outside)
        assemble(run_dir)
        text = (run_dir / "notebook.ipynb").read_text(encoding="utf-8")
        cells = parse(text, "notebook.ipynb")["cells"]
        shown = {n: cell["outputs"] for n, cell in enumerate(cells) if cell.get("outputs")}
        assert shown == fold_outputs(outside)


def _files(run_dir: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run_dir.iterdir()}


def test_a_run_without_any_journal_is_told_as_such(tmp_path: Path) -> None:
    run_dir = tmp_path / RUN_ID
    run_dir.mkdir()
    (run_dir / "source.py").write_text("x = 1\n")
    record = assemble(run_dir)
    assert (record.run_id, record.status, record.reason) == (RUN_ID, "error", "runner-died")
    assert abs(record.started - BEGAN) < 0.001
    assert record.source["format"] == ".py"
    assert notebook_of(run_dir)["cells"] == []


def test_events_of_a_newer_version_are_passed_over_and_counted(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, small_run()[:-1])
    with (run_dir / JOURNAL_NAME).open("a") as journal:
        journal.write('{"type":"hologram","cell":0}\n{"type":"stream","cell":0,"na\n')
        journal.write(journal_bytes([finished()]).decode())
    record = assemble(run_dir)
    assert record.status == "success"
    assert record.journal == {"damaged": 1, "unknown": 1}


def test_scraps_are_handed_out_and_the_last_one_wins(tmp_path: Path) -> None:
    def glued(name: str, data: object, encoder: str) -> Display:
        payload = {"name": name, "data": data, "encoder": encoder, "version": 1}
        metadata = {"scrapbook": {"name": name, "data": True, "display": False}}
        return Display(0, {f"application/scrapbook.scrap.{encoder}+json": payload}, metadata)

    events: list[Event] = [
        started(code(0)),
        *succeeded(
            0, glued("score", 1, "json"), glued("note", "hi", "text"), glued("score", [2], "json")
        ),
        finished(),
    ]
    run_dir = journalled(tmp_path, events)
    assert assemble(run_dir).scraps == {"score": [2], "note": "hi"}
    assert len(notebook_of(run_dir)["cells"][0]["outputs"]) == 3


def test_spilled_output_is_shown_by_head_and_tail(tmp_path: Path) -> None:
    lines = [f"line {n}\n" for n in range(1000)]
    whole = "".join(lines).encode()
    head = "".join(lines[:10])
    events: list[Event] = [
        started(code(0)),
        *succeeded(
            0,
            Stream(0, "stdout", head),
            Spilled(0, "stdout", "files/cell-0-stdout.txt", len(head), len(whole) - len(head), 100),
            ExecuteResult(0, 1, {"text/plain": "1"}),
        ),
        finished(),
    ]
    run_dir = journalled(tmp_path, events)
    (run_dir / "files").mkdir()
    (run_dir / "files" / "cell-0-stdout.txt").write_bytes(whole)
    assemble(run_dir)
    stream, value = notebook_of(run_dir)["cells"][0]["outputs"]
    assert stream["text"][:10] == lines[:10]
    assert stream["text"][10] == "… 8.7 kB left out, the whole is in files/cell-0-stdout.txt …\n"
    assert stream["text"][11:] == lines[989:]
    assert value["output_type"] == "execute_result"


def test_a_spilled_file_that_is_gone_is_said_to_be_cut_short(tmp_path: Path) -> None:
    spilled = Spilled(0, "stdout", "files/cell-0-stdout.txt", 0, 5000, 100)
    run_dir = journalled(tmp_path, [started(code(0)), *succeeded(0, spilled), finished()])
    assemble(run_dir)
    text = notebook_of(run_dir)["cells"][0]["outputs"][0]["text"]
    assert text == ["… 5.0 kB left out, files/cell-0-stdout.txt is cut short …\n"]


def test_a_journal_cannot_name_a_file_outside_the_record(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    spilled = Spilled(0, "stdout", "../secret", 0, 6, 100)
    run_dir = journalled(tmp_path, [started(code(0)), *succeeded(0, spilled), finished()])
    assemble(run_dir)
    assert "secret\n" not in (run_dir / "notebook.ipynb").read_text()
    assert '"secret' not in (run_dir / "notebook.ipynb").read_text()


def test_numbers_and_letters_that_json_lacks(tmp_path: Path) -> None:
    payload = {"name": "loss", "data": float("nan"), "encoder": "json", "version": 1}
    events: list[Event] = [
        started(code(0), parameters={"limit": float("inf")}),
        *succeeded(
            0,
            Display(0, {"application/scrapbook.scrap.json+json": payload}),
            Stream(0, "stdout", "half \ud83d\n"),
        ),
        finished(),
    ]
    run_dir = journalled(tmp_path, events)
    assemble(run_dir)
    outputs = notebook_of(run_dir)["cells"][0]["outputs"]
    assert outputs[0]["data"]["application/scrapbook.scrap.json+json"]["data"] == "nan"
    assert outputs[1]["text"] == ["half \N{REPLACEMENT CHARACTER}\n"]
    record = load_record(run_dir)
    assert (record.scraps, record.parameters) == ({"loss": "nan"}, {"limit": "inf"})


def test_the_metadata_that_papermills_readers_look_for(tmp_path: Path) -> None:
    events = failing_run()
    events.insert(1, KernelReady(BEGAN, 42, {"python": "3.11.7"}))
    cells = (*events[0].cells, BoundCell("markdown", "# End", "end"))
    events[0] = started(BoundCell("markdown", "# Top", "top"), *cells, output_path="out.ipynb")
    for n, event in enumerate(events[2:-1], 2):
        events[n] = type(event)(**{**_fields(event), "cell": event.cell + 1})
    run_dir = journalled(tmp_path, events)
    assemble(run_dir)
    notebook = notebook_of(run_dir)
    assert notebook["metadata"]["papermill"] == {
        "default_parameters": {"n": 1},
        "duration": 2.0,
        "end_time": "2025-11-15T22:09:03.250000+00:00",
        "environment_variables": {},
        "exception": True,
        "input_path": "work/nb.py",
        "output_path": "out.ipynb",
        "parameters": {"n": 3},
        "start_time": "2025-11-15T22:09:01.250000+00:00",
        "version": "octavo 0.1.0",
    }
    words = [cell["metadata"]["papermill"]["status"] for cell in notebook["cells"]]
    assert words == ["completed", "completed", "failed", "pending", "pending"]
    raised = [cell["metadata"]["papermill"]["exception"] for cell in notebook["cells"]]
    assert raised == [None, False, True, None, None]
    assert notebook["metadata"]["language_info"]["version"] == "3.11.7"
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["cells"][2]["metadata"]["octavo"] == {"status": "failed"}


def _fields(event: Event) -> dict:
    return {name: getattr(event, name) for name in event._fields}


def test_papermill_reads_what_we_write(tmp_path: Path) -> None:
    from papermill.iorw import load_notebook_node

    run_dir = journalled(tmp_path, small_run())
    assemble(run_dir)
    notebook = load_notebook_node(str(run_dir / "notebook.ipynb"))
    assert notebook.metadata.papermill.parameters == {"n": 3}
    assert notebook.cells[0].metadata.papermill.status == "completed"


def test_metadata_of_the_author_stays(tmp_path: Path) -> None:
    kernelspec = {"name": "python3", "display_name": "Mine", "language": "python"}
    metadata = {"title": "T", "kernelspec": kernelspec, "widgets": {"stale": {}}}
    cell = code(0, metadata={"tags": ["a", "a", "b"], "mine": 1, "execution": {"old": "x"}})
    run_dir = journalled(tmp_path, [started(cell, code(1), metadata=metadata), finished()])
    assemble(run_dir)
    notebook = notebook_of(run_dir)
    assert notebook["metadata"]["title"] == "T"
    assert notebook["metadata"]["kernelspec"] == kernelspec
    assert "widgets" not in notebook["metadata"]
    kept = notebook["cells"][0]["metadata"]
    assert (kept["tags"], kept["mine"], "execution" in kept) == (["a", "b"], 1, False)


def test_memory_does_not_grow_with_the_output(tmp_path: Path) -> None:
    text = ("x" * 99 + "\n") * 5000
    events: list[Event] = [started(*(code(n) for n in range(40)))]
    for index in range(40):
        events += succeeded(index, Stream(index, "stdout", text))
    run_dir = journalled(tmp_path, [*events, finished()])
    del events
    tracemalloc.start()
    try:
        assemble(run_dir)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (run_dir / "notebook.ipynb").stat().st_size > 20_000_000
    assert peak < 10_000_000


@pytest.mark.parametrize("cells", [0, 1])
def test_a_notebook_with_few_cells_is_valid(tmp_path: Path, cells: int) -> None:
    run_dir = journalled(tmp_path, [started(*map(code, range(cells))), finished()])
    assert len(assemble(run_dir).cells) == cells
    assert len(notebook_of(run_dir)["cells"]) == cells


def test_times_of_a_cell_that_never_ended_are_not_made_up(tmp_path: Path) -> None:
    run_dir = journalled(tmp_path, [started(code(0)), CellStarted(0, BEGAN + 1)])
    cell = assemble(run_dir).cells[0]
    assert (cell.started, cell.finished, cell.duration_seconds) == (BEGAN + 1, None, None)
