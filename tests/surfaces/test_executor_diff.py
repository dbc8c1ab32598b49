"""`NotebookExecutor.diff_notebooks`: what it finds, nbdime applies to the file as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbdime
import nbformat
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from nbdime.diff_format import validate_diff
from nbdime.diff_utils import to_diffentry_dicts

import octavo
from notebook.test_diff import _pairs, code, notebook, stream

Document = dict[str, Any]


def written(path: Path, document: Document, minor: int) -> Path:
    """The notebook as a file: its cells have ids of their own, or none."""
    cells = [
        {key: value for key, value in {**cell, "id": f"{cell['id']}{at}"}.items()
         if minor == 5 or key != "id"}
        for at, cell in enumerate(document["cells"])
    ]  # fmt: skip
    head = {key: value for key, value in document["metadata"].items() if key != "kernelspec"}
    path.write_text(
        json.dumps({**document, "cells": cells, "metadata": head, "nbformat_minor": minor})
    )
    return path


def applied(old: Path, found: Any) -> Any:
    return nbdime.patch(nbformat.reads(old.read_text(), as_version=4), found)


@settings(deadline=None, max_examples=20, suppress_health_check=[*HealthCheck])
@given(_pairs(), st.sampled_from([(4, 4), (5, 5), (4, 5)]))
def test_nbdime_makes_the_new_file_of_the_old_one(
    tmp_path_factory: pytest.TempPathFactory,
    pair: tuple[Document, Document],
    minors: tuple[int, int],
) -> None:
    folder = tmp_path_factory.mktemp("pair")
    old, new = (
        written(folder / f"{name}.ipynb", document, minor)
        for name, document, minor in zip("ab", pair, minors, strict=True)
    )
    try:
        found = octavo.NotebookExecutor().diff_notebooks(old, new)
    except octavo.NotebookError:
        assume(False)
        raise
    wanted = nbformat.reads(new.read_text(), as_version=4)
    entries = to_diffentry_dicts(json.loads(json.dumps(found)))
    validate_diff(entries, deep=True)
    assert applied(old, entries) == wanted
    assert applied(old, found) == wanted


@pytest.fixture
def large(tmp_path: Path) -> tuple[Path, Path]:
    """Cells without ids, every output changed: what takes nbdime minutes."""

    def side(name: str, by: int) -> Path:
        cells = [
            code(f"v{n} = {'re' * (by > 7 and n % 30 == 0)}compute({n})", str(n),
                 outputs=[stream("".join(f"{n * k / by} row {k}\n" for k in range(9)))])
            for n in range(300)
        ]  # fmt: skip
        return written(tmp_path / f"{name}.ipynb", notebook(*cells), 4)

    return side("old", 7), side("new", 8)


def test_many_changed_outputs_take_no_time(
    large: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("nbdime's own comparison was called")

    monkeypatch.setattr(nbdime, "diff_notebooks", refuse)
    found = octavo.NotebookExecutor().diff_notebooks(*large)
    assert applied(large[0], found) == nbformat.reads(large[1].read_text(), as_version=4)
