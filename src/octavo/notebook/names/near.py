"""Names that somebody may have meant who wrote one that nobody made."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from octavo.notebook.names.magics import read_cell
from octavo.notebook.names.scopes import bound_in

_MOST = 3
#: As many names are looked at, the last that were made.
_LOOKED_AT = 2000


def near_names(missing: str, sources: Iterable[str]) -> tuple[str, ...]:
    """The names that code makes which look like a missing one, the nearest first."""
    made: dict[str, None] = {}
    for source in sources:
        reading = read_cell(source)
        bound = bound_in(reading.tree.body) if reading.tree is not None else set()
        made |= dict.fromkeys((*sorted(bound), *reading.defined))
    return tuple(get_close_matches(missing, list(made)[-_LOOKED_AT:], _MOST))
