"""Cells that are written in pieces are the same, to the byte."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.notebook.formats.ipynb.text import LONG, cell_pieces, dump_cell


def _cell(*texts: str) -> dict[str, Any]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": text} for text in texts]
    outputs.insert(1, {"output_type": "display_data", "data": {"text/plain": "a\nb"}})
    return {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": "print(1)\n",
        "execution_count": 1,
        "outputs": outputs,
    }


@pytest.mark.parametrize(
    "long",
    [
        "line\n" * LONG,
        "no end of line " * LONG,
        "a\r\nb\rc\x0bd\x85e\u2028f\n" * LONG,
        "x" * (LONG + 1) + "\n",
        "\n" * (LONG + 2),
    ],
)
def test_pieces_are_the_cell(long: str) -> None:
    cell = _cell("short\n", long, long + "tail")
    pieces = list(cell_pieces(cell))
    assert len(pieces) > 3
    assert "".join(pieces) == dump_cell(cell)


def test_a_short_cell_is_one_piece() -> None:
    cell = _cell("short\n")
    assert list(cell_pieces(cell)) == [dump_cell(cell)]
