"""Which names the cells of a notebook bind and use, told without running anything."""

from __future__ import annotations

from octavo.notebook.names.analysis import analyse
from octavo.notebook.names.graph import CellNames, Edge, Names
from octavo.notebook.names.notes import Undefined

__all__ = ["CellNames", "Edge", "Names", "Undefined", "analyse"]
