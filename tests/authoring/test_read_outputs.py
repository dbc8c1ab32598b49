"""`octavo read` with the handle of an output: the whole of it, piece by piece."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from octavo.events.types import Stream
from octavo.render.tokens import tokens
from octavo.surfaces.cli.main import main
from records.making import RUN_ID, code, finished, journalled, started, succeeded

TEXT = "".join(f"line {at} \x1b[31mred\x1b[0m\n" for at in range(2000))
HANDLE = f"{RUN_ID[-8:]}:0:0"


@pytest.fixture(autouse=True)
def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with one run that has printed much."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "octavo.toml").write_text("")
    events = [started(code(0)), *succeeded(0, Stream(0, "stdout", TEXT)), finished()]
    journalled(tmp_path / ".octavo" / "runs" / "2025-11-15", events)


def read(capsys: Any, *words: str, status: int = 0) -> Any:
    assert main(["read", *words]) == status
    return capsys.readouterr()


def test_pieces_follow_each_other_to_the_end(capsys: Any) -> None:
    command, pieces = f"{HANDLE} --budget 3000", []
    while command:
        answer = json.loads(read(capsys, *shlex.split(command), "--json").out)
        pieces.append(answer["content"])
        command = (answer["next"] or "").removeprefix("octavo read")
        command += " --budget 3000" if command else ""
    assert len(pieces) > 3
    assert "".join(pieces) == TEXT.replace("\x1b[31m", "").replace("\x1b[0m", "")
    assert all(piece.endswith("\n") for piece in pieces)


def test_a_piece_is_within_its_budget_and_says_how_to_read_on(capsys: Any) -> None:
    text = read(capsys, HANDLE, "--budget", "400").out
    assert tokens(text) <= 400
    assert text.startswith("line 0 red\n")
    assert f"octavo read {HANDLE} --offset " in text.splitlines()[-1]


def test_all_of_it_without_a_budget(capsys: Any) -> None:
    assert read(capsys, HANDLE, "--budget", "0").out.count("\n") == 2000


def test_an_output_that_is_not_there_is_refused(capsys: Any) -> None:
    assert "has 1 output" in read(capsys, f"{RUN_ID[-8:]}:0:7", status=2).err
    assert "no run matches" in read(capsys, "ffffffff:0:0", status=2).err
    assert "--offset" in read(capsys, HANDLE, "--offset", "-1", status=2).err


def test_show_takes_handles_too(capsys: Any) -> None:
    assert main(["show", HANDLE, "--json"]) == 0
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert [output["text"] for output in cell["outputs"]] == [TEXT]
    assert main(["show", f"{RUN_ID[-8:]}:3"]) == 2
    assert "no cell 3" in capsys.readouterr().err
