"""`octavo.read_notebook` and `octavo.read_notebooks`."""

from __future__ import annotations

import os
from collections.abc import Iterable

from octavo.errors import UsageError
from octavo.records.gathering import Place, distinct, is_path, places
from octavo.records.reading import ReadNotebook, ReadNotebooks, notebook_at, notebook_of

Path = str | os.PathLike[str]


def read_notebook(path: Path) -> ReadNotebook:
    """An executed notebook and its scraps.

    `path` is that of an `.ipynb`, or a run: its folder, its id or a part of it, or `"last"`, in
    the project around the current folder.
    """
    found = _places(os.fspath(path))
    if len(found) != 1 or (os.path.isdir(os.fspath(path)) and found[0].run is None):
        hint = f"octavo.read_notebooks({os.fspath(path)!r}) reads them all"
        message = f"{os.fspath(path)} is not one notebook"
        raise UsageError("wrong-argument", message, hint=hint)
    return _read(found[0])


def read_notebooks(paths: Path | Iterable[Path]) -> ReadNotebooks:
    """The executed notebooks in a folder, those that match a pattern, or several of either.

    A folder of runs (`.octavo/runs`) means the runs in it. They come in the order of their names.
    """
    words = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    found = distinct(place for word in words for place in _places(os.fspath(word)))
    return ReadNotebooks([_read(place) for place in found])


def _read(place: Place) -> ReadNotebook:
    return notebook_at(place.path) if place.run is None else notebook_of(place.run)


def _places(word: str) -> list[Place]:
    if is_path(word, ""):
        return places(word, "")
    from octavo.app.context import current

    context = current()
    run = context.store(context.cwd).find(word)
    return [Place(str(run.notebook_path), run)]
