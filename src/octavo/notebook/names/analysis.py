"""The names of a whole notebook, cell after cell."""

from __future__ import annotations

import ast

from octavo.errors import OctavoError
from octavo.notebook.ipython_syntax import LINE_MAGICS
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.names.graph import CellNames, Edge, Names
from octavo.notebook.names.known import is_given
from octavo.notebook.names.magics import Reading, read_cell
from octavo.notebook.names.memory import TooMuch
from octavo.notebook.names.notes import IF_RUN, SURE, Notes, Undefined
from octavo.notebook.names.scopes import Scope, bound_in, class_scope, scope_of
from octavo.notebook.names.statements import Statements
from octavo.notebook.names.things import State, merged
from octavo.notebook.parameters import parameters_cell
from octavo.notebook.skipping import ALWAYS, may_raise, skip_condition

_TOO_MUCH = "there is too much to follow"
_FAILS = ("# NBVAL_RAISES_EXCEPTION", "#NBVAL_RAISES_EXCEPTION")
_SKIPPED = ("# NBVAL_SKIP", "#NBVAL_SKIP")


def analyse(notebook: Notebook) -> Names:
    """What each code cell of a Python notebook binds and uses, and where that comes from.

    Nothing is run. What the text does not tell is said to be unknown.
    """
    if not notebook.is_python:
        return Names((), ())
    analysis = _Analysis(_parameters(notebook))
    for index, cell in enumerate(notebook.cells):
        if cell.kind == "code":
            analysis.look_at(index, cell)
    return analysis.result()


def _parameters(notebook: Notebook) -> int | None:
    try:
        return parameters_cell(notebook)
    except OctavoError:
        return None  # there are several, and a run says so


