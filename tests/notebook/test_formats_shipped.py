"""Every notebook and percent script that the installed packages bring along."""

from __future__ import annotations

import json
import sysconfig
import warnings
from pathlib import Path

import jupytext
import jupytext.header
import nbformat
import pytest

from octavo.notebook.formats import ipynb, read, write

ROOT = Path(sysconfig.get_path("purelib"))
NOTEBOOKS = sorted(ROOT.rglob("*.ipynb"))
OURS = Path(__file__).parents[2] / "notebooks"
SCRIPTS = sorted(
    path
    for path in (*ROOT.rglob("*.py"), *OURS.glob("*.py"))
    if b"\n# %%" in (content := path.read_bytes()) or b"\n#%%" in content
)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def test_there_are_notebooks_to_read() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_it_is_read_as_nbformat_reads_it(path: Path) -> None:
    text = path.read_text("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = nbformat.reads(text, as_version=4)
    found = read(text, str(path))
    assert [(cell.kind, cell.source, cell.metadata) for cell in found.cells] == [
        (cell.cell_type, cell.source, cell.metadata) for cell in expected.cells
    ]
    assert (
        ipynb.read(ipynb.write(found), "a.ipynb").cells
        == ipynb.to_notebook(ipynb.to_document(found)).cells
    )


def _has_its_ids(path: Path) -> bool:
    """Whether nbformat writes it without making up ids, which are different each time."""
    document = json.loads(path.read_text("utf-8"))
    with_ids = (document["nbformat"], document.get("nbformat_minor", 0)) >= (4, 5)
    return not with_ids or all("id" in cell for cell in document["cells"])


@pytest.mark.parametrize("path", list(filter(_has_its_ids, NOTEBOOKS)), ids=name)
def test_it_is_written_as_nbformat_writes_it(path: Path) -> None:
    text = path.read_text("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = nbformat.writes(nbformat.reads(text, as_version=nbformat.NO_CONVERT))
    assert ipynb.dumps(ipynb.parse(text, str(path))) == expected + "\n"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_its_script_is_that_of_jupytext(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupytext.header, "INSERT_AND_CHECK_VERSION_NUMBER", False)
    text = path.read_text("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = jupytext.writes(nbformat.reads(text, as_version=4), fmt="py:percent")
    assert write(read(text, str(path)), "py") == expected


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_a_script_is_read_as_jupytext_reads_it(path: Path) -> None:
    text = path.read_text("utf-8")
    expected = jupytext.reads(text, fmt="py:percent")
    assert [(cell.kind, cell.source, cell.metadata) for cell in read(text, "a.py").cells] == [
        (cell.cell_type, cell.source, cell.metadata) for cell in expected.cells
    ]
