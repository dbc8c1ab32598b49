"""The state from which both sides of a pair went on: the last synced one, else one from git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
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

        A checkout may have put files into another state since the last sync; where one side is
        as it is in HEAD, that state is offered too.
        """
        stored = self._stored(pair)
        history = History(pair, script)
        if stored is not None:
            yield portable(stored, script)
        found = history.common(notebook) if stored is None else history.checked_out(notebook)
        if found is not None:
            yield found

    def save(self, pair: Pair, script: Notebook, notebook: Notebook) -> None:
        """Remember the state that both sides are in now; `notebook` is the `.ipynb` side."""
        text = ipynb.write(portable(notebook, script))
        path = self._path(pair)
        if path.exists() and path.read_bytes() == ipynb.encode(text):
            return
        self._make_folder()
        with replacing(path) as file:
            file.write(ipynb.encode(text))

    def _stored(self, pair: Pair) -> Notebook | None:
        with suppress(OSError, ValueError, OctavoError):
            path = self._path(pair)
            return ipynb.read(path.read_text("utf-8"), str(path))
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

    def common(self, notebook: Notebook) -> Notebook | None:
        """The newest commit in which both files agree, or in which one is as the other is now.

        Else the file that HEAD has, when it has only one of the two.
        """
        log = self._git("log", f"-n{_COMMITS}", "--format=%H", "--", *self._names)
        for commit in log.decode().split():
            found = self._agreed(commit, notebook)
            if found is not None:
                return found
        script, other = self._state("HEAD")
        return (script or other) if script is None or other is None else None

    def checked_out(self, notebook: Notebook) -> Notebook | None:
        """The state in HEAD, if both files agree there and one of them is still like that."""
        script, other = self._state("HEAD")
        if not (script and other and same_content(script, other)):
            return None
        sides = (portable(side, self._script) for side in (self._script, notebook))
        return other if any(same_content(other, side) for side in sides) else None

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
