"""What git calls: for `git diff` a comparison by cells, for log, show and blame a notebook as text.

Neither ever fails because of what a file holds: git would stop in the middle of its work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from octavo.authoring.diff_sides import Content, read_sides
from octavo.authoring.diffing import ComparedFile, compared
from octavo.errors import OctavoError, UsageError
from octavo.git.program import Git
from octavo.notebook.cleaning import NotANotebook, cleaned_bytes
from octavo.notebook.formats import is_notebook_name
from octavo.requests import Request, argument
from octavo.value import Value

_ABSENT = (os.devnull, "/dev/null", "nul")


class DriverContext(Protocol):
    """What these operations need from the program around them."""

    cwd: str
    environ: Mapping[str, str]


class GitDiffRequest(Request):
    """The words that git hands to an external diff."""

    words: tuple[str, ...] = argument(
        "path, old file, its object and mode, new file, its object and mode, as git gives them",
        metavar="WORD",
    )


class GitDiffResult(Value):
    """The comparison; `lines` are those that git would print above it. Where the files are no
    notebooks, `texts` are what they hold.
    """

    lines: tuple[str, ...]
    file: ComparedFile | None = None
    texts: tuple[str, str] | None = None

    def to_json(self) -> Any:
        return self.file.to_json() if self.file is not None else None


async def git_diff(request: GitDiffRequest, context: DriverContext) -> GitDiffResult:
    """Compare two versions of a file as git hands them over."""
    words = request.words
    if len(words) == 1:
        return GitDiffResult((f"* Unmerged path {words[0]}",))
    if len(words) not in (7, 9):
        raise UsageError(
            "wrong-argument",
            f"git gives 7 words, or 9 for a renamed file; these are {len(words)}",
            place="octavo git-diff",
            hint="git config diff.octavo.command 'octavo git-diff --'",
        )
    path, old, _, _, new, _, _, *renamed = words
    called = renamed[0] if renamed else path
    lines = (f"diff --octavo a/{path} b/{called}", *(renamed[1].splitlines() if renamed else ()))
    sides = [_content(old, path, context.cwd), _content(new, called, context.cwd)]
    if (old == path) != (new == called):
        sides[old != path] = _as_stored(sides[old != path], context)
    try:
        found = compared(called, "", read_sides(*sides), frozenset())
    except (OctavoError, RecursionError):
        texts = ["" if side is None else side.data.decode("utf-8", "replace") for side in sides]
        return GitDiffResult(lines, None, (texts[0], texts[1]))
    return GitDiffResult(lines, found)


def _as_stored(side: Content | None, context: DriverContext) -> Content | None:
    """A file of the folder without what git's filter would take out of it.

    Git hands it over as it lies there, even to tell what is staged.
    """
    if side is None:
        return None
    asked = ("check-attr", "-z", "filter", "--", side.place)
    told = Git(context.cwd, context.environ).maybe(*asked) or ""
    if told.split("\0")[2:3] != ["octavo"]:
        return side
    try:
        return side.replace(data=cleaned_bytes(side.data))
    except NotANotebook:
        return side


def _content(file: str, path: str, cwd: str) -> Content | None:
    if file in _ABSENT:
        return None
    with open(os.path.join(cwd, file), "rb") as opened:
        return Content(path if is_notebook_name(path) else f"{path}.ipynb", opened.read(), path)


class GitTextconvRequest(Request):
    """The file that git wants to have as text."""

    file: str = argument("a file that holds a notebook", metavar="FILE")


class GitTextconvResult(Value):
    """A notebook to be shown as text; where it is none, what the file holds."""

    document: dict[str, Any] | None
    text: str = ""

    def __repr__(self) -> str:
        return "GitTextconvResult()"

    def to_json(self) -> Any:
        return {"document": self.document, "text": self.text}


async def git_textconv(request: GitTextconvRequest, context: DriverContext) -> GitTextconvResult:
    """Read a notebook for git."""
    content = _content(request.file, request.file, context.cwd)
    if content is None:
        return GitTextconvResult(None)
    try:
        return GitTextconvResult(read_sides(None, content).new)
    except (OctavoError, RecursionError):
        return GitTextconvResult(None, content.data.decode("utf-8", "replace"))
