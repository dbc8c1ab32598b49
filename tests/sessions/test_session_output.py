"""`octavo session exec` shows output while the code is executed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.render.columns import plain
from sessions.live_projects import Live, live_in
from sessions.terminals import Terminal, terminal_with

pytestmark = pytest.mark.kernel
GATED = "print('first'); open('gate').read(); print('second', end=''); 7"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        os.mkfifo(made.root / "gate")
        yield made


def test_output_comes_through_a_pipe_before_the_code_has_ended(live: Live) -> None:
    session = live.start()
    program = live.program("session", "exec", session.place.short, GATED)
    assert program.stdout is not None
    assert program.stdout.readline() == "first\n"
    (live.root / "gate").write_text("")
    assert program.communicate(timeout=60)[0] == "second\n7\n"


def test_a_flood_through_a_pipe_is_told_once_and_within_the_budget(live: Live) -> None:
    session = live.start()
    words = ("session", "exec", session.place.short, "for i in range(5000): print('line', i)")
    out = live.octavo(*words).out.splitlines()
    (item,) = live.octavo(*words, "--json").json["outputs"]
    assert out[:-1] == item["text"].splitlines()
    assert out[-1].startswith("cut; octavo read")


def test_whoever_stops_reading_ends_nothing(live: Live) -> None:
    session = live.start()
    program = live.program("session", "exec", session.place.short, GATED + "; x = 1; print(x)")
    assert program.stdout is not None
    program.stdout.readline()
    program.stdout.close()
    (live.root / "gate").write_text("")
    assert program.wait(60) == 0
    assert session.call("exec", code="x")["outputs"][0]["text"] == "1"


def test_progress_bars_and_errors_are_told_once(live: Live) -> None:
    session = live.start()
    code = "print('1%\\r2%\\r3%'); print('a\\x1b[31mb')\n1 / 0"
    out = live.octavo("session", "exec", session.place.short, code, code=1).out
    assert [out.count(word) for word in ("3%", "ZeroDivisionError")] == [1, 1]
    out = live.octavo("session", "exec", session.place.short, "raise StopIteration", code=1).out
    assert "\nStopIteration  Cell In[2], line 1\n" in out
    assert "1%" not in out


BAR = (
    "print('1%', end='', flush=True); open('gate').read()\n"
    "print('\\r2%', end='', flush=True); open('gate').read(); print('\\r3%')"
)
CELLS = """\
# %%
x = 1

# %%
print('first'); open('gate').read(); print('second')

# %%
x / 0
"""


def test_cells_are_told_as_they_end_and_their_output_as_it_comes(live: Live) -> None:
    live.write(CELLS)
    session = live.start("nb.py")
    program = live.program("session", "run-all", session.place.short)
    assert program.stdout is not None
    begun = [program.stdout.readline() for _ in range(3)]
    assert begun[0].startswith("✓ cell 0  x = 1  ")
    assert begun[1].startswith("  cell 1  print('first')")
    assert begun[2] == "first\n"
    (live.root / "gate").write_text("")
    rest = program.communicate(timeout=60)[0].splitlines()
    assert rest[0] == "second"
    assert rest[1].startswith("✓ cell 1  ")
    assert rest[2].startswith("✗ cell 2  x / 0")
    assert sum("ZeroDivisionError" in line for line in rest) == 1
    assert program.returncode == 1


def test_a_progress_bar_moves_on_a_terminal(live: Live) -> None:
    session = live.start()
    with terminal_with(live, "session", "exec", session.place.short, BAR) as (terminal, program):
        _see_it_move(live, terminal)
        assert program.wait(60) == 0


def test_a_progress_bar_moves_in_an_attached_terminal(live: Live) -> None:
    session = live.start()
    session.call("exec", code=f"def bar():\n    exec({BAR!r})")
    with terminal_with(live, "session", "attach", session.place.short) as (terminal, _):
        terminal.until(">>> ")
        terminal.send("bar()\n")
        _see_it_move(live, terminal)
        terminal.until(">>> ")


def _see_it_move(live: Live, terminal: Terminal) -> None:
    terminal.until("1%")
    (live.root / "gate").write_text("")
    terminal.until("2%")
    (live.root / "gate").write_text("")
    terminal.until("3%\n")


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("while True:\n    pass", {"timeout": 0.3}),
        ("import asyncio\nawait asyncio.sleep(60)", {"timeout": 0.3}),
        (
            "import os\ntry:\n    os.kill(os.getpid(), 2)\n    while True: pass\n"
            "except KeyboardInterrupt:\n    raise ValueError('other')",
            {},
        ),
        ("from octavo_runtime import glue\nglue('', 1)", {}),
    ],
)
def test_errors_show_no_frames_of_ours(live: Live, code: str, more: dict[str, float]) -> None:
    session = live.start()
    answer = session.call("exec", code=code, **more)
    assert answer["error"]["name"]
    told = [each for each in live.events(session) if each["type"] == "error"]
    shown = plain("\n".join(line for each in told for line in each["traceback"]))
    assert "octavo_runtime/" not in shown
    assert "Cell In" in shown or "asyncio" in code


def test_who_leaves_is_told_below_what_was_shown_that_the_session_goes_on(live: Live) -> None:
    session = live.start()
    with terminal_with(live, "session", "exec", session.place.short, BAR) as (terminal, program):
        terminal.until("1%")
        program.send_signal(signal.SIGINT)
        terminal.until("1%\n")
        terminal.until(f"octavo session interrupt {session.place.short} ends it")
        assert program.wait(60) == 130


def test_whoever_listens_hears_how_the_first_cell_began(live: Live) -> None:
    live.write("# %%\nx = 1\n")
    session = live.start("nb.py", "--no-snapshots")
    for op, arguments in (("run-all", {}), ("exec", {"code": "y = 2"})):
        heard: list[str] = []
        session.call(op, on_event=lambda event, to=heard: to.append(event["type"]), **arguments)
        assert heard[:2] == ["cell-bound", "cell-started"]
