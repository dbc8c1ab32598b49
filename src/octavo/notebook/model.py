"""The notebook as a value: metadata and cells, no outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from octavo.value import EMPTY, Value

CellKind = Literal["code", "markdown", "raw"]


class Cell(Value):
    """One cell as its author wrote it.

    `line` is where the first line of `source` stands in the file that the cell was read from
    (1-based; within the cell for `.ipynb`, where it is 1). It does not take part in equality.
    """

    kind: CellKind
    source: str
    metadata: Mapping[str, Any] = EMPTY
    id: str | None = None
    attachments: Mapping[str, Any] | None = None
    line: int = 1

    _uncompared = ("line",)

    @property
    def tags(self) -> tuple[str, ...]:
        tags = self.metadata.get("tags", ())
        return tuple(tags) if isinstance(tags, (list, tuple)) else ()

    @property
    def name(self) -> str | None:
        name = self.metadata.get("name")
        return name if isinstance(name, str) else None


class Notebook(Value):
    """Metadata and cells. `language` is that of the code cells."""

    cells: tuple[Cell, ...]
    metadata: Mapping[str, Any] = EMPTY

    @property
    def language(self) -> str:
        kernelspec = self.metadata.get("kernelspec") or {}
        info = self.metadata.get("language_info") or {}
        return str(kernelspec.get("language") or info.get("name") or "python")

    @property
    def is_python(self) -> bool:
        return "python" in self.language.lower()

    @property
    def kernel_name(self) -> str | None:
        """The name of the Jupyter kernel that the notebook was last saved with."""
        name = (self.metadata.get("kernelspec") or {}).get("name")
        return name if isinstance(name, str) and name else None

    def tagged(self, tag: str) -> list[int]:
        """Indices of the cells that carry a tag."""
        return [index for index, cell in enumerate(self.cells) if tag in cell.tags]