class _Analysis:
    """Walks over the cells and keeps the notes. `parameters` is the cell that declares them."""

    def __init__(self, parameters: int | None) -> None:
        self._parameters = parameters
        self._walk = Statements()
        self._notes: list[Notes] = []
        self._functions: list[tuple[int, str, Scope]] = []
        self._over = False
        #: Whether the rest of the notebook is not followed any more.
        self._lost = False

    def look_at(self, index: int, cell: Cell) -> None:
        walk = self._walk
        notes = walk.notes = Notes(index)
        self._notes.append(notes)
        notes.reached = not self._over
        condition = skip_condition(cell)
        if condition == ALWAYS or cell.source.lstrip().startswith(_SKIPPED):
            return
        walk.level, walk.ended = IF_RUN if walk.may_be_over else SURE, False
        walk.state.settle()
        fails = may_raise(cell.metadata) or cell.source.lstrip().startswith(_FAILS)
        before = walk.state.copy() if fails or condition is not None else None
        self._go(cell, settling=before is None)
        if before is not None:
            self._unsure(notes, before)
        elif walk.ended and notes.ended is not None:
            self._over = True
        self._note_kept(notes)

    def _note_kept(self, notes: Notes) -> None:
        """What it binds on some ways only has, on the others, the value from before."""
        for name in (*notes.defined, *notes.deleted):
            if binding := self._walk.state.get(name):
                notes.kept |= binding.cells - {notes.index}

    def _unsure(self, notes: Notes, before: State) -> None:
        """The cell may be left out, or is meant to fail somewhere."""
        self._walk.state = merged(before, self._walk.state)
        notes.undefined.clear()
        notes.ended = None

    def _go(self, cell: Cell, *, settling: bool) -> None:
        """Through a cell. `settling`: nobody holds the state before it."""
        walk = self._walk
        if self._lost:
            walk.notes.cannot_tell(_TOO_MUCH)
            return
        reading = read_cell(cell.source)
        for name in reading.mentioned:
            walk.mention(name)
        if reading.unknown:
            walk.anything(reading.unknown)
        before = None if reading.kept else walk.state.copy()
        if reading.tree is not None and not self._is_command(reading.tree):
            self._statements(reading, settling=settling and before is None)
        if before is not None:
            walk.state = merged(before, walk.state)
            for name in bound_in([reading.tree] if reading.tree else ()):
                if before.get(name) is None:
                    walk.state.drop_new(name)
        given = _required(reading.tree) if walk.notes.index == self._parameters else ()
        for name in (*reading.defined, *given):
            walk.bind(name, walk.new())

    def _is_command(self, tree: ast.Module) -> bool:
        """Whether a cell of one word, such as `ls`, is one of IPython's commands."""
        only = tree.body[0] if len(tree.body) == 1 else None
        if not isinstance(only, ast.Expr) or not isinstance(only.value, ast.Name):
            return False
        return only.value.id in LINE_MAGICS and self._walk.lookup(only.value.id) is None

    def _statements(self, reading: Reading, *, settling: bool) -> None:
        walk, notes = self._walk, self._walk.notes
        assert reading.tree is not None
        self._note_functions(reading.tree)
        try:
            for statement in reading.tree.body:
                if settling:
                    walk.state.settle()
                walk.block([statement])
                if walk.ended:
                    notes.ended = statement.lineno
                    break
        except (RecursionError, TooMuch) as error:
            self._lost = isinstance(error, TooMuch)
            walk.frames.clear()
            walk.anything(_TOO_MUCH if self._lost else "it is nested too deeply")

    def _note_functions(self, tree: ast.Module) -> None:
        index = self._walk.notes.index
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                scope = scope_of(node, self._walk.scopes)
                self._functions.append((index, node.name, scope))
            elif isinstance(node, ast.ClassDef):
                self._functions.append((index, node.name, class_scope(node)))

    def result(self) -> Names:
        self._look_into_functions()
        state = self._walk.state
        cells = tuple(self._finished(notes) for notes in self._notes)
        edges = tuple(edge for notes in self._notes for edge in _edges(notes))
        last = {name: found.cells for name in state.names() if (found := state.get(name))}
        kept = {notes.index: frozenset(notes.kept) for notes in self._notes if notes.kept}
        return Names(cells, edges, last, kept)

    def _look_into_functions(self) -> None:
        """Names in functions that no cell ever binds: calling these must fail."""
        state = self._walk.state
        if state.open or any(notes.unknown for notes in self._notes):
            return
        bound = {name for notes in self._notes for name in notes.defined} | {*state.names()}
        for _, _, scope in self._functions:
            bound |= scope.declared
        known = {notes.index: notes for notes in self._notes}
        for index, function, scope in self._functions:
            for name, line in scope.reads.items():
                if name in bound or name in scope.guarded or is_given(name):
                    continue
                notes = known[index]
                if notes.reached and name not in notes.undefined:
                    missed = Undefined(name, line, sure=False, through=function)
                    notes.undefined[name] = missed

    def _finished(self, notes: Notes) -> CellNames:
        undefined = tuple(self._with_later(each, notes.index) for each in notes.undefined.values())
        return CellNames(
            notes.index,
            tuple(notes.defined),
            tuple(sorted(notes.used)),
            tuple(notes.deleted),
            tuple(sorted(name for name in notes.changed if name not in notes.defined)),
            undefined if notes.reached else (),
            notes.unknown,
            notes.reached,
            notes.ended,
        )

    def _with_later(self, found: Undefined, index: int) -> Undefined:
        """Name the first cell below that binds what is missing."""
        for notes in self._notes:
            if notes.index > index and found.name in notes.defined:
                return found.replace(later=notes.index)
        return found


def _required(tree: ast.Module | None) -> tuple[str, ...]:
    """Parameters without a value of their own: no run begins before they are given one."""
    return tuple(
        node.target.id
        for node in (tree.body if tree else ())
        if isinstance(node, ast.AnnAssign) and node.value is None
        if isinstance(node.target, ast.Name)
    )


def _edges(notes: Notes) -> list[Edge]:
    return [
        Edge(source, notes.index, tuple(sorted(names)), any(names.values()))
        for source, names in sorted(notes.sources.items())
    ]
