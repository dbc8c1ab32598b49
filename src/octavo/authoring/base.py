"""The state from which both sides of a pair went on: the last synced one, else one from git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from octavo.authoring.pairs import Pair
from octavo.authoring.sides import portable, same_content
from octavo.errors import OctavoError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.model import Notebook
from octavo.records.disk import replacing

_COMMITS = 50


class Bases:
    """Common states of pairs in a project. Synced ones are kept in `.octavo/sync`."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._folder = project / ".octavo" / "sync"

    def candidates(self, pair: Pair, script: Notebook, notebook: Notebook) -> Iterator[Notebook]:
        """States to merge from, the likeliest first.

        After the last sync a checkout or pull may have put both files into another state; then
        the one in HEAD is offered too.
        """
        stored = self._stored(pair)
        history = History(pair, script)
        if stored is None:
            found = history.common(notebook)
            if found is not None:
                yield found
            return
        base, head = stored
        yield portable(base, script)
        if head != history.head:
            found = history.in_step("HEAD")
            if found is not None:
                yield found

    def save(self, pair: Pair, script: Notebook, notebook: Notebook) -> None:
        """Remember the state that both sides are in now; `notebook` is the `.ipynb` side."""
        shared = portable(notebook, script)
        metadata = {**shared.metadata, "octavo": {"head": History(pair, script).head}}
        text = ipynb.write(Notebook(shared.cells, metadata))
        path = self._path(pair)
        if path.exists() and path.read_text("utf-8") == text:
            return
        self._make_folder()
        with replacing(path) as file:
            file.write(ipynb.encode(text))

    def _stored(self, pair: Pair) -> tuple[Notebook, str] | None:
        with suppress(OSError, ValueError, OctavoError):
            path = self._path(pair)
            stored = ipynb.read(path.read_text("utf-8"), str(path))
            return stored, str(stored.metadata["octavo"]["head"])
        return None

    def _path(self, pair: Pair) -> Path:
        name = os.path.relpath(pair.script, self._project).replace(os.sep, "/")
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self._folder / f"{pair.script.stem}-{digest}.ipynb"

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._project / ".octavo" / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")


class History:
    """A pair in git; empty where there is no git or no repository."""

    def __init__(self, pair: Pair, script: Notebook) -> None:
        self._pair = pair
        self._script = script

    @cached_property
    def head(self) -> str:
        """The commit that is checked out, "" when there is none."""
        return self._git("rev-parse", "--verify", "-q", "HEAD").decode().strip()

    def common(self, notebook: Notebook) -> Notebook | None:
        """The newest commit in which both files agree, or in which one is as the other is now.

        Else the file that HEAD has, when it has only one of the two.
        """
        if not self.head:
            return None
        log = self._git("log", f"-n{_COMMITS}", "--format=%H", "--", *self._names)
        for commit in log.decode().split():
            found = self._agreed(commit, notebook)
            if found is not None:
                return found
        script, other = self._state("HEAD")
        return (script or other) if script is None or other is None else None

    def in_step(self, commit: str) -> Notebook | None:
        """The state in a commit if both files agree there."""
        script, notebook = self._state(commit)
        if script and notebook and same_content(script, notebook):
            return notebook
        return None

    def _agreed(self, commit: str, notebook: Notebook) -> Notebook | None:
        script, other = self._state(commit)
        if script and other:
            return other if same_content(script, other) else None
        if script:
            return script if same_content(script, portable(notebook, self._script)) else None
        if other:
            return other if same_content(other, portable(self._script, self._script)) else None
        return None

    @property
    def _names(self) -> tuple[str, str]:
        return self._pair.script.name, self._pair.notebook.name

    def _state(self, commit: str) -> tuple[Notebook | None, Notebook | None]:
        script, notebook = (self._read(commit, name) for name in self._names)
        return script, notebook

    def _read(self, commit: str, name: str) -> Notebook | None:
        content = self._git("show", f"{commit}:./{name}")
        if not content:
            return None
        with suppress(ValueError, OctavoError):
            return portable(formats.read(content.decode("utf-8"), name), self._script)
        return None

    def _git(self, *arguments: str) -> bytes:
        """What git prints; nothing when it fails or is missing."""
        try:
            done = subprocess.run(
                ["git", "-C", str(self._pair.script.parent), *arguments],
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except OSError:
            return b""
        return done.stdout if done.returncode == 0 else b""
