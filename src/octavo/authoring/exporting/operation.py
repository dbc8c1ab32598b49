"""The `export` operation: a run or a notebook as a page, Markdown, PDF, script or notebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from octavo.authoring.exporting.forms import Form, form_of
from octavo.authoring.exporting.material import Material, material
from octavo.authoring.exporting.places import Place, places
from octavo.authoring.exporting.request import (
    STANDARD,
    ExportContext,
    Exported,
    ExportRequest,
    ExportResult,
)
from octavo.authoring.files import replace_file, unwritable
from octavo.errors import UsageError


async def export(request: ExportRequest, context: ExportContext) -> ExportResult:
    """Write every run and notebook that was asked for. Nothing is overwritten except by force.

    All are read and placed before the first is written, so that a wrong call changes nothing.
    """
    form = _form(request)
    taken = [material(what, context) for what in request.what or ("last",)]
    where = places(taken, form, request, context.cwd)
    return ExportResult(
        tuple([await _exported(each, place, form, request, context)
               for each, place in zip(taken, where, strict=True)])
    )  # fmt: skip


def _form(request: ExportRequest) -> Form:
    """The form that was asked for, or that the name of the output tells."""
    form = form_of(request.to, request.output)
    if request.embed and form.name != "md":
        raise _misplaced("--embed", "md")
    if request.browser and form.name != "pdf":
        raise _misplaced("--browser", "pdf")
    if request.no_code and form.name in ("script", "ipynb"):
        message = f"--no-code leaves nothing of --to {form.name}"
        raise UsageError("wrong-argument", message, hint="leave one of them out")
    return form


def _misplaced(flag: str, form: str) -> UsageError:
    return UsageError("wrong-argument", f"{flag} is a part of --to {form}", hint="leave it out")


async def _exported(
    taken: Material, place: Place, form: Form, request: ExportRequest, context: ExportContext
) -> Exported:
    written = await form.write(taken, place, request, context)
    notes = (*taken.notes, *written.notes)
    size = len(written.content)
    if place.path is None:
        text = written.content.decode("utf-8", "replace")
        return Exported(taken.what, STANDARD, form.name, size, (), notes, text)
    figures = _write_figures(written.figures, place)
    _make_folder(place.path.parent)
    replace_file(place.path, written.content)
    output = os.path.relpath(place.path, context.cwd)
    return Exported(taken.what, output, form.name, size, figures, notes)


def _write_figures(figures: Sequence[tuple[str, bytes]], place: Place) -> tuple[str, ...]:
    """The images first: where the text is, they are."""
    if not figures or place.figures is None:
        return ()
    _make_folder(place.figures)
    for name, content in figures:
        replace_file(place.figures / name, content)
    return tuple(name for name, _ in figures)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(error, folder) from error
