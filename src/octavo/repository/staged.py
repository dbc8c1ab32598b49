"""What is about to be committed: files in git's index, which may be others than in the folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from octavo.authoring.pairs import is_text_notebook
from octavo.git.objects import write_blob
from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.value import Value

_FILE_MODES = ("100644", "100755")


class Entry(Value):
    """A file in the index."""

    name: str
    mode: str
    blob: str


class Index:
    """The index of a commit in the making: git names it to its hooks."""

    def __init__(self, repository: Repository, environ: Mapping[str, str]) -> None:
        self._git = repository.git
        usual = repository.git.text("rev-parse", "--path-format=absolute", "--git-path", "index")
        told = environ.get("GIT_INDEX_FILE")
        self._path = os.path.join(repository.top, told) if told else usual
        real = os.path.realpath(self._path)
        #: A commit of named files only has an index of its own, which nothing else will see.
        self.is_whole = real in (os.path.realpath(usual), os.path.realpath(f"{usual}.lock"))

    @property
    def variables(self) -> dict[str, str]:
        return {"GIT_INDEX_FILE": self._path}

    def entries(self, folders: Sequence[str]) -> dict[str, Entry]:
        """The files in some folders; those with unresolved conflicts are left out."""
        listed = self._lines("ls-files", "--stage", "-z", "--", *_literal(folders))
        found: dict[str, Entry] = {}
        for line in listed:
            facts, _, name = line.partition("\t")
            mode, blob, stage = facts.split()
            if stage == "0" and mode in _FILE_MODES:
                found[name] = Entry(name, mode, blob)
        return found

    def changed(self, folders: Sequence[str]) -> set[str]:
        """Names of files that the commit would change."""
        command = ("diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z", "--")
        return set(self._lines(*command, *_literal(folders)))

    def holding(self, texts: Sequence[str], folders: Sequence[str]) -> set[str]:
        """Names of files in some folders that hold one of these texts."""
        words = [word for text in texts for word in ("-e", text)]
        command = ("grep", "--cached", "-lzF", *words, "--", *_literal(folders))
        _, printed, _ = self._git.call(*command, variables=self.variables)
        return set(filter(None, printed.decode("utf-8", "surrogateescape").split("\0")))

    def put(self, contents: Mapping[Entry, bytes]) -> None:
        """Give files another content in what is committed."""
        listed = "".join(
            f"{entry.mode} {write_blob(self._git, content)}\t{entry.name}\0"
            for entry, content in contents.items()
        )
        data = listed.encode("utf-8", "surrogateescape")
        self._git.run("update-index", "-z", "--index-info", input=data, variables=self.variables)

    def _lines(self, *arguments: str) -> list[str]:
        printed = self._git.run(*arguments, variables=self.variables)
        return [each for each in printed.decode("utf-8", "surrogateescape").split("\0") if each]


def _literal(folders: Sequence[str]) -> list[str]:
    return [f":(top,literal){folder}" for folder in folders if folder not in (".", "")]


def read_blob(git: Git, blob: str) -> bytes:
    return git.run("cat-file", "blob", blob)


def pairs_in(
    git: Git, entries: Mapping[str, Entry], changed: set[str]
) -> list[tuple[Entry, Entry]]:
    """Texts and notebooks that belong together and of which at least one is being changed."""
    found: list[tuple[Entry, Entry]] = []
    for name, notebook in entries.items():
        stem, suffix = os.path.splitext(name)
        if suffix != ".ipynb":
            continue
        for text in (f"{stem}.py", f"{stem}.md"):
            script = entries.get(text)
            if script is None or not {name, text} & changed:
                continue
            if is_text_notebook(Path(text), read_blob(git, script.blob)):
                found.append((script, notebook))
                break
    return found
