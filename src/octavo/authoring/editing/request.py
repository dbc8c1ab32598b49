"""What is asked of `octavo edit`, and the edits that this stands for."""

from __future__ import annotations

from octavo.authoring.editing.operations import KINDS, check_name, check_tag, read_edits
from octavo.authoring.editing.sources import STANDARD, clean, clean_part, text_from
from octavo.errors import UsageError
from octavo.notebook.edits import Edit
from octavo.notebook.model import CellKind
from octavo.requests import Request, argument, option

Pairs = tuple[tuple[str, str], ...]
_CHANGE = "What to change"
_SAFETY = "Only if"
#: Fields that say nothing about what is to be changed.
_NO_CHANGE = ("expect", "expect_file", "base", "force", "dry_run", "no_sync", "given", "every")


class EditRequest(Request):
    """Which cell of which notebook is to be changed, and how."""

    path: str = argument("the notebook (.py percent, .md or .ipynb)", metavar="NOTEBOOK")
    cell: str = argument(
        "the cell: its index (from 0, -1 is the last), name, tag, id or handle (4 or more letters)",
        metavar="CELL",
        default="",
    )
    standard: str = argument(
        "the new source comes from standard input", metavar=STANDARD, default=""
    )
    source: str | None = option(
        "-s", "--source", help="the new source of the cell", metavar="TEXT", group=_CHANGE
    )
    file: str = option(
        "-f",
        "--file",
        help="the new source is in this file, - for standard input",
        metavar="FILE",
        default="",
        group=_CHANGE,
    )
    replace_text: Pairs = option(
        "-r",
        "--replace",
        help="replace a text in the cell, which must be in it exactly once",
        metavar=("OLD", "NEW"),
        default=(),
        group=_CHANGE,
    )
    every: bool = option(
        "--all", help="--replace: wherever it is in the cell", default=False, group=_CHANGE
    )
    insert: str = option(
        "--insert",
        help="put a new cell beside CELL (without CELL: at the start or the end)",
        metavar="SIDE",
        choices=("before", "after"),
        default="",
        group=_CHANGE,
    )
    delete: bool = option("--delete", help="take the cell away", default=False, group=_CHANGE)
    move_before: str = option(
        "--move-before",
        help="put the cell before another",
        metavar="CELL",
        default="",
        group=_CHANGE,
    )
    move_after: str = option(
        "--move-after", help="put the cell after another", metavar="CELL", default="", group=_CHANGE
    )
    rename: str | None = option(
        "--name", help="name the cell; '' takes its name away", metavar="NAME", group=_CHANGE
    )
    tag: tuple[str, ...] = option(
        "--tag", help="add a tag", metavar="TAG", default=(), group=_CHANGE
    )
    untag: tuple[str, ...] = option(
        "--untag", help="take a tag away", metavar="TAG", default=(), group=_CHANGE
    )
    kind: str = option(
        "--kind",
        help="make it a cell of this kind",
        metavar="KIND",
        choices=KINDS,
        default="",
        group=_CHANGE,
    )
    edits: str = option(
        "--edits",
        help="many edits, all or none: a JSON list in this file, - for standard input, such as "
        '[{"op": "delete", "cell": 3}]; ops are replace, substitute, insert, delete, move, '
        "rename, tag, untag and kind",
        metavar="FILE",
        default="",
        group=_CHANGE,
    )
    expect: str | None = option(
        "--expect",
        help="the cell has this handle (or hash); a stale edit is refused",
        metavar="HANDLE",
        group=_SAFETY,
    )
    expect_file: str | None = option(
        "--expect-file",
        help="the file has this SHA-256",
        metavar="SHA256",
        group=_SAFETY,
    )
    base: str | None = option(
        "--base",
        help="the SHA-256 of the file when it was read: changes of others to other cells stay",
        metavar="SHA256",
        group=_SAFETY,
    )
    force: bool = option(
        "--force", help="also a source that does not parse", default=False, group=_SAFETY
    )
    dry_run: bool = option("--dry-run", help="show what would change, write nothing", default=False)
    no_sync: bool = option(
        "--no-sync", help="leave the .ipynb or text beside the notebook as it is", default=False
    )
    #: Edits of callers who have them as values.
    given: tuple[Edit, ...] = ()


