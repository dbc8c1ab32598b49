"""The files that a repository with notebooks has: configuration, a page for people, a folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from octavo.git.repository import Repository
from octavo.repository.blocks import bytes_of, outside_block, text_of, with_block
from octavo.repository.changes import Change, content_of, file_change

PAGE = "docs/NOTEBOOK_WORKFLOW.md"
CONFIGURATION = "octavo.toml"
IGNORE = ".gitignore"
KEEP = ".gitkeep"
_ABOUT = "records of runs stay here"


def template(name: str) -> bytes:
    """A file as `init` writes it."""
    return (files("octavo.repository") / "templates" / name).read_bytes()


def plan_files(repository: Repository, folders: Sequence[str]) -> list[Change]:
    """The files that are missing; what is there belongs to people, and stays."""
    top = repository.top
    changes: list[Change] = []
    if not _is_configured(top):
        changes += _new(top, CONFIGURATION, template("octavo.toml"))
    changes += _new(top, PAGE, template("NOTEBOOK_WORKFLOW.md"))
    for folder in folders:
        if not (top / folder).exists():
            changes += _new(top, f"{folder}/{KEEP}", b"")
    return [*changes, *_ignore(top)]


def _new(top: Path, name: str, content: bytes) -> list[Change]:
    path = top / name
    if path.exists() or path.is_symlink():
        return []
    return file_change(path, name, None, content)


def _is_configured(top: Path) -> bool:
    return b"[tool.octavo" in (content_of(top / "pyproject.toml") or b"")


def _ignore(top: Path) -> list[Change]:
    path = top / IGNORE
    before = content_of(path)
    text = text_of(before)
    theirs = {line.strip().strip("/") for _, line in outside_block(text)}
    if ".octavo" in theirs:
        return []
    return file_change(path, IGNORE, before, bytes_of(with_block(text, _ABOUT, [".octavo/"])))
