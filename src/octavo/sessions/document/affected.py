"""Which cells an edit touches, by the static graph of names: what `--only-affected` executes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from octavo.notebook.model import Notebook
from octavo.notebook.names import Names, analyse
from octavo.sessions.document.cells import Plan
from octavo.sessions.document.planning import forward, named, refuse_other
from octavo.sessions.document.snapshots import Snapshots
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.sessions.document.document import Document

_UNPROVEN = "the state is unproven until run-all, which goes back and runs them"


class _Change(Value):
    """What was edited since the kernel executed it. `covered` is the end of what it executed,
    `before` the notebook up to there as the kernel knows it.
    """

    covered: int
    before: Notebook
    changed: tuple[int, ...]
    lost: str = ""


def plan_affected(
    document: Document, snapshots: Snapshots, *, to_end: bool = False, also: int | None = None
) -> Plan:
    """`also` is a cell to execute although nobody edited it."""
    if also is not None:
        refuse_other(document, also)
    change = _change(document, also)
    end = len(document) if to_end else change.covered
    beyond = document.indices(change.covered, max(end, change.covered))
    if also is not None and also >= change.covered:
        beyond = document.indices(change.covered, also + 1)
    if not change.changed:
        return forward(document.replace(position=change.covered), beyond, snapshots)
    first = change.changed[0]
    following = document.indices(first, change.covered)
    why = change.lost or _why_all(document, change)
    chosen = () if why else _chosen(document, change)
    if why or set(following) <= {*chosen}:
        return _from(document.at(first), change.covered, beyond, snapshots, why)
    return _in_live_state(document, change, chosen, beyond)


def _from(
    document: Document, stop: int, beyond: Sequence[int], snapshots: Snapshots, why: str
) -> Plan:
    """All that follows the edit, from the state before it."""
    run = (*document.indices(document.position, stop), *beyond)
    plan = forward(document, run, snapshots)
    return plan.replace(notes=(f"all cells from the edit on: {why}", *plan.notes)) if why else plan


def _in_live_state(
    document: Document, change: _Change, chosen: Sequence[int], beyond: Sequence[int]
) -> Plan:
    due = frozenset(document.cells[at].key for at in chosen)
    live = document.replace(position=change.covered, live=True, due=due)
    rest = [at for at in document.indices(0, change.covered) if at not in chosen]
    left = [at for at in rest if at > change.changed[0]]
    notes = (f"not run, because the edit does not touch them: {named(left)}",) if left else ()
    return Plan(live, run=(*chosen, *beyond), notes=(*notes, _UNPROVEN))


def _change(document: Document, also: int | None) -> _Change:
    executed = {step.key: step.source for step in document.steps}
    covered = 1 + max((at for at, e in enumerate(document.cells) if e.key in executed), default=-1)
    cells = document.cells[:covered]
    before = [
        each.cell.replace(source=executed.get(each.key, "")) if each.runs else each.cell
        for each in cells
    ]
    changed = [
        at
        for at, each in enumerate(cells)
        if each.runs
        and (executed.get(each.key) != each.cell.source or each.key in document.due or at == also)
    ]
    lost = _what_is_gone(document, executed)
    if lost and not changed and covered:
        changed = list(document.indices(0, covered))[:1]
    return _Change(covered, Notebook(tuple(before), document.metadata), tuple(changed), lost)


def _what_is_gone(document: Document, executed: Collection[str]) -> str:
    if "" in executed:
        return "code that is no cell was executed in the kernel"
    known = {each.key for each in document.cells}
    return "" if known.issuperset(executed) else "a cell that was executed was deleted"


def _why_all(document: Document, change: _Change) -> str:
    """Why the graph cannot tell what the edit touches; nothing where it can."""
    after = _after(document, change)
    if not after.is_python:
        return f"what {after.language} cells depend on is not known"
    failed = [at for at in document.indices(0, change.covered) if document.has_failed(at)]
    if failed:
        return f"{named(failed)} failed"
    names = analyse(change.before), analyse(after)
    for cell in (cell for each in names for cell in each.cells):
        if cell.unknown:
            return f"cell {cell.index}: {cell.unknown}"
    gone = sorted(_defined(names[0], change.changed) - _defined(names[1], change.changed))
    return f"{', '.join(gone)} would stay, which no cell makes now" if gone else ""


def _after(document: Document, change: _Change) -> Notebook:
    cells = tuple(each.cell for each in document.cells[: change.covered])
    return Notebook(cells, document.metadata)


def _defined(names: Names, cells: Collection[int]) -> set[str]:
    return {name for cell in names.cells if cell.index in cells for name in cell.defined}


def _chosen(document: Document, change: _Change) -> tuple[int, ...]:
    """What the edited cells touch, as they were and as they are."""
    graphs = analyse(change.before), analyse(_after(document, change))
    chosen: set[int] = set()
    waiting = set(change.changed)
    while waiting:
        chosen |= waiting
        touched = {at for each in waiting for graph in graphs for at in graph.rerun(each)}
        waiting = (touched | _sharing(graphs, chosen | touched)) - chosen
    return tuple(at for at in document.indices(0, change.covered) if at in chosen)


def _sharing(graphs: Sequence[Names], chosen: Collection[int]) -> set[int]:
    """Cells that may bind a name which a chosen one binds too: whose value counts is not sure."""
    found: set[int] = set()
    for graph in graphs:
        for cells in (*_sources(graph), *graph.last.values()):
            if len(cells) > 1 and not cells.isdisjoint(chosen):
                found |= cells
    return found


def _sources(graph: Names) -> Iterable[set[int]]:
    """For each name that a cell takes: the cells that it may come from."""
    found: dict[tuple[int, str], set[int]] = {}
    for edge in graph.edges:
        for name in edge.names:
            found.setdefault((edge.target, name), set()).add(edge.source)
    return found.values()
