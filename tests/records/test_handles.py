"""Handles lead to the whole of an output, wherever it lies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import OctavoError
from octavo.events.types import Display, ErrorRaised, Event, ExecuteResult, Spilled, Stream
from octavo.records.handles import Handle, handle_of, is_handle, whole
from octavo.records.run_dir import RunDir
from records.making import RUN_ID, code, finished, journalled, started, succeeded


def run_with(folder: Path, *events: Event) -> RunDir:
    return RunDir(journalled(folder, [started(code(0)), *succeeded(0, *events), finished()]))


def test_a_handle_is_a_run_a_cell_and_an_output() -> None:
    assert handle_of(" 3feb815f:4:10 ") == Handle("3feb815f", 4, 10)
    assert handle_of(f"{RUN_ID}:4") == Handle(RUN_ID, 4)
    assert str(Handle("3feb815f", 4, 1)) == "3feb815f:4:1"


@pytest.mark.parametrize(
    "text", ["", "nb.py", "a:1", "abcd1234", "abcd1234:x", "abcd:1:2:3", "../..:1", "abcd1234:-1"]
)
def test_other_texts_are_none(text: str) -> None:
    assert not is_handle(text)
    with pytest.raises(OctavoError) as caught:
        handle_of(text)
    assert caught.value.hint


def test_outputs_are_counted_as_the_notebook_counts_them(tmp_path: Path) -> None:
    run = run_with(
        tmp_path,
        Stream(0, "stdout", "one "),
        Stream(0, "stdout", "two\n"),
        Display(0, {"text/html": "<b>x</b>", "text/plain": "<Figure size 1x1>"}),
        ExecuteResult(0, 1, {"text/plain": "42", "text/html": "<i>42</i>"}),
        ErrorRaised(0, "E", "bad", ("\x1b[31mTraceback\x1b[0m", "E: bad")),
    )
    texts = [whole(run, Handle(RUN_ID, 0, at)).text for at in range(4)]
    assert texts == ["one two\n", "<b>x</b>", "42", "Traceback\nE: bad"]
    assert whole(run, Handle(RUN_ID, 0)).text == "one two\n\n<b>x</b>\n42\nTraceback\nE: bad"


@given(st.text(max_size=60), st.integers(0, 70), st.integers(0, 70))
def test_pieces_are_those_of_the_text(
    tmp_path_factory: pytest.TempPathFactory, text: str, offset: int, length: int
) -> None:
    run = run_with(tmp_path_factory.mktemp("run"), Stream(0, "stdout", text or "x"))
    text = text or "x"
    part = whole(run, Handle(RUN_ID, 0, 0), offset, length)
    assert part.text == text[offset : offset + length]
    assert part.left == max(0, len(text) - max(offset + length, offset))


def test_a_stream_that_went_over_the_cap_is_whole_in_its_file(tmp_path: Path) -> None:
    text = "".join(f"línea {at}\n" for at in range(300_000))
    raw = text.encode()
    events = (
        Stream(0, "stdout", text[:100]),
        Spilled(0, "stdout", "files/cell-0-stdout.txt", 100, len(raw) - 100, 50),
    )
    run = run_with(tmp_path, *events)
    (run.path / "files").mkdir()
    (run.path / "files" / "cell-0-stdout.txt").write_bytes(raw)
    part = whole(run, Handle(RUN_ID, 0, 0), 1_500_000, 40)
    assert part.text == text[1_500_000:1_500_040]
    assert part.left == len(text) - 1_500_040


def test_a_display_that_went_over_the_cap_is_whole_in_its_file(tmp_path: Path) -> None:
    note = "… text/html (12.0 MB) left out, it is line 2 of files/cell-0-displays.jsonl …"
    run = run_with(tmp_path, Display(0, {"text/plain": note}))
    (run.path / "files").mkdir()
    lines = [json.dumps({"data": {"text/html": f"<p>{at}</p>"}, "metadata": {}}) for at in range(3)]
    (run.path / "files" / "cell-0-displays.jsonl").write_text("\n".join(lines))
    assert whole(run, Handle(RUN_ID, 0, 0)).text == "<p>1</p>"
    (run.path / "files" / "cell-0-displays.jsonl").unlink()
    assert whole(run, Handle(RUN_ID, 0, 0)).text == note


def test_an_output_that_is_not_there_is_told(tmp_path: Path) -> None:
    run = run_with(tmp_path, Stream(0, "stdout", "x"))
    for handle in (Handle(RUN_ID, 0, 1), Handle(RUN_ID, 9, 0)):
        with pytest.raises(OctavoError) as caught:
            whole(run, handle)
        assert caught.value.kind == "wrong-argument"
        assert caught.value.hint


def test_a_run_without_a_journal_is_read_from_its_notebook(tmp_path: Path) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}
    (tmp_path / "notebook.ipynb").write_text(json.dumps({"cells": [{"outputs": [output]}]}))
    assert whole(RunDir(tmp_path), Handle("abcd1234", 0, 0)).text == "a\nb\n"
    (tmp_path / "notebook.ipynb").write_text("[]")
    with pytest.raises(OctavoError):
        whole(RunDir(tmp_path), Handle("abcd1234", 0, 0))
