"""The live view, on a fake terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cli.happenings import Telling
from cli.terminal import FakeTerminal, FakeTime
from octavo.runs.context import Said
from octavo.surfaces.cli.progress.live import LiveView


class Stage:
    """A view on a terminal, and somebody who tells it what happens."""

    def __init__(self, columns: int = 80, notebooks: int = 1, rows: int = 24) -> None:
        self.time = FakeTime()
        self.terminal = FakeTerminal(columns, rows)
        self.view = LiveView(
            self.terminal,  # type: ignore[arg-type]
            "/p",
            notebooks,
            lambda path: {"d": 4.0, "f": 2.0},
            clock=self.time.clock,
            later=self.time.later,
        )
        self.run = Telling(self.view, self.time.clock)

    def another(self, path: str, run_id: str) -> Telling:
        return Telling(self.view, self.time.clock, path, run_id)

    @property
    def text(self) -> str:
        return self.terminal.text


def until_loading(stage: Stage) -> None:
    run = stage.run
    run.starts()
    run.is_ready()
    run.cell_starts(1)
    stage.time.pass_(0.01)
    run.cell_ends(1)
    run.cell_starts(2)
    run.cell_ends(2)
    run.cell_starts(3)


def test_the_running_cell_is_drawn_with_what_is_known_of_it() -> None:
    stage = Stage()
    until_loading(stage)
    stage.run.prints(3, "one\ntwo\nthree\nfour\n")
    stage.time.pass_(1.5)
    assert (
        stage.text
        == """\
nb.py
.venv/bin/python, the .venv in /p
✓ 1  parameters                                   10 ms
✓ +  injected parameters                          0 ms
⠴ 2  Load                                         1.5 s of about 4.0 s
    │ two
    │ three
    │ four
· 2 more cells, about 4.5 s left"""
    )


def test_a_finished_cell_takes_the_place_of_its_live_lines() -> None:
    stage = Stage()
    until_loading(stage)
    stage.run.prints(3, "10%\r20%")
    stage.time.pass_(1)
    assert "│ 20%" in stage.text
    stage.run.cell_ends(3)
    stage.run.cell_is_skipped(4)
    stage.run.cell_starts(5)
    stage.run.raises(5, "ValueError", "no")
    stage.run.cell_ends(5, "failed")
    stage.run.ends("error", "cell-error")
    stage.view.close()
    assert (
        stage.text
        == """\
nb.py
.venv/bin/python, the .venv in /p
✓ 1  parameters                                   10 ms
✓ +  injected parameters                          0 ms
✓ 2  Load                                         1.0 s
○ 3  never()                                      skipped: tagged `skip`
✗ 4  last()                                       0 ms ValueError: no"""
    )


def test_a_short_run_is_drawn_once() -> None:
    stage = Stage()
    until_loading(stage)
    stage.run.cell_ends(3)
    stage.run.ends()
    stage.view.close()
    assert len(stage.terminal.writes) == 1


def test_at_most_ten_drawings_a_second() -> None:
    stage = Stage()
    until_loading(stage)
    stage.time.pass_(0.1)
    before = len(stage.terminal.writes)
    for _ in range(1000):
        stage.run.prints(3, "line\n")
        stage.time.pass_(0.001)
    assert len(stage.terminal.writes) - before <= 10


def test_the_clock_goes_on_without_events() -> None:
    stage = Stage()
    until_loading(stage)
    stage.time.pass_(61)
    assert "1 m 01 s" in stage.text


def test_no_timer_is_left_when_a_run_has_ended() -> None:
    stage = Stage()
    until_loading(stage)
    stage.run.ends()
    stage.time.pass_(0.5)
    drawn = len(stage.terminal.writes)
    stage.time.pass_(60)
    assert len(stage.terminal.writes) == drawn


def test_before_the_kernel_answers() -> None:
    stage = Stage()
    stage.run.starts()
    stage.time.pass_(0.15)
    assert "starting the kernel" in stage.text


def test_what_is_said_is_seen_at_once_and_stays() -> None:
    stage = Stage(columns=30)
    stage.view.show(Said("resolving the packages of the notebook\x1b[2J"))
    assert stage.text == "resolving the packages of the\n notebook"
    until_loading(stage)
    stage.time.pass_(0.2)
    stage.view.say("stopping, Ctrl-C again to kill")
    assert stage.text.count("resolving") == 1
    assert stage.text.count("stopping") == 1


def test_a_narrower_window_leaves_no_rubbish() -> None:
    stage = Stage(columns=80)
    until_loading(stage)
    stage.run.prints(3, "x" * 70 + "\n")
    stage.time.pass_(0.2)
    # What the terminal itself does to the lines when it becomes narrower.
    narrow = FakeTerminal(40)
    narrow.write("\n".join(line.rstrip() for line in stage.terminal.lines))
    stage.view._screen = stage.view._canvas._screen = narrow  # type: ignore[assignment]
    stage.run.cell_ends(3)
    stage.run.ends()
    stage.view.close()
    assert "x" not in narrow.text.replace("nb.py", "")
    assert narrow.text.endswith("0.2 s")


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(20, 60))
def test_whatever_cells_write_the_lines_stay_in_their_place(texts: list[str], columns: int) -> None:
    stage = Stage(columns=columns)
    until_loading(stage)
    for text in texts:
        stage.run.prints(3, text)
        stage.time.pass_(0.11)
    stage.run.cell_ends(3)
    stage.run.ends()
    stage.view.close()
    assert len(stage.text.split("\n")) == 5
    assert stage.text.startswith("nb.py\n")


def test_several_notebooks_have_a_line_each() -> None:
    stage = Stage(columns=60, notebooks=3)
    first, second = stage.another("/p/a.py", "r1"), stage.another("/p/b.py", "r2")
    first.starts()
    second.starts()
    first.is_ready()
    first.cell_starts(3)
    first.prints(3, "half way\n")
    stage.time.pass_(0.25)
    assert (
        stage.text
        == """\
⠹ a.py                         0.2 s 1/5 Load half way
⠹ b.py                         0.2 s starting the kernel
0 of 3 notebooks done"""
    )
    first.raises(3, "ValueError", "no", line=2)
    first.cell_ends(3, "failed")
    first.ends("error", "cell-error")
    second.ends()
    stage.view.close()
    assert (
        stage.text
        == """\
✗ a.py                         0.2 s a.py:8 ValueError: no
✓ b.py                         0.2 s 0 cells"""
    )


def test_more_runs_than_rows_fit_the_screen() -> None:
    stage = Stage(notebooks=30, rows=10)
    for number in range(20):
        stage.another(f"/p/{number}.py", f"r{number}").starts()
    stage.time.pass_(0.2)
    assert len(stage.text.split("\n")) == 8


def test_a_view_that_fails_goes_silent() -> None:
    stage = Stage()

    def broken(text: str) -> None:
        raise BrokenPipeError

    stage.terminal.write = broken  # type: ignore[method-assign]
    until_loading(stage)
    stage.time.pass_(1)
    stage.run.ends()
    stage.view.close()
    assert stage.view.states["r1"].finished is not None
