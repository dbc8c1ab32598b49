"""Where exported files go: beside nothing of the user's, over nothing without force."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from octavo.authoring.exporting.forms import Form
from octavo.authoring.exporting.material import Material
from octavo.authoring.exporting.request import STANDARD, ExportRequest
from octavo.errors import ConflictError, UsageError
from octavo.value import Value


class Place(Value):
    """A file, and the folder of its figures; both None for standard output."""

    path: Path | None
    figures: Path | None = None


def places(taken: Sequence[Material], form: Form, request: ExportRequest, cwd: str) -> list[Place]:
    """A place for each; what is there already, or would be written twice, is refused."""
    if request.output == STANDARD:
        return [_standard(taken, form)]
    found = [_place(path) for path in _paths(taken, form, request, cwd)]
    for each, place in zip(taken, found, strict=True):
        _refuse(each, place, request.force)
        if form.name == "md" and not request.embed and not request.force:
            _refuse_figures(place)
    return found


def _standard(taken: Sequence[Material], form: Form) -> Place:
    if len(taken) > 1:
        message = "standard output takes one notebook at a time"
        raise UsageError("wrong-argument", message, hint="name a folder: -o exported/")
    if form.name == "pdf":
        message = "a PDF is not written to standard output"
        raise UsageError("wrong-argument", message, hint="name a file: -o report.pdf")
    return Place(None)


def _paths(taken: Sequence[Material], form: Form, request: ExportRequest, cwd: str) -> list[Path]:
    target = Path(os.path.normpath(Path(cwd) / request.output)) if request.output else Path(cwd)
    is_folder = not request.output or request.output.endswith(("/", os.sep)) or target.is_dir()
    if not is_folder and len(taken) == 1:
        return [target]
    if not is_folder and (target.exists() or target.suffix):
        message = f"{len(taken)} notebooks do not go into one file"
        hint = "name a folder, with a slash at its end: -o exported/"
        raise UsageError("wrong-argument", message, place=request.output, hint=hint)
    return [target / f"{name}{form.suffix(each)}" for name, each in _named(taken)]


def _named(taken: Sequence[Material]) -> list[tuple[str, Material]]:
    """Names of their own: runs of one notebook are told apart by the end of their ids."""
    often = Counter(each.name for each in taken)
    used: set[str] = set()
    named = []
    for each in taken:
        name = each.name
        if often[name] > 1 and each.run_id:
            name = f"{name}-{each.run_id[-8:]}"
        tries = (f"{name}-{number}" for number in count(2))
        # The name that one gets by counting may be what another is called.
        while name in used or (name != each.name and name in often):
            name = next(tries)
        used.add(name)
        named.append((name, each))
    return named


def _place(path: Path) -> Place:
    return Place(path, path.with_name(f"{path.stem}_files"))


def _refuse_figures(place: Place) -> None:
    """Images must not take the place of files that are somebody's."""
    folder = place.figures
    if folder is None or not os.path.lexists(folder):
        return
    if not folder.is_dir() or any(folder.iterdir()):
        hint = "--force writes into it; --embed needs no folder"
        message = "the folder for images exists already"
        raise ConflictError("output-exists", message, place=str(folder), hint=hint)


def _refuse(taken: Material, place: Place, force: bool) -> None:
    path = place.path
    assert path is not None
    if path.is_dir():
        hint = f"name a file in it, such as {path / path.name}"
        raise ConflictError("output-exists", "the output is a folder", place=str(path), hint=hint)
    if not path.exists():
        return
    if os.path.exists(taken.path) and os.path.samefile(path, taken.path):
        hint = "name another file with -o"
        message = "the output is the notebook itself"
        raise ConflictError("output-exists", message, place=str(path), hint=hint)
    if not force:
        hint = "--force overwrites it; -o names another"
        message = "the output exists already"
        raise ConflictError("output-exists", message, place=str(path), hint=hint)
