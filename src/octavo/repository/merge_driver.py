"""`octavo git-merge`: what git calls to merge a notebook, and people by hand.

Whatever happens, git gets an answer that loses no side: a file that is not a notebook, or that
cannot be merged by cell, is merged as git itself would.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from octavo.authoring.files import replace_file
from octavo.errors import OctavoError, UsageError
from octavo.git.program import Git
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.merging.files import MergedText, merge_texts
from octavo.notebook.merging.marks import Labels
from octavo.repository.cleaning import clean
from octavo.requests import Request, argument, option
from octavo.value import Value

STANDARD = "-"
#: Git takes a higher number for a failure of the driver.
_MOST_CONFLICTS = 127
#: What base, ours and theirs are called, and how git is asked for better names.
_CALLED = {"base": "%S", "ours": "%X", "theirs": "%Y"}


class MergeContext(Protocol):
    """What the operation needs from the program around it."""

    cwd: str
    environ: Mapping[str, str]

    @property
    def emit(self) -> Callable[[Any], None]: ...


class GitMergeRequest(Request):
    """Three versions of one file, as git hands them to a merge driver."""

    base: str = argument("the common ancestor; empty when there is none (git: %O)")
    ours: str = argument("our version, which becomes the merged file (git: %A)")
    theirs: str = argument("their version (git: %B)")
    size: int = argument("length of conflict marks (git: %L)", default=7)
    path: str = argument(
        "the file's name, which tells the format; that of OURS if left out (git: %P)", default=""
    )
    labels: tuple[str, ...] = argument(
        "what BASE, OURS and THEIRS are called (git 2.45 and later: %S %X %Y)",
        metavar="LABEL",
        default=(),
    )
    output: str | None = option(
        "-o", "--output", help="write there, not to OURS; - for standard output", metavar="PATH"
    )


class GitMerged(Value):
    """How it went. `by_cell` is False where the file was merged as git merges text.

    `text` is what was asked for on standard output.
    """

    path: str
    conflicts: int
    by_cell: bool
    text: str | None = None

    @property
    def exit_code(self) -> int:
        return 1 if self.conflicts else 0

    def to_json(self) -> dict[str, Any]:
        shown = {"path": self.path, "clean": not self.conflicts, "conflicts": self.conflicts}
        text = {} if self.text is None else {"text": self.text}
        return {**shown, "by_cell": self.by_cell, **text}


async def git_merge(request: GitMergeRequest, context: MergeContext) -> GitMerged:
    """Merge three versions of a file into the second one, or where `output` says."""
    versions = [Path(context.cwd, name) for name in (request.base, request.ours, request.theirs)]
    contents = [_read(path) for path in versions]
    name = request.path.removeprefix("./") or request.ours
    called = _labels(request.labels)
    merged = _merged_by_cell(contents, name, Labels(called[1], called[2], max(request.size, 7)))
    git = Git(context.cwd, context.environ)
    if merged is not None:
        content, conflicts = ipynb.encode(merged.text), merged.conflicts
        if request.path and not conflicts:
            content = _as_stored(git, name, content)
    else:
        content, conflicts = _merged_by_git(git, versions, called, request.size)
    text = None
    if request.output == STANDARD:
        text = content.decode("utf-8", "replace")
    elif request.output or content != contents[1]:
        replace_file(Path(context.cwd, request.output or request.ours), content)
    return GitMerged(name, conflicts, merged is not None, text)


def _as_stored(git: Git, name: str, content: bytes) -> bytes:
    """What git's filter leaves of a merged file: git does not ask it in a merge.

    Where one side has committed outputs without it, they would come in by the merge, and git would
    then hold the file for changed at once.
    """
    stored = clean(content) if name.endswith(".ipynb") else content
    if stored == content:
        return content
    told = git.maybe("check-attr", "-z", "filter", "--", name) or ""
    return stored if told.split("\0")[2:3] == ["octavo"] else content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            "notebook-unreadable",
            (error.strerror or str(error)).lower(),
            place=str(path),
            hint="name three files: octavo git-merge BASE OURS THEIRS",
        ) from error


def _labels(told: tuple[str, ...]) -> list[str]:
    """Names of base, ours and theirs, each on one line.

    Older versions of git leave the `%X` that asks for one as it is.
    """
    if len(told) > len(_CALLED):
        hint = "octavo git-merge BASE OURS THEIRS SIZE PATH and three labels"
        raise UsageError("wrong-argument", f"{told[3]!r} is one argument too many", hint=hint)
    lines = [" ".join(each.split())[:80].replace("<", "(").replace(">", ")") for each in told]
    return [
        lines[at] if at < len(lines) and lines[at] not in ("", sign) else usual
        for at, (usual, sign) in enumerate(_CALLED.items())
    ]


def _merged_by_cell(contents: list[bytes], name: str, labels: Labels) -> MergedText | None:
    """The merged text; None where this is no notebook, or nothing that can be merged as one."""
    try:
        base, ours, theirs = (content.decode("utf-8") for content in contents)
        if not formats.is_notebook_name(name) or not ours.strip() or not theirs.strip():
            return None
        if _is_plain(ours, name) and _is_plain(theirs, name):
            return None
        return merge_texts(base if base.strip() else None, ours, theirs, name, labels)
    except (OctavoError, ValueError, RecursionError):
        return None
    except Exception:
        # A mistake of ours: the merge must go on all the same, and both sides stay.
        return None


def _is_plain(text: str, name: str) -> bool:
    """Whether a file with the name of a notebook is a module, or a page without code."""
    if formats.suffix_of(name) == ".ipynb":
        return False
    if formats.suffix_of(name) == ".md":
        from octavo.notebook.formats.markdown.header import declares_notebook

        cells = formats.read(text, name).cells
        return not declares_notebook(text) and all(cell.kind != "code" for cell in cells)
    from octavo.notebook.formats.percent.markers import is_marker

    return not any("#" in line and is_marker(line) for line in text.splitlines())


def _merged_by_git(
    git: Git, versions: list[Path], called: list[str], size: int
) -> tuple[bytes, int]:
    """What `git merge-file` makes of it. What it cannot merge stays ours, as a conflict."""
    base, ours, theirs = (os.path.abspath(path) for path in versions)
    labels = ("-L", called[1], "-L", called[0], "-L", called[2])
    code, out, _ = git.call(
        "merge-file", "-p", f"--marker-size={size}", *labels, ours, base, theirs
    )
    return (out, code) if 0 <= code <= _MOST_CONFLICTS else (_read(versions[1]), 1)
