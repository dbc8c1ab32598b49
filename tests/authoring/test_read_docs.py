"""What `docs/reading.md` says is so."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from octavo.authoring.reading.read import LEAST_BUDGET, USUAL_BUDGET, ReadRequest, read

PAGE = (Path(__file__).parents[2] / "docs" / "reading.md").read_text(encoding="utf-8")


def test_every_option_is_explained() -> None:
    for shown in ReadRequest.shown.values():
        if shown.flags:
            assert shown.flags[-1] in PAGE
    assert str(USUAL_BUDGET) in PAGE
    assert f"least is {LEAST_BUDGET}" in PAGE.replace("\n", " ")


@pytest.mark.parametrize("how", [{}, {"which": ("0..",)}, {"which": ("0..",), "budget": 700}])
def test_every_key_is_explained(tmp_path: Path, how: dict[str, Any]) -> None:
    text = {"output_type": "stream", "name": "stdout", "text": "line\n" * 200}
    plot = {"output_type": "display_data", "metadata": {}, "data": {
        "application/vnd.plotly.v1+json": {"data": [], "layout": {}}}}  # fmt: skip
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Head"},
        {"cell_type": "code", "metadata": {}, "source": "x" * 900 + "\ny" * 90,
         "execution_count": 1, "outputs": [text, plot]},
    ]  # fmt: skip
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "nb.ipynb").write_text(json.dumps(document))
    context: Any = SimpleNamespace(cwd=str(tmp_path), project=tmp_path)
    found = asyncio.run(read(ReadRequest("nb.ipynb", **how), context)).to_json()
    assert {name for name in _keys(found) if f"`{name}`" not in PAGE} == set()


def _keys(value: Any) -> set[str]:
    if isinstance(value, list):
        return {name for each in value for name in _keys(each)}
    if not isinstance(value, dict):
        return set()
    inner = {k: v for k, v in value.items() if k not in ("facts", "output_kinds")}
    return set(value) | {name for each in inner.values() for name in _keys(each)}
