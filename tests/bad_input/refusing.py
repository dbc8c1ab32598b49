"""What must hold of every command that is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from octavo.errors import KINDS
from octavo.render.columns import plain

Main = Callable[[list[str]], tuple[int, str, str]]


class Refusal(NamedTuple):
    """An error as a person and as a machine see it."""

    code: int
    kind: str
    message: str
    place: str
    hint: str
    told: str


class Folder:
    """A folder of files, and the command line in it."""

    def __init__(self, path: Path, main: Main) -> None:
        self.path = path
        self._main = main

    def write(self, name: str, content: str | bytes) -> Path:
        """A file with this content; folders on the way are made."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def __call__(self, *words: object) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of a command."""
        return self._main([str(word) for word in words])

    def refuses(self, *words: object) -> Refusal:
        """The error of a command that is refused: told both ways, and nothing has changed."""
        before = self._all()
        code, out, told = self(*words)
        as_json, written, told_too = self(words[0], "--json", *words[1:])
        assert self._all() == before, "a refused command changed something"
        assert code == as_json, "the exit code does not depend on --json"
        assert out == "", "standard output is for data"
        assert told_too == "", "with --json the error is data"
        error = json.loads(written)["error"]
        _check_error(error, told)
        place = error["place"] or ""
        return Refusal(code, error["kind"], error["message"], place, error["hint"], told)

    def _all(self) -> dict[str, tuple[object, ...]]:
        """Everything in the folder: names, kinds, rights, content."""
        found: dict[str, tuple[object, ...]] = {}
        for folder, folders, files in os.walk(self.path):
            for name in (*folders, *files):
                path = Path(folder, name)
                status = path.lstat()
                plain = path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)
                content = path.read_bytes() if plain else b""
                changed = 0 if path.is_dir() else status.st_mtime_ns
                found[str(path)] = (status.st_mode, changed, content)
        return found


def _check_error(error: dict[str, Any], told: str) -> None:
    assert error["kind"] in KINDS
    assert error["kind"] != "internal", error["message"]
    assert error["message"]
    assert error["hint"], "every error says what to do next"
    assert plain(error["message"].splitlines()[0]) in told
    assert f"hint: {plain(error['hint'])}" in told
    assert "Traceback" not in told
