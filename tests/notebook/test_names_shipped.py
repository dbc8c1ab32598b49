"""The names of every notebook that the installed packages bring along."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from octavo.notebook.formats import read
from octavo.notebook.names import analyse

ROOT = Path(sysconfig.get_path("purelib"))
NOTEBOOKS = sorted(ROOT.rglob("*.ipynb"))


def test_at_most_one_cell_in_ten_is_unknown() -> None:
    looked = [
        cell
        for path in NOTEBOOKS
        for cell in analyse(read(path.read_text("utf-8"), str(path))).cells
    ]
    unknown = [cell for cell in looked if cell.unknown]
    assert looked
    assert len(unknown) * 10 <= len(looked)
