"""What is proposed: the files of a notebook as they are in the work tree, in step."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from octavo.authoring.base import Bases
from octavo.authoring.pairs import Pair, find_pairs
from octavo.authoring.syncing import plan
from octavo.errors import OctavoError, UsageError
from octavo.git.repository import Repository
from octavo.proposals.context import ProposalContext
from octavo.repository.cleaning import clean
from octavo.sources import SourceFile, read_source
from octavo.value import Value


class Change(Value):
    """Files by their names in the repository, with the content that is to be committed.

    `source` is the notebook that is run, `left_alone` are other files with changes.
    """

    name: str
    source: SourceFile
    files: Mapping[str, bytes | None]
    left_alone: tuple[str, ...] = ()

    @property
    def formerly(self) -> str:
        """The name that the notebook had: of the pair of files that goes with this change."""
        suffix = os.path.splitext(self.name)[1]
        gone = [name for name, content in self.files.items() if content is None]
        for name in gone:
            stem, ending = os.path.splitext(name)
            if ending == suffix and f"{stem}.ipynb" in gone:
                return name
        return ""


def change_of(
    path: str, also: Iterable[str], repository: Repository, context: ProposalContext
) -> Change:
    """The notebook at a path, brought into step with its `.ipynb`, and other files beside it."""
    absolute = _without_links(Path(os.path.normpath(Path(context.cwd) / path)), repository)
    source, paths = _in_step(absolute, context)
    files: dict[str, bytes | None] = {}
    for each in paths:
        name = repository.name_of(each)
        if not _is_left_out(name, repository):
            files[name] = _committed(each)
    for said in also:
        other = Path(os.path.normpath(Path(context.cwd) / said))
        if not other.is_symlink():
            other = _without_links(other, repository)
        files[repository.name_of(other)] = _other(other, said)
    name = repository.name_of(source.path)
    if name not in files:
        raise UsageError(
            "wrong-argument",
            "git is told to ignore this notebook",
            place=name,
            hint="take it out of .gitignore, or put the notebook somewhere else",
        )
    left = tuple(changed for changed in repository.dirty() if changed not in files)
    return Change(name, source, files, left)


def _without_links(path: Path, repository: Repository) -> Path:
    """The file itself, where links of the repository lead to it: git keeps those as they are."""
    name = repository.name_of(path)
    real = Path(os.path.realpath(path))
    return path if repository.name_of(real) == name else real


def _in_step(path: Path, context: ProposalContext) -> tuple[SourceFile, list[Path]]:
    """The text of a notebook, and all its files, after the `.ipynb` was made anew."""
    pair = _pair_of(path)
    if pair is None:
        return read_source(path), [path]
    bases = Bases(context.project)
    plan(pair, bases).carry_out(bases)
    return read_source(pair.script), [pair.script, pair.notebook]


def _pair_of(path: Path) -> Pair | None:
    """The text and the `.ipynb` that a file is one of; None for a file that stands alone."""
    if path.suffix not in (".py", ".md", ".ipynb"):
        read_source(path)  # which tells what is wrong with it
    alone = path.suffix == ".ipynb" and not any(
        path.with_suffix(suffix).exists() for suffix in (".py", ".md")
    )
    if alone or not path.exists():
        read_source(path)
        return None
    try:
        return find_pairs([str(path)], str(path.parent))[0]
    except OctavoError:
        if path.suffix == ".md":
            return None
        raise


def _committed(path: Path) -> bytes:
    content = path.read_bytes()
    return clean(content) if path.suffix == ".ipynb" else content


def _is_left_out(name: str, repository: Repository) -> bool:
    """A generated file that git ignores is not committed, unless it is there already."""
    tracked = repository.git.succeeds("ls-files", "--error-unmatch", "--", f":(literal){name}")
    return not tracked and repository.is_ignored(name)


def _other(path: Path, said: str) -> bytes | None:
    if path.is_symlink():
        hint = "name the file that it points to; commit the link itself with git"
        raise UsageError("wrong-argument", "--also takes no links", place=said, hint=hint)
    if path.is_dir():
        hint = "name the files in it"
        raise UsageError("wrong-argument", "--also takes files", place=said, hint=hint)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        message = (error.strerror or str(error)).lower()
        hint = "check the path and its permissions"
        raise UsageError("wrong-argument", message, place=said, hint=hint) from error
