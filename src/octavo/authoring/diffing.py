"""The `diff` operation: what changed between two versions of notebooks, files or revisions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from octavo.authoring.diff_sides import Content, Sides, read_sides
from octavo.authoring.diff_targets import Asked, targets
from octavo.authoring.diff_versions import Target, Version
from octavo.authoring.pairs import is_text_notebook
from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.git.program import Git
from octavo.notebook.diff import PARTS, Changes, Diff, changes, diff
from octavo.notebook.formats import format_for
from octavo.requests import Request, argument, option
from octavo.sources import read_text
from octavo.value import Value

_COMPARED = "What is compared"
_SHORT = {"sources": "s", "outputs": "o", "metadata": "m", "attachments": "a", "ids": "i",
          "details": "d"}  # fmt: skip


class DiffContext(Protocol):
    """What this operation needs from the program around it."""

    cwd: str

    @property
    def environ(self) -> Mapping[str, str]: ...


def _only(part: str) -> Any:
    flags = (f"-{_SHORT[part]}", f"--{part}")
    return option(*flags, help=f"only {part}, as nbdiff spells it", default=False, hidden=True)


def _without(part: str) -> Any:
    flags = (f"-{_SHORT[part].upper()}", f"--ignore-{part}", f"--no-{part}")
    return option(*flags, help=f"all but {part}", default=False, hidden=True)


class DiffRequest(Request):
    """What to compare, and which parts of it."""

    words: tuple[str, ...] = argument(
        "two notebooks, or one of them as it is now and in git; revisions (`main`, `main..branch`, "
        "`main...branch`, `main:nb.py`); nothing: all notebooks against HEAD",
        metavar="WHAT",
        default=(),
    )
    paths: tuple[str, ...] = option(
        "--", help="from here on: only these files and folders", default=(), metavar="PATH"
    )
    staged: bool = option(
        "--staged", "--cached", help="what is staged, instead of the files", default=False
    )
    both: bool = option(
        "--both",
        help="also an .ipynb whose .py or .md has changed too",
        default=False,
        group=_COMPARED,
    )
    ignore: tuple[str, ...] = option(
        "--ignore",
        help=f"leave a part out: {', '.join(PARTS)} (the execution count)",
        default=(),
        metavar="PART",
        group=_COMPARED,
    )
    only: tuple[str, ...] = option(
        "--only", help="only this part", default=(), metavar="PART", group=_COMPARED
    )
    exit_code: bool = option(
        "--exit-code", help="end with 1 if there are differences", default=False
    )
    only_sources: bool = _only("sources")
    only_outputs: bool = _only("outputs")
    only_metadata: bool = _only("metadata")
    only_attachments: bool = _only("attachments")
    only_ids: bool = _only("ids")
    only_details: bool = _only("details")
    no_sources: bool = _without("sources")
    no_outputs: bool = option(
        "-O", "--no-outputs", "--ignore-outputs", help="leave outputs out", default=False,
        group=_COMPARED,
    )  # fmt: skip
    no_metadata: bool = _without("metadata")
    no_attachments: bool = _without("attachments")
    no_ids: bool = _without("ids")
    no_details: bool = _without("details")

    def ignored(self) -> frozenset[str]:
        """The parts that are left out."""
        only = {*_parts(self.only), *(p for p in PARTS if getattr(self, f"only_{p}"))}
        without = {*_parts(self.ignore), *(p for p in PARTS if getattr(self, f"no_{p}"))}
        return frozenset(without | ({*PARTS} - only if only else set()))


def _parts(given: Sequence[str]) -> Iterator[str]:
    for word in (part.strip() for each in given for part in each.split(",")):
        known = next((part for part in PARTS if word and part.startswith(word.rstrip("s"))), None)
        if known is None:
            hint = f"the parts are {', '.join(PARTS)}"
            message = f"there is no part {word!r}"
            raise UsageError("wrong-argument", message, place="octavo diff", hint=hint)
        yield known


class ComparedFile(Value):
    """Two versions of a notebook; `problem` says why they cannot be compared."""

    title: str
    sides: str
    old: dict[str, Any] | None = None
    new: dict[str, Any] | None = None
    ignore: frozenset[str] = frozenset()
    note: str = ""
    problem: OctavoError | None = None

    @cached_property
    def changes(self) -> Changes:
        """What became of each cell."""
        return changes(self.old, self.new, self.ignore)

    @cached_property
    def diff(self) -> Diff:
        """What makes the new one of the old one, in nbdime's format."""
        nothing = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return diff(self.old or nothing, self.new or nothing, self.ignore)

    @property
    def differs(self) -> bool:
        return bool(self.changes) or bool(self.diff)

    def __repr__(self) -> str:
        # asyncio spells the result of every command out; a notebook's outputs take a second.
        return f"ComparedFile({self.title!r})"

    def to_json(self) -> Any:
        return self.diff if self.problem is None else {"error": self.problem.to_json()}


