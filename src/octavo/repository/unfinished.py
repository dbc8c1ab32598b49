"""Notebooks that are about to be committed with both sides of a merge in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote

from octavo.authoring.pairs import is_text_notebook
from octavo.errors import NotebookError
from octavo.git.program import Git
from octavo.notebook import formats
from octavo.notebook.merging.unresolved import refuse_conflicts
from octavo.repository.staged import Entry, Index, read_blob

#: Nothing is read of a file that holds none of these.
SIGNS = ("<<<<<<<", "octavo-conflict")


def refuse_unfinished(
    git: Git, index: Index, folders: Sequence[str], changed: Iterable[str]
) -> None:
    """ConflictError for the first notebook of a commit whose merge nobody has finished."""
    suspects = index.holding(SIGNS, folders).intersection(changed)
    if not suspects:
        return
    entries = index.entries(folders)
    for name in sorted(suspects.intersection(entries), reverse=True):
        _refuse(git, entries, name)


def _refuse(git: Git, entries: Mapping[str, Entry], name: str) -> None:
    content = read_blob(git, entries[name].blob)
    if not name.endswith(".ipynb") and not is_text_notebook(Path(name), content):
        return
    try:
        notebook = formats.read(content.decode("utf-8"), name)
    except (NotebookError, UnicodeDecodeError):
        return  # Others tell that it cannot be read, where it has to be.
    refuse_conflicts(notebook, name, _keep_text(entries, name))


def _keep_text(entries: Mapping[str, Entry], name: str) -> str:
    """What to do when only the notebook is in conflict, since its text comes first here."""
    stem, suffix = os.path.splitext(name)
    text = next((each for each in (f"{stem}.py", f"{stem}.md") if each in entries), None)
    if suffix != ".ipynb" or text is None:
        return ""
    return f"; if {text} is right, run `octavo convert --force {quote(text)}`"
