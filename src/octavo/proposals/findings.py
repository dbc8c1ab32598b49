"""Review comments as findings that an agent can act on: the notebook, the cell, the line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from octavo.forges.port import Comment
from octavo.notebook import formats
from octavo.notebook.identity import handle
from octavo.proposals.cells_by_line import Place, place_of
from octavo.value import Value

_SUGGESTION = re.compile(r"^(`{3,})suggestion[^\n]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)


class Finding(Value):
    """What a reviewer said, and where.

    `cell` is an index in the notebook `path` as it is now, `handle` names its content,
    `cell_line` is the line within it (0 for its marker). `suggestion` is the text that the reviewer
    wants there. Without a place the finding is about the whole proposal.
    """

    id: str
    author: str
    body: str
    created: str
    path: str | None = None
    line: int | None = None
    cell: int | None = None
    cell_name: str | None = None
    handle: str | None = None
    cell_line: int | None = None
    text: str | None = None
    suggestion: str | None = None
    thread: str = ""
    resolved: bool = False
    outdated: bool = False
    url: str = ""

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()


def finding_of(comment: Comment, read: Callable[[str], str | None], head: str = "") -> Finding:
    """A comment with its place in the notebook; `read` gives the text of a file at the head.

    A comment of the head that has no line is about a whole file.
    """
    gone = comment.line is None and (comment.commit is None or comment.commit != head)
    suggested = _SUGGESTION.search(comment.body.replace("\r\n", "\n"))
    finding = Finding(
        comment.id,
        comment.author,
        comment.body,
        comment.created,
        path=comment.path,
        line=comment.line,
        suggestion=suggested[2].removesuffix("\n") if suggested else None,
        thread=comment.thread,
        resolved=comment.resolved,
        outdated=comment.path is not None and (gone or comment.old),
        url=comment.url,
    )
    place = _place(comment, read)
    if place is None:
        return finding
    return finding.replace(
        cell=place.index,
        cell_name=place.cell.name,
        handle=handle(place.cell),
        cell_line=place.line,
        text=place.text,
    )


def _place(comment: Comment, read: Callable[[str], str | None]) -> Place | None:
    if comment.path is None or comment.line is None or comment.old:
        return None
    if not formats.is_notebook_name(comment.path):
        return None
    text = read(comment.path)
    return None if text is None else place_of(text, comment.path, comment.line)