def edits_asked(request: EditRequest, cwd: str) -> tuple[Edit, ...]:
    """The edits of a request; UsageError when it does not say what to do."""
    if request.given:
        return request.given
    _refuse_empty(request)
    if request.standard not in ("", STANDARD):
        message = f"{request.standard!r} is one argument too many"
        raise _refused(message, f"to read the new source from it: --file {request.standard}")
    if request.edits:
        if request.cell or request.expect or _is_about_one_cell(request):
            message = "--edits says itself what to do with which cell, and what to expect"
            raise _refused(message, "leave the rest out, or leave --edits out")
        return read_edits(text_from(request.edits, cwd))
    expected = request.expect or ""
    return tuple(edit.replace(expect=expected) for edit in _of_one_cell(request, cwd))


def _refuse_empty(request: EditRequest) -> None:
    """A variable that is not set must not turn a safe edit into one that is not."""
    told = (
        ("--expect", request.expect), ("--expect-file", request.expect_file),
        ("--base", request.base),
    )  # fmt: skip
    for flag, value in told:
        if value is not None and not value.strip():
            raise _refused(f"{flag} is empty", "octavo read tells the handles and the SHA-256")


def _is_about_one_cell(request: EditRequest) -> bool:
    usual = EditRequest(request.path)
    kept = ("path", "cell", "edits", "delete", *_NO_CHANGE)
    return request.delete or any(
        getattr(request, name) != getattr(usual, name)
        for name in EditRequest._fields
        if name not in kept
    )


def _of_one_cell(request: EditRequest, cwd: str) -> list[Edit]:
    source = _source(request, cwd)
    check_name(request.rename or "")
    for tag in (*request.tag, *request.untag):
        check_tag(tag)
    if request.insert:
        return [_insertion(request, source)]
    if not request.cell:
        raise _refused("CELL is missing: which cell?", "octavo edit report.py 3 --source 'x = 2'")
    if request.delete:
        if _is_about_one_cell(request.replace(delete=False)):
            raise _refused("--delete leaves nothing to be changed", "give one or the other")
        return [Edit("delete", request.cell)]
    edits = [] if source is None else [Edit("replace", request.cell, source)]
    edits += _smaller(request)
    if not edits:
        hint = "give --source, --file, --replace, --insert, --delete, --move-after, --name or --tag"
        raise _refused("nothing is to be changed", hint)
    return edits


def _smaller(request: EditRequest) -> list[Edit]:
    cell = request.cell
    edits = []
    for old, new in request.replace_text:
        if not old:
            raise _refused("--replace: the text to be replaced is empty", "give some of the cell")
        part = clean_part(new)
        edits.append(Edit("substitute", cell, part, old=clean_part(old), every=request.every))
    if request.kind:
        edits.append(Edit("kind", cell, kind=_kind(request)))
    if request.rename is not None:
        edits.append(Edit("rename", cell, name=request.rename))
    if request.tag:
        edits.append(Edit("tag", cell, tags=request.tag))
    if request.untag:
        edits.append(Edit("untag", cell, tags=request.untag))
    if request.move_before and request.move_after:
        raise _refused("--move-before and --move-after contradict each other", "give one")
    if request.move_before:
        edits.append(Edit("move", cell, side="before", anchor=request.move_before))
    if request.move_after:
        edits.append(Edit("move", cell, side="after", anchor=request.move_after))
    return edits


def _insertion(request: EditRequest, source: str | None) -> Edit:
    others = (request.delete, request.replace_text, request.untag, request.move_before)
    if any(others) or request.move_after:
        raise _refused("--insert makes a new cell", "give its --source, --kind, --name and --tag")
    if source is None:
        raise _refused("the new cell has no source", "give --source or --file")
    return Edit(
        "insert",
        source=source,
        kind=_kind(request),
        name=request.rename or "",
        tags=request.tag,
        side="before" if request.insert == "before" else "after",
        anchor=request.cell or None,
    )


def _kind(request: EditRequest) -> CellKind | None:
    for kind in KINDS:
        if kind == request.kind:
            return kind
    return None


def _source(request: EditRequest, cwd: str) -> str | None:
    files = [name for name in (request.file, request.standard) if name]
    if len(files) + (request.source is not None) > 1:
        raise _refused("the new source is given twice", "give --source, --file or -")
    if request.source is not None:
        return clean(request.source)
    return clean(text_from(files[0], cwd)) if files else None


def _refused(message: str, hint: str) -> UsageError:
    return UsageError("wrong-argument", message, place="octavo edit", hint=hint)