class DiffResult(Value):
    """What was compared. `single` says that it was one file, asked for by name."""

    files: tuple[ComparedFile, ...]
    single: bool
    strict: bool = False

    @property
    def exit_code(self) -> int:
        if any(each.problem is not None for each in self.files):
            return UsageError.exit_code
        return int(self.strict and any(each.differs for each in self.files))

    def to_json(self) -> Any:
        """nbdime's diff; of several files, by their paths."""
        if self.single:
            return self.files[0].to_json()
        return {each.title: each.to_json() for each in self.files}


async def diff_notebooks(request: DiffRequest, context: DiffContext) -> DiffResult:
    """Compare what was asked for."""
    ignore = request.ignored()
    asked = Asked(
        request.words,
        request.paths,
        staged=request.staged,
        cwd=context.cwd,
        environ=context.environ,
    )
    found = targets(asked)
    single = len(found) == 1 and found[0].named
    chosen = found if request.both else [*_without_generated(found)]
    contents = _Contents(chosen, Git(context.cwd, context.environ))
    if single:
        return DiffResult((_compared(found[0], contents, ignore),), True, request.exit_code)
    files = [_attempted(each, contents, ignore) for each in chosen if _is_notebook(each, contents)]
    told = tuple(each for each in files if each.problem is not None or each.differs)
    return DiffResult(told, False, request.exit_code)


def _without_generated(found: Sequence[Target]) -> Iterator[Target]:
    """Without `.ipynb` files whose text changed too, unless they were asked for."""
    texts = {each.title.rpartition(".")[0] for each in found if not each.title.endswith(".ipynb")}
    for each in found:
        generated = each.title.endswith(".ipynb") and each.title[: -len(".ipynb")] in texts
        if each.named or not generated:
            yield each


class _Contents:
    """What files hold; objects of git are read all at once."""

    def __init__(self, found: Sequence[Target], git: Git) -> None:
        versions = [side for each in found for side in (each.old, each.new) if side is not None]
        self._objects = _objects(git, {each.object for each in versions if each.object})

    def of(self, version: Version | None) -> Content | None:
        if version is None:
            return None
        if version.object:
            format_for(version.path)
            return Content(version.path, self._objects[version.object], version.name)
        return _read(version.path, version.name)


def _read(path: str, name: str) -> Content:
    """What a file of this system holds."""
    format_for(path)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return Content(path, file.read(), name)
    return Content(path, read_text(path).encode(), name)


def _objects(git: Git, names: set[str]) -> dict[str, bytes]:
    if not names:
        return {}
    listed = sorted(names)
    out = git.run("cat-file", "--batch", input="".join(f"{n}\n" for n in listed).encode())
    found, at = {}, 0
    for name in listed:
        end = out.index(b"\n", at)
        size = int(out[at:end].split(b" ")[2])
        found[name] = out[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
    return found


def _is_notebook(target: Target, contents: _Contents) -> bool:
    """Whether a file that git listed is a notebook: scripts and documents mostly are none."""
    if target.named:
        return True
    try:
        sides = [contents.of(each) for each in (target.old, target.new)]
    except (OctavoError, OSError):
        return True
    return any(each is not None and _is_one(each) for each in sides)


def _is_one(content: Content) -> bool:
    return content.is_ipynb or is_text_notebook(Path(content.path), content.data)


def _attempted(target: Target, contents: _Contents, ignore: frozenset[str]) -> ComparedFile:
    try:
        return _compared(target, contents, ignore)
    except OctavoError as problem:
        return ComparedFile(target.title, target.sides, problem=problem)


def _compared(target: Target, contents: _Contents, ignore: frozenset[str]) -> ComparedFile:
    if target.unmerged and target.new is None:
        raise ConflictError(
            "merge-conflict", "it is not merged yet", place=target.title, hint=target.unmerged
        )
    old, new = contents.of(target.old), contents.of(target.new)
    found = compared(target.title, target.sides, read_sides(old, new), ignore, target.filtered)
    if not target.unmerged:
        return found
    note = f"{target.title} is not merged yet ({target.unmerged})"
    return found.replace(note="; ".join(filter(None, [note, found.note])))


def compare_files(old: str, new: str) -> ComparedFile:
    """Two files of this system, of any formats."""
    sides = read_sides(*(_read(path, path) for path in (old, new)))
    return compared(new, f"{old} → {new}", sides, frozenset())


def compared(
    title: str, sides: str, read: Sides, ignore: frozenset[str], filtered: str = ""
) -> ComparedFile:
    """Two versions that were read, without the parts that are not wanted or not held."""
    unheld, note = read.ignore, ""
    if filtered and read.old is not None and read.new is not None:
        unheld |= {"outputs", "details"}
        note = f"outputs are not committed here (filter {filtered}): they are not compared"
    elif "outputs" in unheld:
        note = "a text file holds no outputs: they are not compared"
    return ComparedFile(title, sides, read.old, read.new, ignore | unheld, note)
