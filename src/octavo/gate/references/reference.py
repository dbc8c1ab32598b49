"""The expected outputs of a notebook's cells, wherever they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from octavo.value import Value


class Expected(Value):
    """The outputs that a cell is to have, as nbformat spells them.

    `ran` is False of a cell in an `.ipynb` that was never run: it has nothing to compare with.
    """

    outputs: tuple[Mapping[str, Any], ...] = ()
    ran: bool = True


class Reference(Value):
    """What cells are expected to output, by the index in the author's notebook.

    `kind` tells where that is kept: in the notebook itself, in a `.expected.toml` beside it, in
    the `.ipynb` that belongs to a text notebook, or nowhere yet. `path` is that file.
    """

    kind: Literal["own", "file", "pair", "none"]
    path: str
    cells: Mapping[int, Expected]
    #: The name of the set of values that these outputs belong to.
    values: str = ""
