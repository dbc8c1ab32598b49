"""`octavo init --undo`: what init put into this clone goes, what it replaced comes back."""

from __future__ import annotations

from pathlib import Path

from octavo.git.repository import Repository
from octavo.repository.attributes import restore_settings
from octavo.repository.blocks import block_in, bytes_of, text_of, without_block
from octavo.repository.changes import Change, ConfigChange, Planned, content_of, file_change
from octavo.repository.files import IGNORE
from octavo.repository.hooks import unplan_hooks
from octavo.repository.launching import Program, configuration
from octavo.repository.memory import Memory, Remembered, digest

_BLOCKS = (".gitattributes", IGNORE)


def plan_undo(repository: Repository, memory: Memory) -> Planned:
    """All that init did in this clone, the other way round."""
    known = memory.files()
    changes: list[Change] = []
    notes: list[str] = []
    for name, each in known.items():
        if name.startswith(".git/hooks/"):
            continue
        path = _path(repository, name)
        changes += _file(path, name, each)
        if each.created and not changes_for(changes, path) and content_of(path) is not None:
            notes.append(f"{name} was changed since: it stays")
    notes += _shared(repository, known)
    hooks = unplan_hooks(repository, known)
    return Planned((*changes, *_configuration(repository), *hooks), tuple(notes))


def changes_for(changes: list[Change], path: Path) -> bool:
    """Whether one of the changes is about a file."""
    return any(getattr(change, "path", None) == path for change in changes)


def _path(repository: Repository, name: str) -> Path:
    """The file of a name; those of git itself are in the folder that worktrees share."""
    if name.startswith(".git/"):
        return repository.folder / name.removeprefix(".git/")
    return repository.top / name


def _file(path: Path, name: str, known: Remembered) -> list[Change]:
    before = content_of(path)
    if before is None:
        return []
    if known.created and digest(before) == known.sha256:
        return file_change(path, name, before, None)
    text = without_block(text_of(before), newline_was_missing=known.unended)
    after = restore_settings(text)
    gone = known.created and not after.strip()
    return file_change(path, name, before, None if gone else bytes_of(after))


def _configuration(repository: Repository) -> list[Change]:
    git = repository.git
    found = {
        key: git.maybe("config", "--local", "--get", key)
        for key in reversed(configuration(Program("")))
    }
    return [
        ConfigChange(git, "--local", key, value, None)
        for key, value in found.items()
        if value is not None
    ]


def _shared(repository: Repository, known: dict[str, Remembered]) -> list[str]:
    """Blocks that came with the repository and not from this clone."""
    left = [
        name
        for name in _BLOCKS
        if name not in known and block_in(text_of(content_of(repository.top / name))) is not None
    ]
    if not left:
        return []
    return [
        f"{' and '.join(left)}: the lines between `# octavo begin` and `# octavo end` came with "
        "the repository and stay; remove them for everybody by a commit"
    ]
