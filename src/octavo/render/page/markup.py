"""Text from outside as a part of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from octavo.render.columns import plain

#: Ids that are ours: nothing in a notebook may take them.
OURS = ("cell-", "octavo-")


def text(value: Any) -> str:
    """Any text, escaped, without control characters; fit for content and for attributes."""
    return escape(plain(str(value)), quote=True)


def joined(value: Any) -> str:
    """Text that nbformat may hold as a list of lines."""
    return "".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def mapping(value: Any) -> Mapping[str, Any]:
    """What should be a mapping, and in a damaged file may be anything."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> Sequence[Any]:
    """What should be a list, and in a damaged file may be anything."""
    return value if isinstance(value, (list, tuple)) else ()


def table(head: Iterable[str], rows: Iterable[Iterable[str]], name: str) -> str:
    """A small table of ours; cells are markup already."""
    top = "".join(f'<th scope="col">{each}</th>' for each in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return (
        f'<div class="wide"><table class="{name}"><thead><tr>{top}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )


class Ids:
    """The ids of a page, each of them given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def ours(self, wanted: str) -> str:
        """An id for a part of the page, changed where it is taken."""
        chosen, number = wanted, 2
        while chosen in self._taken:
            chosen, number = f"{wanted}-{number}", number + 1
        self._taken.add(chosen)
        return chosen

    def foreign(self, wanted: str) -> str | None:
        """An id that a notebook brings; None where it may not have it."""
        if wanted.startswith(OURS) or wanted in self._taken or not 0 < len(wanted) <= 200:
            return None
        self._taken.add(wanted)
        return wanted
