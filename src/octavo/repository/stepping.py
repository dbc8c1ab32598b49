"""A text and its `.ipynb` brought into step in what is committed, whatever lies in the folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from octavo.authoring.conflicts import conflict, no_common_state
from octavo.authoring.files import replace_file
from octavo.authoring.pairs import Pair
from octavo.authoring.sides import generate, portable, same_content
from octavo.authoring.syncing import rewritten
from octavo.errors import ConflictError, NotebookError, OctavoError
from octavo.git.repository import Repository
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.merge import Merged, merge
from octavo.notebook.model import Notebook
from octavo.repository.staged import Entry, Index, read_blob
from octavo.sources import SourceFile
from octavo.value import Value


class Step(Value):
    """What a pair is committed as; None for a side that stays as it was staged."""

    script: Entry
    notebook: Entry
    new_script: str | None
    new_notebook: str | None
    #: Both sides as they were staged.
    staged: tuple[SourceFile, SourceFile]

    def contents(self) -> dict[Entry, bytes]:
        sides = ((self.script, self.new_script), (self.notebook, self.new_notebook))
        return {entry: ipynb.encode(text) for entry, text in sides if text is not None}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.contents())


def plan_step(repository: Repository, script: Entry, notebook: Entry) -> Step | None:
    """What is to be committed of a pair; None when it is in step already.

    ConflictError when that needs a person, NotebookError when a side cannot be read.
    """
    text, other = _read(repository, script), _read(repository, notebook)
    ours = portable(text.notebook, text.notebook)
    theirs = portable(other.notebook, text.notebook)
    if same_content(ours, theirs):
        return None
    pair = Pair(Path(script.name), Path(notebook.name))
    bases = _bases(repository, script, notebook, ours, theirs, text.notebook)
    merged = _merged(pair, bases, ours, theirs)
    new_script = None if same_content(merged, ours) else rewritten(text, merged)
    new_notebook = None
    if not same_content(merged, theirs):
        source = formats.read(new_script, script.name) if new_script else text.notebook
        new_notebook = ipynb.dumps(generate(source, ipynb.parse(other.text, notebook.name)))
    return Step(script, notebook, new_script, new_notebook, (text, other))


def _read(repository: Repository, entry: Entry) -> SourceFile:
    content = read_blob(repository.git, entry.blob)
    return _source(entry.name, content)


def _source(name: str, content: bytes) -> SourceFile:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        hint = "save it as UTF-8"
        raise NotebookError("notebook-encoding", "not UTF-8 text", place=name, hint=hint) from None
    return SourceFile(name, text, formats.read(text, name))


def _bases(
    repository: Repository,
    script: Entry,
    notebook: Entry,
    ours: Notebook,
    theirs: Notebook,
    header: Notebook,
) -> Iterator[Notebook]:
    """States that both sides came from, the surest first."""
    for revision in ("HEAD", "MERGE_HEAD"):
        if repository.commit(revision) is None:
            continue
        before = _at(repository, revision, script.name, header)
        other = _at(repository, revision, notebook.name, header)
        if before is not None and other is not None:
            if same_content(before, other):
                yield other
            elif same_content(before, ours):
                yield ours
            elif same_content(other, theirs):
                yield theirs
        elif before is not None or other is not None:
            yield before or other or ours


def _at(repository: Repository, revision: str, name: str, header: Notebook) -> Notebook | None:
    content = repository.read(revision, name)
    if content is None:
        return None
    try:
        return portable(_source(name, content).notebook, header)
    except OctavoError:
        return None


def _merged(pair: Pair, bases: Iterator[Notebook], ours: Notebook, theirs: Notebook) -> Notebook:
    first: Merged | None = None
    for base in bases:
        merged = merge(base, ours, theirs)
        if merged.clean:
            return merged.notebook
        first = first or merged
    raise no_common_state(pair) if first is None else conflict(pair, first, theirs)


def take(repository: Repository, index: Index, step: Step) -> list[str]:
    """Put a step into the index, and into the folder; the files there that could not follow."""
    index.put(step.contents())
    left: list[str] = []
    for staged, new in zip(step.staged, (step.new_script, step.new_notebook), strict=True):
        if new is not None and not _follow(repository, staged, new, step.staged[0].notebook):
            left.append(staged.path)
    return left


def _follow(repository: Repository, staged: SourceFile, new: str, header: Notebook) -> bool:
    """Bring a file of the folder along; edits in it that are not staged stay. False: it cannot."""
    path = repository.top / staged.path
    try:
        content = path.read_bytes()
        here = _source(staged.path, content)
        there = formats.read(new, staged.path)
        merged = merge(
            portable(staged.notebook, header),
            portable(here.notebook, header),
            portable(there, header),
        )
        if not merged.clean:
            return False
        text = _with_cells(here, merged.notebook, header)
        replace_file(path, ipynb.encode(text), content)
    except FileNotFoundError:
        return True
    except (OSError, OctavoError):
        return False
    return True


def _with_cells(here: SourceFile, merged: Notebook, header: Notebook) -> str:
    """A file of the folder with other cells; an `.ipynb` keeps the outputs that it has."""
    if here.format == "ipynb":
        script = Notebook(merged.cells, {**header.metadata, **merged.metadata})
        return ipynb.dumps(generate(script, ipynb.parse(here.text, here.path)))
    return rewritten(here, merged)


def refuse_partial(step: Step) -> ConflictError:
    """The error for a commit of named files that would leave the pair out of step."""
    names = f"{step.script.name} {step.notebook.name}"
    return ConflictError(
        "out-of-step",
        f"{step.script.name} and {step.notebook.name} differ in what is committed",
        place=step.script.name,
        hint=f"octavo sync {step.script.name}, then git commit -- {names} "
        "(--no-verify skips this check)",
    )
