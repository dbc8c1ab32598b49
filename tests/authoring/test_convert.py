"""`octavo convert`: a notebook in another format, and nothing overwritten by accident."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from octavo.authoring.convert import ConvertRequest, ConvertResult, convert
from octavo.errors import ConflictError, NotebookError, OctavoError, UsageError

SCRIPT = '# %% tags=["parameters"]\nx = 1\n\n# %% [markdown]\n# Words.\n'


class Settings:
    notebooks: tuple[str, ...] = ()


class Place:
    """The context that the operation gets."""

    def __init__(self, root: Path) -> None:
        self.project = root
        self.cwd = str(root)
        self.settings = Settings()
        self.emit: Callable[[Any], None] = lambda event: None
        (root / "nb.py").write_text(SCRIPT)

    def convert(self, path: str = "nb.py", **options: Any) -> ConvertResult:
        return asyncio.run(convert(ConvertRequest(path, **options), self))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def executed(path: Path, **cell: Any) -> None:
    """A notebook with outputs and an attachment."""
    code = nbformat.v4.new_code_cell(
        "x", execution_count=1, outputs=[nbformat.v4.new_output("stream", text="1\n")]
    )
    text = nbformat.v4.new_markdown_cell("t", attachments={"a": {"image/png": "aGk="}})
    nbformat.write(nbformat.v4.new_notebook(cells=[code, text]), path)


def test_a_script_becomes_a_notebook_beside_it(place: Place) -> None:
    assert place.convert().output == "nb.ipynb"
    document = nbformat.read(place.project / "nb.ipynb", as_version=4)
    nbformat.validate(document)
    assert [cell.source for cell in document.cells] == ["x = 1", "Words."]
    assert document.metadata.kernelspec.name == "python3"


def test_the_way_there_and_back_loses_nothing(place: Place) -> None:
    place.convert()
    assert place.convert("nb.ipynb", output="-").text == SCRIPT


def test_a_notebook_becomes_a_script_and_what_is_left_out_is_told(place: Place) -> None:
    executed(place.project / "run.ipynb")
    result = place.convert("run.ipynb")
    assert result.output == "run.py"
    assert result.left_out == ("1 output", "1 attachment")
    assert "# %%\nx\n" in (place.project / "run.py").read_text()
    assert json.loads(json.dumps(result.to_json()))["left_out"]


def test_an_old_notebook_becomes_a_new_one_with_its_outputs(place: Place) -> None:
    code = {"cell_type": "code", "input": "x", "outputs": [], "prompt_number": 2, "metadata": {}}
    code["outputs"] = [{"output_type": "stream", "stream": "stdout", "text": "1"}]
    old = {"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [code]}]}
    (place.project / "old.ipynb").write_text(json.dumps(old))
    place.convert("old.ipynb", output="new.ipynb")
    document = nbformat.read(place.project / "new.ipynb", as_version=4)
    nbformat.validate(document)
    assert document.cells[0].outputs[0].text == "1"
    assert document.cells[0].execution_count == 2


def test_the_output_may_go_elsewhere(place: Place) -> None:
    (place.project / "out").mkdir()
    place.convert(output="out/other.ipynb")
    assert (place.project / "out" / "other.ipynb").exists()


def test_an_existing_file_is_overwritten_only_by_force(place: Place) -> None:
    target = place.project / "nb.ipynb"
    target.write_text("precious")
    with pytest.raises(ConflictError) as raised:
        place.convert()
    assert raised.value.kind == "output-exists"
    assert "--force" in raised.value.hint
    assert target.read_text() == "precious"
    place.convert(force=True)
    nbformat.read(target, as_version=4)


def test_ids_stay_when_a_notebook_is_overwritten(place: Place) -> None:
    place.convert()
    target = place.project / "nb.ipynb"
    before = [cell.id for cell in nbformat.read(target, as_version=4).cells]
    (place.project / "nb.py").write_text("# %%\nnew()\n\n" + SCRIPT)
    place.convert(force=True)
    assert [cell.id for cell in nbformat.read(target, as_version=4).cells][1:] == before


def test_standard_input_and_output(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SCRIPT.encode())))
    text = place.convert("-").text
    assert text
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert place.convert("-", to="py").text == SCRIPT


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{"])
def test_bad_standard_input_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.raises(NotebookError):
        place.convert("-")


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"output": "nb.txt"}, "format-unknown"),
        ({"output": "x.py", "to": "ipynb"}, "wrong-argument"),
        ({"output": "gone/nb.ipynb"}, "output-unwritable"),
        ({"path": "gone.py"}, "notebook-not-found"),
    ],
)
def test_what_cannot_be_done_is_refused(place: Place, options: dict[str, str], kind: str) -> None:
    with pytest.raises(OctavoError) as raised:
        place.convert(**options)
    assert raised.value.kind == kind
    assert raised.value.hint


def test_a_folder_as_output_is_refused(place: Place) -> None:
    (place.project / "out.ipynb").mkdir()
    with pytest.raises(ConflictError) as raised:
        place.convert(output="out.ipynb", force=True)
    assert raised.value.kind == "output-exists"


def test_a_cell_that_no_script_can_hold_is_refused_and_named(place: Place) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in ("x", "y = '''", "z")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), place.project / "odd.ipynb")
    with pytest.raises(NotebookError) as raised:
        place.convert("odd.ipynb")
    assert "cell 1 " in raised.value.message
    assert not (place.project / "odd.py").exists()


def test_nothing_is_written_when_reading_fails(place: Place) -> None:
    (place.project / "bad.ipynb").write_text("{")
    with pytest.raises(UsageError):
        place.convert("bad.ipynb")
    assert not (place.project / "bad.py").exists()
