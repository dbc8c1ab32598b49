"""What is longer than the screen goes to a pager, and only then."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.calling import variables

ROWS = 12
PROGRAM = "import sys; from octavo.surfaces.cli.main import entry; sys.argv[0] = 'octavo'; entry()"


class Terminal:
    """A command on a terminal of its own, with a pager that is a script."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "octavo.toml").write_text("")
        cells = "".join(f"# %%\nprint({n})\n" for n in range(20))
        (folder / "long.py").write_text(cells)
        (folder / "short.py").write_text("# %%\nprint(1)\n")
        self.variables = {**variables(folder), "TERM": "xterm-256color", "NO_COLOR": "1"}
        self.variables.pop("PAGER", None)

    def pager(self, script: str) -> str:
        path = self._folder / "pager"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.variables["PAGER"] = f"{path} --option"
        return str(path)

    def start(self, *words: str) -> tuple[subprocess.Popen[bytes], int]:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, 80, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=self._folder, env=self.variables,
            start_new_session=True, preexec_fn=_take_terminal,
        )  # fmt: skip
        os.close(theirs)
        return process, ours

    def run(self, *words: str) -> tuple[int, str]:
        process, ours = self.start(*words)
        text = "".join(shown(ours))
        os.close(ours)
        return process.wait(timeout=60), text


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def shown(terminal: int) -> Iterator[str]:
    """What appears, until nobody holds the other end."""
    while select.select([terminal], [], [], 60)[0]:
        try:
            content = os.read(terminal, 65536)
        except OSError:
            return
        if not content:
            return
        yield content.decode("utf-8", "replace")


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def test_long_text_is_handed_to_the_pager_of_choice(terminal: Terminal) -> None:
    terminal.pager('echo "paged $1"; cat')
    code, text = terminal.run("show", "long.py")
    assert code == 0
    assert text.startswith("paged --option\r\n")
    assert "print(19)" in text


def test_our_own_variable_wins(terminal: Terminal) -> None:
    path = terminal.pager("echo ours; cat")
    terminal.variables |= {"PAGER": "false", "OCTAVO_PAGER": path}
    assert terminal.run("show", "long.py")[1].startswith("ours\r\n")


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (["show", "short.py"], {}),
        (["show", "long.py", "--no-pager"], {}),
        (["show", "long.py", "--json"], {}),
        (["show", "long.py"], {"TERM": "dumb"}),
        (["show", "long.py"], {"PAGER": "cat"}),
        (["show", "long.py"], {"PAGER": ""}),
        (["show", "long.py"], {"PAGER": "no-such-program -x"}),
        (["show", "long.py"], {"PAGER": "'"}),
        (["show", "long.py", "--images", "kitty"], {}),
    ],
)
def test_otherwise_text_is_written_as_it_is(
    terminal: Terminal, words: list[str], changes: dict[str, str]
) -> None:
    terminal.pager("echo paged; cat")
    terminal.variables |= changes
    code, text = terminal.run(*words)
    assert code == 0
    assert "print(" in text
    assert "paged" not in text
    assert "no-such-program" not in text


def test_never_in_a_pipe(terminal: Terminal, tmp_path: Path) -> None:
    terminal.pager("echo paged; cat")
    command = [sys.executable, "-m", "octavo", "show", "long.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=terminal.variables, capture_output=True, text=True, timeout=60
    )
    assert "print(19)" in done.stdout
    assert "paged" not in done.stdout


def test_leaving_early_is_no_error(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "huge.py").write_text("# %%\n" + "x = 'something long'\n" * 40_000)
    terminal.pager("head -n 1; echo left; exit 3")
    code, text = terminal.run("show", "huge.py")
    assert code == 0
    assert text.endswith("left\r\n")
    assert "Traceback" not in text


def test_ctrl_c_is_for_the_pager(terminal: Terminal) -> None:
    """A pager that goes on after Ctrl-C, as `less` does, keeps its reader."""
    terminal.pager('trap "echo again; exit" INT; echo ready; while :; do read x < /dev/tty; done')
    process, ours = terminal.start("show", "long.py")
    text = ""
    for piece in shown(ours):
        text += piece
        if "ready" in text and "again" not in text:
            os.killpg(process.pid, signal.SIGINT)
        if "again" in text:
            break
    assert process.wait(timeout=60) == 0
    os.close(ours)
    assert "interrupted" not in text


def test_less_shows_colours_and_quits(terminal: Terminal) -> None:
    del terminal.variables["NO_COLOR"]
    terminal.variables["LESS"] = "X"
    process, ours = terminal.start("show", "long.py")
    text = ""
    for piece in shown(ours):
        text += piece
        if "ESC" in text or "\x1b[2m" in text:
            os.write(ours, b"q")
            break
    text += "".join(shown(ours))
    assert process.wait(timeout=60) == 0
    os.close(ours)
    assert "ESC[" not in text
    assert "[0]" in text


def test_images_of_graphics_protocols_are_blocks_in_a_pager(
    terminal: Terminal, tmp_path: Path
) -> None:
    dot = (
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
        "rkJggg=="
    )
    for name, lines in (("short", 1), ("tall", 30)):
        output = {"output_type": "display_data", "data": {"image/png": dot}, "metadata": {}}
        cell = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1,
                "source": "x\n" * lines, "outputs": [output]}  # fmt: skip
        document = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(document))
    terminal.pager("echo paged; cat")
    del terminal.variables["NO_COLOR"]
    terminal.variables["KITTY_WINDOW_ID"] = "1"
    _, short = terminal.run("show", "short.ipynb")
    _, tall = terminal.run("show", "tall.ipynb")
    _, as_it_is = terminal.run("show", "tall.ipynb", "--no-pager")
    assert "\x1b_G" in short
    assert "paged" in tall
    assert "▀" in tall
    assert "\x1b_G" not in tall
    assert "\x1b_G" in as_it_is
