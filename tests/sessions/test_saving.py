"""`octavo session save`: what was done as a notebook, without losing what others wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from octavo.notebook import formats
from octavo.notebook.model import Cell
from octavo.sessions.document import DocumentCell
from octavo.sessions.writing.saving import document_text, place
from octavo.sources import SourceFile
from sessions.live_projects import Live, live_in

SCRIPT = """\
# ---
# title:   kept as it is
# ---

# %% [markdown]
# # Report

# %%  tags=["parameters"]
limit   =   2   # odd spaces stay


# %%
total=limit*2
print( total )
"""


def source_of(text: str, path: str = "report.py") -> SourceFile:
    return SourceFile(path, text, formats.read(text, path))


def cells_of(source: SourceFile) -> tuple[DocumentCell, ...]:
    """As a session has them: every cell with an id of its own."""
    return tuple(
        DocumentCell(f"c{at}", cell.replace(id=f"id-{at}"), at)
        for at, cell in enumerate(source.notebook.cells)
    )


def written(cells: tuple[DocumentCell, ...], source: SourceFile | None, path: str) -> str:
    return document_text(place(cells, source), source, {}, path)


def test_what_nobody_edited_keeps_every_byte() -> None:
    source = source_of(SCRIPT)
    cells = cells_of(source)
    assert written(cells, source, "report.py") == SCRIPT

    last = cells[-1].replace(cell=cells[-1].cell.replace(source="total = limit * 3"))
    new = DocumentCell("c9", Cell("code", "print(limit)"))
    text = written((*cells[:-1], new, last), source, "report.py")

    before, after = "total=limit*2\nprint( total )\n", "print(limit)\n\n# %%\ntotal = limit * 3\n"
    assert text == SCRIPT.replace(before, after)


def test_values_that_a_caller_gave_are_not_written() -> None:
    source = source_of(SCRIPT)
    cells = cells_of(source)
    injected = DocumentCell("c9", Cell("code", "limit = 9", {"tags": ["injected-parameters"]}))

    assert written((*cells[:3], injected, *cells[3:]), source, "report.py") == SCRIPT


def test_values_of_an_earlier_run_that_are_in_the_file_stay_there() -> None:
    old = '# %% tags=["injected-parameters"]\nlimit = 5\n'
    source = source_of(f"{SCRIPT}\n{old}")
    cells = cells_of(source)
    injected = DocumentCell("c9", Cell("code", "limit = 9", {"tags": ["injected-parameters"]}))

    assert written((*cells[:-1], injected), source, "report.py") == source.text


def test_cells_without_a_file_are_written_in_every_format() -> None:
    cells = (
        DocumentCell("c1", Cell("markdown", "# Title")),
        DocumentCell("c2", Cell("code", "x = 1")),
    )
    assert "# %% [markdown]\n# # Title\n\n# %%\nx = 1\n" in written(cells, None, "new.py")
    assert "# Title\n\n```python\nx = 1\n```" in written(cells, None, "new.md")
    plain = nbformat.reads(written(cells, None, "new.ipynb"), as_version=4)
    nbformat.validate(plain)
    assert [cell.source for cell in plain.cells] == ["# Title", "x = 1"]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


@pytest.mark.kernel
def test_a_session_is_saved_to_its_own_file_again_and_again(live: Live) -> None:
    path = live.write(SCRIPT, "report.py")
    session = live.start("report.py", "-p", "limit", "7")
    session.call("run-all")
    short = session.place.short
    assert live.octavo("session", "save", short, "--json").json["changed"] is False
    assert path.read_text() == SCRIPT

    session.call("exec", code="print('more')")
    answer = live.octavo("session", "save", short, "--json").json
    assert (answer["changed"], answer["path"]) == (True, "report.py")
    once = path.read_text()
    assert once == f"{SCRIPT}\n# %%\nprint('more')\n"
    session.call("exec", code="print('and more')")
    live.octavo("session", "save", short)
    assert path.read_text() == f"{once}\n# %%\nprint('and more')\n"


@pytest.mark.kernel
def test_a_file_that_was_changed_meanwhile_is_not_written_over(live: Live) -> None:
    path = live.write(SCRIPT, "report.py")
    session = live.start("report.py")
    session.call("exec", code="x = 1")
    changed = f"{SCRIPT}\n# %%\nprint('a person was here')\n"
    path.write_text(changed)
    short = session.place.short

    error = live.octavo("session", "save", short, "--json", code=2).json["error"]
    assert error["kind"] == "stale"
    assert path.read_text() == changed
    other = live.write("taken", "other.py")
    error = live.octavo("session", "save", short, "other.py", "--json", code=2).json["error"]
    assert (error["kind"], other.read_text()) == ("output-exists", "taken")
    live.octavo("session", "save", short, "--force")
    assert "x = 1" in path.read_text()
    # What was written over is kept.
    kept = (live.root / ".octavo" / "versions").iterdir()
    assert changed in [each.read_text() for each in kept]


@pytest.mark.kernel
def test_outputs_of_the_state_are_in_an_ipynb_and_in_no_text(live: Live) -> None:
    session = live.start()
    for code in ("print('one')", "1 / 0", "6 * 7"):
        session.call("exec", code=code)
    session.call("edit", cell="2", source="6 * 8")
    short = session.place.short

    answer = live.octavo("session", "save", short, "done.ipynb", "--json").json

    assert answer["outputs"] == 2
    assert any("failed" in note for note in answer["notes"])
    notebook = nbformat.read(live.root / "done.ipynb", as_version=4)
    nbformat.validate(notebook)
    first, failed, stale = notebook.cells
    assert (first.outputs[0].text, first.execution_count) == ("one\n", 1)
    assert failed.outputs[0].ename == "ZeroDivisionError"
    assert (stale.source, stale.outputs, stale.execution_count) == ("6 * 8", [], None)
    live.octavo("session", "save", short, "done.py")
    assert (live.root / "done.py").read_text() == (
        "# %%\nprint('one')\n\n# %%\n1 / 0\n\n# %%\n6 * 8\n"
    )


@pytest.mark.kernel
def test_an_ipynb_keeps_the_bytes_of_cells_that_were_not_executed(live: Live) -> None:
    document = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 5,
                "id": "first",
                "metadata": {"odd": [1]},
                "outputs": [{"name": "stdout", "output_type": "stream", "text": ["old\n"]}],
                "source": ["print('old')"],
            },
            {
                "cell_type": "code",
                "execution_count": None,
                "id": "second",
                "metadata": {},
                "outputs": [],
                "source": ["x = 1"],
            },
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "P", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(document, indent=3)
    path = live.write(text, "old.ipynb")
    session = live.start("old.ipynb")
    live.octavo("session", "save", session.place.short)
    assert path.read_text() == text

    session.call("edit", cell="second", source="x = 2")
    live.octavo("session", "save", session.place.short)
    assert path.read_text() == text.replace("x = 1", "x = 2")


@pytest.mark.kernel
def test_what_cannot_be_saved_is_told(live: Live) -> None:
    session = live.start()
    short = session.place.short
    for words, kind in (
        ((), "wrong-argument"),
        (("empty.py",), "notebook-empty"),
        (("notes.txt",), "format-unknown"),
    ):
        error = live.octavo("session", "save", short, *words, "--json", code=2).json["error"]
        assert (error["kind"], bool(error["hint"])) == (kind, True)
    session.call("exec", code="x = 1")
    error = live.octavo("session", "save", short, "no/such/a.py", "--json", code=2).json["error"]
    assert error["kind"] == "output-unwritable"
    error = live.octavo("session", "save", "ffffffff", "a.py", "--json", code=2).json["error"]
    assert error["kind"] == "session-not-found"


@pytest.mark.kernel
def test_the_other_file_of_a_pair_follows(live: Live) -> None:
    live.write(SCRIPT, "report.py")
    live.octavo("convert", "report.py")
    live.octavo("sync", "report.py")
    session = live.start("report.py")
    session.call("exec", code="print('both')")

    answer = live.octavo("session", "save", session.place.short, "--json").json

    assert "report.ipynb: regenerated" in answer["notes"]
    assert "print('both')" in (live.root / "report.ipynb").read_text()
    # The first code stands below the title.
    text = (live.root / "report.py").read_text()
    assert text.index("# # Report") < text.index("print('both')") < text.index("limit")


@pytest.mark.kernel
def test_code_that_a_script_cannot_hold_is_told_and_an_ipynb_holds_it(live: Live) -> None:
    session = live.start()
    session.call("exec", code='z = """never closed')
    session.call("exec", code="print(1)")
    short = session.place.short

    error = live.octavo("session", "save", short, "a.py", "--json", code=2).json["error"]

    assert error["kind"] == "notebook-invalid"
    assert "--delete" in error["hint"]
    assert not (live.root / "a.py").exists()
    live.octavo("session", "save", short, "a.ipynb")
    cells = nbformat.read(live.root / "a.ipynb", as_version=4).cells
    assert [cell.source for cell in cells] == ['z = """never closed', "print(1)"]
