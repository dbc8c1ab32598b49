"""Edits of a notebook as values, and what they make of its cells. Nothing here touches a file.

The addresses of all edits of one call mean the notebook as it was before the call. A cell keeps
its identity while they are applied in their order, so neither order nor other edits shift what
an address means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from octavo.errors import ConflictError, UsageError
from octavo.notebook.addresses import Address, Directory, described, is_expected, names_of
from octavo.notebook.model import Cell, CellKind, Notebook
from octavo.value import Value

Op = Literal["replace", "substitute", "insert", "delete", "move", "rename", "tag", "untag", "kind"]
Side = Literal["before", "after"]


class Edit(Value):
    """One edit. `cell` is the cell that is edited; `anchor` the one next to which a cell is put,
    None for the start (`before`) or the end (`after`) of the notebook.

    `expect` is the handle or hash that the cell must have.
    """

    op: Op
    cell: Address | None = None
    source: str = ""
    kind: CellKind | None = None
    name: str = ""
    tags: tuple[str, ...] = ()
    old: str = ""
    every: bool = False
    side: Side = "after"
    anchor: Address | None = None
    expect: str = ""


class Located(Value):
    """An edit whose addresses have been found: indices in one state of the notebook."""

    edit: Edit
    cell: int | None
    anchor: int | None


class Touched(Value):
    """What became of one edit. None for a cell that is not there before, or after."""

    op: Op
    before: int | None
    after: int | None


class Edited(Value):
    """The cells after the edits. `origins` has the index that each of them had, None for new."""

    cells: tuple[Cell, ...]
    origins: tuple[int | None, ...]
    touched: tuple[Touched, ...]


def locate(edits: Sequence[Edit], notebook: Notebook, place: str = "") -> tuple[Located, ...]:
    """Find the cells that edits are about; one that is not as expected is refused as stale."""
    located = []
    directory = Directory(notebook.cells, place)
    for edit in edits:
        cell = None if edit.cell is None else directory.find(edit.cell)
        anchor = None if edit.anchor is None else directory.find(edit.anchor)
        about = anchor if cell is None else cell
        if edit.expect:
            _refuse_stale(edit.expect, notebook.cells, about, place)
        located.append(Located(edit, cell, anchor))
    return tuple(located)


def _refuse_stale(expected: str, cells: Sequence[Cell], index: int | None, place: str) -> None:
    if index is None:
        message = "there is no cell that something could be expected of"
        hint = "name the cell that the new one is put beside"
        raise UsageError("wrong-argument", message, place=place, hint=hint)
    if is_expected(expected, cells[index]):
        return
    now = described(cells, index)
    raise ConflictError(
        "stale",
        f"cell {index} is not what was expected: {expected[:64]} then, {now['handle']} now\n"
        + shortened(cells[index].source),
        place=place,
        hint=f"make the edit for this content, and say --expect {now['handle']}",
        details={"expected": expected, "current": now},
    )


def shortened(text: str, lines: int = 40, width: int = 200) -> str:
    """A text for a message: not too many lines, none of them too long."""
    found = text.split("\n")
    shown = [line if len(line) <= width else f"{line[:width]}…" for line in found[:lines]]
    more = [f"… {len(found) - lines} more lines"] if len(found) > lines else []
    return "\n".join([*shown, *more])


def apply(located: Sequence[Located], notebook: Notebook, place: str = "") -> Edited:
    """The cells after all edits, or the error of the first that cannot be done."""
    work = _Work(notebook.cells, place)
    slots = [work.do(each) for each in located]
    kept = [slot for slot in work.order if not slot.deleted]
    if not kept:
        raise UsageError(
            "wrong-argument",
            "the last cell of a notebook cannot be deleted",
            place=place,
            hint="insert another one in the same call, or delete the file",
        )
    work.refuse_lost_header(kept)
    index = {id(slot): at for at, slot in enumerate(kept)}
    touched = [
        Touched(each.edit.op, slot.origin, index.get(id(slot)))
        for each, slot in zip(located, slots, strict=True)
    ]
    return Edited(
        tuple(slot.cell for slot in kept), tuple(slot.origin for slot in kept), tuple(touched)
    )


class _Slot:
    """A cell on its way; `hangs_on` is the slot after which it was put."""

    __slots__ = ("cell", "deleted", "hangs_on", "origin")

    def __init__(self, cell: Cell, origin: int | None) -> None:
        self.cell = cell
        self.origin = origin
        self.deleted = False
        self.hangs_on: object = None


class _Work:
    """All cells while edits are applied. Deleted ones stay until the end, as anchors of others."""

    def __init__(self, cells: Sequence[Cell], place: str) -> None:
        self.order = [_Slot(cell, at) for at, cell in enumerate(cells)]
        self._by_index = list(self.order)
        self._place = place
        #: What stands at the start hangs on it.
        self._start: object = object()
        self._header = self.order[0] if cells and is_header(cells[0]) else None
        #: Those that have, or had, a name.
        self._named: dict[str, list[_Slot]] = {}
        for slot in self.order:
            self._note_names(slot)

    def do(self, each: Located) -> _Slot:
        if each.edit.op == "insert":
            slot = _Slot(_new_cell(each.edit), None)
            self._check_name(slot, each.edit.name)
            self._put(slot, each)
            self._note_names(slot)
            return slot
        assert each.cell is not None
        slot = self._by_index[each.cell]
        if slot.deleted:
            raise self._refused(each.cell, "is deleted by an earlier edit of the same call")
        if each.edit.op == "delete":
            slot.deleted = True
        elif each.edit.op == "move":
            self._move(slot, each)
        else:
            self._check_name(slot, each.edit.name)
            slot.cell = changed(slot.cell, each.edit, each.cell, self._place)
            self._note_names(slot)
        return slot

    def _move(self, slot: _Slot, each: Located) -> None:
        if each.anchor is not None and self._by_index[each.anchor] is slot:
            raise self._refused(each.cell, "cannot be moved next to itself")
        self.order.remove(slot)
        self._put(slot, each)

    def _put(self, slot: _Slot, each: Located) -> None:
        """Next to the anchor, behind what earlier edits put at the same place."""
        anchor = None if each.anchor is None else self._by_index[each.anchor]
        if each.edit.side == "before" and anchor is not None:
            self.order.insert(self.order.index(anchor), slot)
            return
        if anchor is None and each.edit.side == "after":
            self.order.append(slot)
            return
        anchor = anchor or self._header
        slot.hangs_on = self._start if anchor is None else anchor
        at = 0 if anchor is None else self.order.index(anchor) + 1
        while at < len(self.order) and self.order[at].hangs_on is slot.hangs_on:
            at += 1
        self.order.insert(at, slot)

    def refuse_lost_header(self, kept: Sequence[_Slot]) -> None:
        """Front matter that is not at the top is none: its parameters would be gone."""
        header = self._header
        if header is None or header.deleted or header is kept[0] or not is_header(header.cell):
            return
        raise UsageError(
            "wrong-argument",
            "cell 0 is the header of the notebook, and stays before all others",
            place=self._place,
            hint="put the cell after cell 0",
        )

    def _note_names(self, slot: _Slot) -> None:
        for name in names_of(slot.cell):
            self._named.setdefault(name, []).append(slot)

    def _check_name(self, slot: _Slot, name: str) -> None:
        for other in self._named.get(name, ()):
            if other is not slot and not other.deleted and name in names_of(other.cell):
                raise UsageError(
                    "wrong-argument",
                    f"cell {self.order.index(other)} is named {name!r} already",
                    place=self._place,
                    hint="choose another name: cells are found by it",
                )

    def _refused(self, index: int | None, why: str) -> UsageError:
        hint = "addresses mean the notebook as it was before the call"
        return UsageError("wrong-argument", f"cell {index} {why}", place=self._place, hint=hint)


def is_header(cell: Cell) -> bool:
    """Whether a cell is front matter, if it is the first."""
    text = cell.source.rstrip()
    return cell.kind == "raw" and text.startswith("---\n") and text.endswith("\n---")


def _new_cell(edit: Edit) -> Cell:
    metadata: dict[str, Any] = {}
    if edit.name:
        metadata["name"] = edit.name
    if edit.tags:
        metadata["tags"] = list(dict.fromkeys(edit.tags))
    return Cell(edit.kind or "code", edit.source, metadata)


def changed(cell: Cell, edit: Edit, index: int, place: str = "") -> Cell:
    """A cell after an edit that is about nothing but it."""
    if edit.op == "replace":
        cell = cell.replace(source=edit.source, line=1)
    elif edit.op == "substitute":
        cell = cell.replace(source=_substituted(cell, edit, index, place), line=1)
    elif edit.op == "rename":
        return _with(cell, _name_key(cell), edit.name)
    elif edit.op == "tag":
        return _with(cell, "tags", list(dict.fromkeys((*cell.tags, *edit.tags))))
    elif edit.op == "untag":
        return _with(cell, "tags", [tag for tag in cell.tags if tag not in edit.tags])
    if edit.kind is not None and edit.kind != cell.kind:
        # The marker named the kind in words of its own.
        cell = _with(cell.replace(kind=edit.kind, line=1), "region_name", None)
        return cell.replace(attachments=None) if edit.kind == "code" else cell
    return cell


def _name_key(cell: Cell) -> str:
    """In scripts people name a cell by a title on its marker; that is what they want changed."""
    return "title" if cell.name is None and "title" in cell.metadata else "name"


def _with(cell: Cell, key: str, value: Any) -> Cell:
    """Metadata with a key, or without it when there is nothing to say."""
    if value:
        return cell.replace(metadata={**cell.metadata, key: value})
    return cell.replace(metadata={k: v for k, v in cell.metadata.items() if k != key})


def _substituted(cell: Cell, edit: Edit, index: int, place: str) -> str:
    count = cell.source.count(edit.old)
    if count == 1 or (count and edit.every):
        return cell.source.replace(edit.old, edit.source)
    if count:
        raise UsageError(
            "wrong-argument",
            f"the text is {count} times in cell {index}",
            place=place,
            hint="give more of the text around it, or --all to replace it everywhere",
        )
    raise ConflictError(
        "stale",
        f"the text is not in cell {index}\n{shortened(cell.source)}",
        place=place,
        hint="give the text exactly as it stands in the cell, with its indentation",
        details={"expected": edit.old, "current": described((cell,), 0) | {"index": index}},
    )
