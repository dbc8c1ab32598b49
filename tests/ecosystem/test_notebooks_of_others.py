"""Notebooks as other tools and other years wrote them: they run, or say what is missing."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest

from ecosystem.making import command, strict

pytestmark = pytest.mark.kernel

Document = dict[str, Any]


def code(source: str, **more: Any) -> Document:
    return {
        "cell_type": "code", "source": source, "metadata": {}, "outputs": [],
        "execution_count": None, **more,
    }  # fmt: skip


def spec(name: str, language: str | None, display: str = "Some kernel") -> Document:
    kernelspec = {"name": name, "display_name": display}
    return {"kernelspec": kernelspec | ({"language": language} if language else {})}


def document(metadata: Document, *cells: Document, minor: int = 4) -> Document:
    return {
        "cells": list(cells) or [code("print('it', 'ran')")],
        "metadata": metadata, "nbformat": 4, "nbformat_minor": minor,
    }  # fmt: skip


VERSION_3 = {
    "metadata": {"name": "old", "signature": "sha256:0"},
    "nbformat": 3,
    "nbformat_minor": 0,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Old"]},
                {
                    "cell_type": "code", "collapsed": False, "input": ["print('it', ", "'ran')"],
                    "language": "python", "metadata": {}, "prompt_number": 7,
                    "outputs": [
                        {"output_type": "pyout", "prompt_number": 7, "text": ["stale"],
                         "metadata": {}, "png": "iVBORw0KGgo="},
                        {"output_type": "pyerr", "ename": "E", "evalue": "", "traceback": []},
                        {"output_type": "stream", "stream": "stdout", "text": ["stale"]},
                    ],
                },
            ],
            "metadata": {},
        }
    ],
}  # fmt: skip

RUNNING: dict[str, Document] = {
    "nbformat 3": VERSION_3,
    "nbformat 4.0": document({}, minor=0),
    "4.5 without ids": document({}, minor=5),
    "no kernelspec": document({"language_info": {"name": "python"}}),
    "kernelspec without a language": document(spec("my-env", None)),
    "kernelspec of another machine": document(spec("conda-env-ds-py", "python")),
    "language in capitals": document(spec("python3", "Python")),
    "outputs and counts of an earlier run": document(
        spec("python3", "python"),
        code(
            "print('it', 'ran')",
            execution_count=41,
            outputs=[{"output_type": "stream", "name": "stdout", "text": "stale"}],
        ),
    ),
    "lines, tags and metadata of front ends": document(
        {**spec("python3", "python"), "widgets": {}, "colab": {"provenance": []}, "toc": {}},
        {"cell_type": "raw", "source": ["raw"], "metadata": {"format": "text/html"}},
        code("", metadata={"collapsed": True, "scrolled": "auto", "jupyter": {}}),
        code("%matplotlib inline\nprint('it', 'ran')", metadata={"tags": [], "trusted": True}),
        {
            "cell_type": "markdown", "metadata": {}, "source": "![](attachment:a.png)",
            "attachments": {"a.png": {"image/png": "iVBORw0KGgo="}},
        },
    ),
}  # fmt: skip

MISSING = {
    "ir": ("R", "no kernel for it is installed", "IRkernel"),
    "julia-1.10": ("julia", "no kernel for it is installed", "IJulia"),
}


@pytest.mark.parametrize("name", RUNNING)
def test_it_runs_and_the_result_is_of_today(name: str, tmp_path: Path) -> None:
    (tmp_path / "in.ipynb").write_text(json.dumps(RUNNING[name]))
    before = (tmp_path / "in.ipynb").read_bytes()
    done = command("octavo", "run", "in.ipynb", "-o", "out.ipynb", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        executed = nbformat.read(tmp_path / "out.ipynb", as_version=nbformat.NO_CONVERT)
        nbformat.validate(executed)
    assert (executed.nbformat, executed.nbformat_minor) == (4, 5)
    outputs = [output for cell in executed.cells for output in cell.get("outputs", ())]
    assert [output.get("text") for output in outputs] == ["it ran\n"], "and nothing stale"
    assert executed.metadata.language_info.name.lower() == "python"
    assert executed.metadata.kernelspec.display_name
    assert (tmp_path / "in.ipynb").read_bytes() == before


@pytest.mark.parametrize("kernel", MISSING)
def test_another_language_says_what_to_install(kernel: str, tmp_path: Path) -> None:
    language, told, package = MISSING[kernel]
    notebook = document(spec(kernel, language), code("x <- 1"))
    (tmp_path / "in.ipynb").write_text(json.dumps(notebook))
    done = command("octavo", "run", "in.ipynb", "-o", "out.ipynb", cwd=tmp_path)
    assert done.returncode not in (0, 1), "not the notebook's fault"
    assert told in done.stderr
    assert package in done.stderr
    assert not (tmp_path / "out.ipynb").exists()


def test_an_attachment_is_kept(tmp_path: Path) -> None:
    notebook = RUNNING["lines, tags and metadata of front ends"]
    (tmp_path / "in.ipynb").write_text(json.dumps(notebook))
    command("octavo", "run", "in.ipynb", "-o", "out.ipynb", "-q", cwd=tmp_path)
    executed = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert executed.cells[-1].attachments == {"a.png": {"image/png": "iVBORw0KGgo="}}
    assert executed.metadata.colab == {"provenance": []}
    assert executed.cells[1].metadata.collapsed is True


def test_numbers_that_json_lacks_do_not_spread(tmp_path: Path) -> None:
    """Python's tools read and write NaN; JupyterLab, VS Code and Gitea then show nothing at all."""
    notebook = document({"limit": float("inf")}, code("print(1)", metadata={"x": float("nan")}))
    (tmp_path / "in.ipynb").write_text(json.dumps(notebook))
    done = command("octavo", "run", "in.ipynb", "-o", "out.ipynb", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    executed = strict(tmp_path / "out.ipynb")
    assert executed["metadata"]["limit"] == "inf"
    assert executed["cells"][0]["metadata"]["x"] == "nan"
