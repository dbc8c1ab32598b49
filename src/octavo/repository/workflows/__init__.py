"""Workflows by which a forge checks notebooks: `octavo init --ci`."""

from __future__ import annotations

import json
from importlib.resources import files

from octavo.git.remotes import remote_of
from octavo.git.repository import Repository
from octavo.repository.changes import Change, content_of, file_change
from octavo.repository.memory import Remembered, digest
from octavo.version import VERSION

#: Gitea reads the first and ignores the second, which GitHub reads.
NAMES = (".gitea/workflows/notebook-ci.yml", ".github/workflows/notebook-ci.yml")
#: Reads a project's `uv.lock` or `pylock.toml`, so it is pinned too.
_UV = "0.13.7"


def workflow(branch: str) -> bytes:
    """The workflow for a repository whose default branch has this name."""
    text = (files(__name__) / "notebook-ci.yml").read_text("utf-8")
    for mark, value in (("VERSION", VERSION), ("UV", _UV), ("BRANCH", json.dumps(branch))):
        text = text.replace(f"@{mark}@", value)
    return text.encode()


def plan_workflows(
    repository: Repository, known: dict[str, Remembered]
) -> tuple[list[Change], list[str]]:
    """The workflows that are missing, or that are as an earlier version wrote them.

    A file that a person has changed stays, which is told.
    """
    changes: list[Change] = []
    notes: list[str] = []
    wanted = workflow(_default_branch(repository))
    for name in NAMES:
        path = repository.top / name
        before = content_of(path)
        if before is None or _is_as_left(before, known.get(name)):
            changes += file_change(path, name, before, wanted)
        elif before != wanted:
            notes.append(
                f"{name} is not what this version writes: it stays; "
                "delete it, and `octavo init --ci` writes it anew"
            )
    return changes, notes


def _is_as_left(content: bytes, known: Remembered | None) -> bool:
    return known is not None and known.created and digest(content) == known.sha256


def _default_branch(repository: Repository) -> str:
    remote = remote_of(repository.git, None)
    return repository.default_branch(remote.name if remote else None)
