"""Telling a person which cells two files disagree about, with both versions."""

from __future__ import annotations

from shlex import quote
from typing import Any

from octavo.authoring.pairs import Pair
from octavo.errors import ConflictError
from octavo.notebook.merge import Conflict, Merged, MetadataConflict
from octavo.notebook.model import Cell, Notebook


def conflict(pair: Pair, merged: Merged, theirs: Notebook) -> ConflictError:
    """The error for cells that were changed on both sides; nothing has been written."""
    numbers = {id(cell): at for at, cell in enumerate(theirs.cells, 1)}
    found = [_described(each, pair, numbers) for each in merged.conflicts]
    found += [_described_key(each, pair) for each in merged.metadata_conflicts]
    script, notebook = pair.script.name, pair.notebook.name
    count = f"{len(found)} cells were" if len(found) > 1 else "a cell was"
    return ConflictError(
        "conflict",
        "\n".join([f"{count} changed in both {script} and {notebook}", *map(_shown, found)]),
        place=str(found[0]["place"]),
        hint=f"make them alike in one file and sync again; {_choices(pair)}",
        details={"conflicts": found},
    )


def no_common_state(pair: Pair) -> ConflictError:
    """The error for files that differ when nothing tells which of them is newer."""
    return ConflictError(
        "out-of-step",
        f"{pair.script.name} and {pair.notebook.name} differ, and there is no earlier state "
        "that tells which of them was edited",
        place=str(pair.script),
        hint=_choices(pair),
    )


def _choices(pair: Pair) -> str:
    script, notebook = quote(str(pair.script)), quote(str(pair.notebook))
    if pair.script.suffix == ".md":
        return (
            f"to keep {pair.script.name} run `octavo convert --force {script}`; to keep "
            f"the other `octavo convert --force {notebook} -o {script}`"
        )
    return (
        f"to keep {pair.script.name} delete {pair.notebook.name} and sync; to keep the other "
        f"run `octavo convert --force {notebook}`"
    )


def _described(each: Conflict, pair: Pair, numbers: dict[int, int]) -> dict[str, Any]:
    line = f"{pair.script}:{each.ours.line}" if each.ours else str(pair.script)
    return {
        "place": line,
        "notebook": str(pair.notebook),
        "cell": numbers.get(id(each.theirs)) if each.theirs else None,
        "base": _version(each.base),
        "script_version": _version(each.ours),
        "notebook_version": _version(each.theirs),
    }


def _described_key(each: MetadataConflict, pair: Pair) -> dict[str, Any]:
    return {
        "place": str(pair.script),
        "notebook": str(pair.notebook),
        "key": each.key,
        "script_version": each.ours,
        "notebook_version": each.theirs,
    }


def _version(cell: Cell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {"kind": cell.kind, "source": cell.source, "metadata": dict(cell.metadata)}


def _shown(found: dict[str, Any]) -> str:
    script = _text(found["script_version"])
    notebook = _text(found["notebook_version"])
    cell = f", cell {found['cell']}" if found.get("cell") else ""
    cell = f", {found['key']}" if "key" in found else cell
    return f"--- {found['place']}\n{script}\n--- {found['notebook']}{cell}\n{notebook}"


def _text(version: Any) -> str:
    if version is None:
        return "(deleted)"
    if not isinstance(version, dict) or "source" not in version:
        return str(version)
    extra = f"  {version['metadata']}" if version["metadata"] else ""
    return f"{version['source']}{extra}"
