"""What every view of a comparison says: what a cell is called, what became of it, and scraps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.notebook.diff.changes import MISSING, CellChange, Changes, ValueChange
from octavo.notebook.diff.values import same
from octavo.records.scraps import ScrapFold
from octavo.render.columns import one_line
from octavo.render.figures import counted, value_text
from octavo.render.scraps import scrap_text
from octavo.render.titles import first_line, heading

Json = Mapping[str, Any]
_HOWS = (
    "edited", "moved and edited", "moved", "added", "removed",
    "with other outputs", "with other metadata", "with other details",
)  # fmt: skip


def label(change: CellChange, columns: int = 50) -> str:
    """What a cell is called: its name or title, its heading, or its first line."""
    metadata = change.cell.get("metadata")
    for key in ("name", "title"):
        given = metadata.get(key) if isinstance(metadata, Mapping) else None
        if isinstance(given, str) and given.strip():
            return one_line(given, columns)
    source = change.text("old" if change.new_index is None else "new")[:4000]
    found = heading(source) if change.kind == "markdown" else ""
    return one_line(found or first_line(source), columns)


def became(change: CellChange) -> str:
    """What became of a cell: `cell 7 moved from 3 to 7 and edited`."""
    index = change.old_index if change.new_index is None else change.new_index
    if change.moved:
        stayed = change.old_index == change.new_index
        told = "moved past others" if stayed else f"moved from {change.old_index} to {index}"
        told += f" and {_edited(change)}" if change.parts else ""
    elif change.how == "edited":
        told = _edited(change)
        told += f" (was {change.old_index})" if change.old_index != change.new_index else ""
    else:
        told = change.how
    return f"cell {index} {told}"


def _edited(change: CellChange) -> str:
    """`edited`; where the author changed nothing, what else did."""
    if change.parts & {"sources", "kind"}:
        return "edited"
    if "outputs" in change.parts:
        return "with other outputs"
    return f"with other {'metadata' if 'metadata' in change.parts else 'details'}"


def kinds(change: CellChange) -> str:
    """The kind of a cell, and the one it had before."""
    if "kind" in change.parts:
        return f"{change.old.get('cell_type')} → {change.new.get('cell_type')}"
    return "" if change.kind == "code" else change.kind


def summary(changes: Changes) -> str:
    """All in one line: `2 cells edited, 1 added; 12 are the same`."""
    counts = Counter(_edited(each) if each.how == "edited" else each.how for each in changes.cells)
    words = [(counts[how], how) for how in _HOWS if counts[how]]
    if not words:
        return "only metadata changed" if changes.metadata else "no differences"
    first, *rest = words
    told = ", ".join(
        [f"{counted(first[0], 'cell')} {first[1]}", *(f"{number} {how}" for number, how in rest)]
    )
    if not changes.same:
        return told
    verb = "is" if changes.same == 1 else "are"
    return f"{told}; {counted(changes.same, 'other')} {verb} as before"


def quiet_parts(change: CellChange) -> list[str]:
    """Parts that changed and are only named: ids and counts."""
    names = {"ids": "id", "details": "execution count", "attachments": "attachments"}
    if change.how in ("added", "removed"):
        return []
    return [told for part, told in names.items() if part in change.parts]


class ScrapChange(ValueChange):
    """A scrap before and after; `MISSING` where there was none."""

    @property
    def difference(self) -> str:
        """By how much a number changed: `+0.05, +5.6 %`."""
        if not (_is_number(self.old) and _is_number(self.new)):
            return ""
        away = self.new - self.old
        percent = f", {100 * away / abs(self.old):+.3g} %" if self.old else ""
        return f"{away:+.6g}{percent}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def scrap_changes(old: Json | None, new: Json | None) -> list[ScrapChange]:
    """Scraps that are not the same on both sides, by name."""
    before, after = _scraps(old), _scraps(new)
    return [
        ScrapChange(name, before.get(name, MISSING), after.get(name, MISSING))
        for name in {**before, **after}
        if name not in before or name not in after or not same(before[name], after[name])
    ]


def _scraps(document: Json | None) -> dict[str, Any]:
    fold = ScrapFold(light=True)
    for output in _outputs(document):
        if output.get("output_type") in ("display_data", "execute_result"):
            fold.take(output.get("data"), output.get("metadata", {}), str(output["output_type"]))
    return fold.summaries()


def _outputs(document: Json | None) -> Iterator[Json]:
    cells = (document or {}).get("cells")
    for cell in cells if isinstance(cells, list | tuple) else ():
        outputs = cell.get("outputs") if isinstance(cell, Mapping) else None
        for output in outputs if isinstance(outputs, list | tuple) else ():
            if isinstance(output, Mapping):
                yield output


def scrap_side(value: Any, columns: int = 60) -> str:
    """A scrap on one side, in one line; nothing where there is none."""
    return "" if value is MISSING else scrap_text(value, columns)


def value_side(value: Any, columns: int = 60) -> str:
    """A value of metadata on one side."""
    return "" if value is MISSING else value_text(value, columns)
