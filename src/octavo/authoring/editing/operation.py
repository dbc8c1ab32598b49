"""The `edit` operation: find, change, check and write, without losing what others wrote."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from octavo.authoring.context import AuthoringContext
from octavo.authoring.editing.answer import Beside, EditResult, touched_cells, unified
from octavo.authoring.editing.beside import BesideFile
from octavo.authoring.editing.locking import locked
from octavo.authoring.editing.request import EditRequest, edits_asked
from octavo.authoring.editing.texts import Written, refuse_broken, text_after
from octavo.authoring.editing.versions import Versions
from octavo.authoring.files import ChangedMeanwhile, replace_file
from octavo.errors import ConflictError, UsageError
from octavo.notebook import formats
from octavo.notebook.addresses import outlined
from octavo.notebook.edits import Edit, Located, Touched, apply, locate
from octavo.notebook.rebasing import rebase
from octavo.sources import SourceFile, read_source
from octavo.value import Value

_ATTEMPTS = 20
_READ_AGAIN = "read it again; an edit with the --expect of its cell does not mind other changes"
_WHOLE_HASH = "read it again, and give the whole SHA-256: 64 digits"


class EditContext(AuthoringContext, Protocol):
    """What this operation needs besides: the variables that git may depend on."""

    @property
    def environ(self) -> Mapping[str, str]: ...


class _Outcome(Value):
    """A file before and after edits."""

    source: SourceFile
    touched: tuple[Touched, ...]
    written: Written
    merged: bool

    @property
    def text(self) -> str:
        return self.written.text


async def edit(request: EditRequest, context: EditContext) -> EditResult:
    """Change cells of a notebook; all edits of a call or none. The rest of the file stays."""
    edits = edits_asked(request, context.cwd)
    path = os.path.normpath(os.path.join(context.cwd, request.path))
    with locked(path):
        return _edited(request, context, path, edits, BesideFile(path, context))


def _refuse_read_only(path: str, shown: str) -> None:
    """A file that is marked as one not to be changed; replacing it would not ask."""
    if not os.stat(path).st_mode & 0o222:
        hint = f"if you may change it: chmod u+w {shown}"
        raise UsageError("output-unwritable", "the file is read-only", place=shown, hint=hint)


def _edited(
    request: EditRequest,
    context: EditContext,
    path: str,
    edits: tuple[Edit, ...],
    beside: BesideFile,
) -> EditResult:
    versions = Versions(context.project)
    source = read_source(path)
    _refuse_read_only(path, request.path)
    base, located = _located(request, context, source, edits)
    for attempt in range(_ATTEMPTS):
        outcome = _outcome(request, source, base, located)
        changed = outcome.text != outcome.source.text
        if changed and not request.no_sync:
            beside.look(remember=not request.dry_run)
        try:
            if changed and not request.dry_run:
                _write(path, outcome)
            break
        except ChangedMeanwhile:
            if attempt + 1 == _ATTEMPTS:
                raise
            source = read_source(path)
    if changed and not request.dry_run:
        versions.remember(outcome.source.text, path)
        versions.remember(outcome.text, path)
    return _answer(request, outcome, beside.follow(changed, request.dry_run, request.no_sync))


def _located(
    request: EditRequest, context: EditContext, source: SourceFile, edits: tuple[Edit, ...]
) -> tuple[SourceFile, tuple[Located, ...]]:
    """The state that the edits were made for, and the cells of it that they mean."""
    if request.expect_file and not _is_hash(request.expect_file, source.sha256):
        raise _stale_file(request, source, request.expect_file)
    base = source
    if request.base and not _is_hash(request.base, source.sha256):
        digest = request.base.strip().lower()
        text = Versions(context.project).recall(digest, source.path, context.environ)
        if text is None:
            raise _stale_file(request, source, request.base)
        base = SourceFile(source.path, text, formats.read(text, source.path))
    return base, locate(edits, base.notebook, request.path)


def _is_hash(told: str, sha256: str) -> bool:
    return len(told.strip()) >= 8 and sha256.startswith(told.strip().lower())


def _stale_file(request: EditRequest, source: SourceFile, told: str) -> ConflictError:
    cells = source.notebook.cells
    return ConflictError(
        "stale",
        f"the file is not what was expected: {told[:64]} then, {source.sha256} now",
        place=request.path,
        hint=_READ_AGAIN if len(told.strip()) == len(source.sha256) else _WHOLE_HASH,
        details={
            "expected": told,
            "sha256": source.sha256,
            "cells": outlined(cells, range(len(cells))),
        },
    )


def _outcome(
    request: EditRequest, source: SourceFile, base: SourceFile, located: tuple[Located, ...]
) -> _Outcome:
    merged = source.text != base.text
    if merged:
        located = rebase(located, base.notebook, source.notebook, request.path)
    edited = apply(located, source.notebook, request.path)
    if not request.force:
        refuse_broken(edited, source, request.path)
    before = source.notebook.cells
    unchanged = edited.cells == before
    written = (
        Written(source.text, before) if unchanged else text_after(edited, source, request.path)
    )
    return _Outcome(source, edited.touched, written, merged)


def _write(path: str, outcome: _Outcome) -> None:
    replace_file(Path(path), outcome.text.encode("utf-8"), outcome.source.text.encode("utf-8"))


def _answer(request: EditRequest, outcome: _Outcome, beside: Beside | None) -> EditResult:
    source, text = outcome.source, outcome.text
    diff, cut = unified(request.path, source.text, text)
    return EditResult(
        path=request.path,
        changed=text != source.text,
        cells=touched_cells(outcome.touched, source.notebook.cells, outcome.written.cells),
        sha256=source.replace(text=text).sha256,
        diff=diff,
        diff_cut=cut,
        merged=outcome.merged,
        dry_run=request.dry_run,
        beside=beside,
    )
