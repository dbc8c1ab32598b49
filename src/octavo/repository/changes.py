"""Changes to a repository's set-up: planned as values first, shown or made afterwards."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.authoring.files import replace_file
from octavo.errors import UsageError
from octavo.git.program import Git
from octavo.value import Value


class FileChange(Value):
    """A file with another content; None where there is none. `name` is what people call it."""

    path: Path
    name: str
    before: bytes | None
    after: bytes | None
    executable: bool = False

    @property
    def what(self) -> str:
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "file": self.name, "diff": "\n".join(self.lines())}

    def lines(self) -> list[str]:
        """What changes, as a diff."""
        from difflib import unified_diff

        before, after = (
            (content or b"").decode("utf-8", "replace").splitlines()
            for content in (self.before, self.after)
        )
        return list(unified_diff(before, after, lineterm="", n=1))[2:]

    def refuse_unwritable(self) -> None:
        """An error when the change cannot be made, before anything has been."""
        refuse_unwritable(self.path)

    def make(self) -> None:
        if self.after is None:
            with suppress(FileNotFoundError):
                self.path.unlink()
            _remove_empty(self.path.parent)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.path, self.after, self.before)
        if self.executable:
            mode = stat.S_IMODE(self.path.stat().st_mode)
            self.path.chmod(mode | (mode & 0o444) >> 2)


def _remove_empty(folder: Path) -> None:
    """A folder that a file was made in goes with it, unless something else is there."""
    made = ("notebooks", "docs", "workflows", ".gitea", ".github")
    while folder.name in made:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def refuse_unwritable(path: Path) -> None:
    """An error where a file may not be written, also for a user whom nothing is forbidden."""
    nearest = next(each for each in (path, *path.parents) if each.exists())
    why = ""
    if path.is_symlink():
        why = "it is a link, and git does not follow those"
    elif nearest != path and not nearest.is_dir():
        why = f"{nearest} is not a folder"
    elif path.is_dir():
        why = "it is a folder"
    elif not os.access(nearest, os.W_OK) or not nearest.stat().st_mode & 0o222:
        why = "it is read-only" if nearest == path else f"{nearest} is read-only"
    if why:
        raise UsageError(
            "setup",
            f"cannot be written: {why}",
            place=str(path),
            hint="mend that, and run the command again; nothing has been changed",
        )


class ConfigChange(Value):
    """A setting of git with another value; None where there is none."""

    git: Git
    scope: str
    key: str
    before: str | None
    after: str | None
    _uncompared = ("git",)

    @property
    def what(self) -> str:
        return "unset" if self.after is None else "set"

    @property
    def name(self) -> str:
        return f"git config {'--global ' if self.scope == '--global' else ''}{self.key}"

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "config": self.key, "value": self.after}

    def lines(self) -> list[str]:
        old = [] if self.before is None else [f"-{self.before}"]
        return old + ([] if self.after is None else [f"+{self.after}"])

    def refuse_unwritable(self) -> None:
        """Git says itself when it cannot."""

    def make(self) -> None:
        if self.after is None:
            self.git.call("config", self.scope, "--unset-all", self.key)
        else:
            self.git.run("config", self.scope, "--replace-all", self.key, self.after)


Change = FileChange | ConfigChange


class Planned(Value):
    """All changes, and what a person should know besides."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    def make(self) -> None:
        """Make all changes; none, when it is plain beforehand that one cannot be made."""
        for change in self.changes:
            change.refuse_unwritable()
        for change in self.changes:
            change.make()


def file_change(
    path: Path, name: str, before: bytes | None, after: bytes | None, *, executable: bool = False
) -> list[Change]:
    """The change of a file; none when there is nothing to change."""
    if before == after:
        return []
    return [FileChange(path, name, before, after, executable)]


def content_of(path: Path) -> bytes | None:
    """What is in a file; None where there is none."""
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            raise OSError(errno.EINVAL, "Not a file")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(
            "setup",
            f"cannot be read: {(error.strerror or str(error)).lower()}",
            place=str(path),
            hint="mend that, and run the command again; nothing has been changed",
        ) from error
