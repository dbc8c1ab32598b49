"""Plain lines for logs, and `--log-output`."""

from __future__ import annotations

from cli.happenings import Telling
from cli.terminal import FakeTerminal, FakeTime
from octavo.events.types import Display, ExecuteResult
from octavo.runs.context import Said
from octavo.surfaces.cli.progress.log import LogView
from octavo.surfaces.cli.progress.plain import PlainView
from octavo.surfaces.cli.progress.view import View


def some_run(view: View, path: str = "/p/nb.py") -> FakeTime:
    time = FakeTime()
    run = Telling(view, time.clock, path)
    run.starts()
    run.is_ready()
    run.cell_starts(1)
    time.pass_(1.5)
    run.cell_ends(1)
    run.cell_starts(3)
    run.prints(3, "half a \x1b[31mline")
    run.prints(3, "\rwhole line\nno end")
    run.event(ExecuteResult(3, 1, {"text/plain": "42", "text/html": "<b>42</b>"}))
    run.event(Display(3, {"image/png": "AAAA"}))
    run.raises(3, "ValueError", "no")
    run.cell_ends(3, "failed")
    run.cell_is_skipped(4)
    run.ends("error", "cell-error")
    return time


def plain(view_type: type[PlainView], notebooks: int = 1) -> str:
    terminal = FakeTerminal(200)
    view = view_type(terminal, "/p", notebooks, later=FakeTime().later)  # type: ignore[arg-type]
    some_run(view)
    view.close()
    return "".join(terminal.writes)


def test_plain_lines() -> None:
    assert (
        plain(PlainView)
        == """\
run r1
/p/.venv/bin/python, the .venv in /p
cell 1 parameters: succeeded in 1.5 s
cell 2 Load: failed in 0 ms
cell 3 never(): skipped: tagged `skip`
"""
    )


def test_plain_lines_of_several_notebooks() -> None:
    assert plain(PlainView, 2).splitlines()[2:] == [
        "nb.py: cell 1 parameters: succeeded in 1.5 s",
        "nb.py: cell 2 Load: failed in 0 ms",
        "nb.py: cell 3 never(): skipped: tagged `skip`",
        "nb.py: error (cell-error) in 1.5 s, 3 cells",
    ]


def test_log_output_passes_on_what_cells_write() -> None:
    assert (
        plain(LogView)
        == """\
run r1
/p/.venv/bin/python, the .venv in /p
cell 1 parameters: succeeded in 1.5 s
half a line\rwhole line
no end42
[image/png]
ValueError: no
cell 2 Load: failed in 0 ms
cell 3 never(): skipped: tagged `skip`
"""
    )


def test_log_output_of_several_notebooks_is_told_apart_line_by_line() -> None:
    lines = plain(LogView, 2).split("\n")
    assert "nb.py: | half a line\rwhole line" in lines
    assert "nb.py: | ValueError: no" in lines


def test_a_line_without_an_end_is_ended_with_its_cell() -> None:
    terminal, time = FakeTerminal(), FakeTime()
    view = LogView(terminal, "/p", 1, later=time.later)  # type: ignore[arg-type]
    run = Telling(view, time.clock)
    run.starts()
    run.cell_starts(3)
    run.prints(3, "no end")
    run.cell_ends(3)
    assert "no end\ncell 2 Load" in "".join(terminal.writes)


def test_what_is_said_is_a_line() -> None:
    terminal = FakeTerminal()
    PlainView(terminal, "/p", 1).show(Said("building"))  # type: ignore[arg-type]
    assert terminal.writes == ["building\n"]


def test_the_silent_view_still_knows_its_runs() -> None:
    view = View()
    assert not view.running
    some_run(view)
    assert view.running
    assert view.states["r1"].path == "/p/nb.py"


def test_a_cell_that_takes_long_is_named_now_and_then() -> None:
    terminal, time = FakeTerminal(), FakeTime()
    view = PlainView(terminal, "/p", 1, later=time.later)  # type: ignore[arg-type]
    run = Telling(view, time.clock)
    run.starts()
    run.cell_starts(3)
    time.pass_(250)
    run.cell_ends(3)
    time.pass_(1000)
    assert terminal.text.split("\n")[2:] == [
        "cell 2 Load: running for 30.0 s",
        "cell 2 Load: running for 1 m 00 s",
        "cell 2 Load: running for 2 m 00 s",
        "cell 2 Load: running for 4 m 00 s",
        "cell 2 Load: succeeded in 4 m 10 s",
    ]
