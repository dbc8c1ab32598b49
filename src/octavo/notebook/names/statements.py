"""What statements read, bind and change, along every way through them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from octavo.notebook.names.expressions import Expressions
from octavo.notebook.names.memory import STATEMENT, Frame
from octavo.notebook.names.notes import IF_RUN, SILENT, SURE
from octavo.notebook.names.scopes import (
    bound_in,
    catches,
    class_scope,
    lets_through,
    never_empty,
    truth,
    type_names,
)
from octavo.notebook.names.things import NO_CELLS, PLAIN, Binding, State, Thing, merged, met

#: Raised by who wants the run to end, which is no failure of it.
_LEAVING = ("SystemExit",)


class Statements(Expressions):
    """Goes through statements in the order in which they run."""

    def __init__(self) -> None:
        super().__init__()
        #: For each loop around: the states in which it is left or begun anew.
        self._loops: list[list[State]] = []
        #: For each `try` around: the states in which something is raised.
        self._raised: list[list[State]] = []

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Statements one after the other, until the way ends."""
        for statement in body:
            if self.ended:
                return
            self.worked(STATEMENT)
            look: Callable[[Any], None] | None
            look = getattr(self, f"_{type(statement).__name__}", None)
            if look is not None:
                look(statement)
            if self._may_be_left:
                self.at_most(IF_RUN)

    @property
    def _may_be_left(self) -> bool:
        """Whether the lines that follow may have been left out by an earlier one."""
        returned = bool(self.frames and self.frames[-1].returned)
        return self.may_be_over or returned or bool(self._loops and self._loops[-1])

    def _Expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _Assign(self, node: ast.Assign) -> None:
        thing = self.value(node.value)
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)) and _is_parallel(target, node.value):
                self._each_to_each(target, node.value)
            else:
                self.assign(target, thing)

    def _each_to_each(self, target: Any, value: Any) -> None:
        """`a, b = x, y`: each name has its own value."""
        level = self.at_most(SILENT)
        things = self.values(value.elts)
        self.level = level
        for each, thing in zip(target.elts, things, strict=True):
            self.assign(each, thing)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        self.quietly(node.annotation)
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            before = self.read(target.id, target.lineno)
            added = self.value(node.value)
            self.consume(added)
            self.change(before.itself, sure=True, added=added)
            after = self.new(before, added)
            held = after.inside - after.itself
            after = after._replace(itself=after.itself | before.itself)
            self.bind(target.id, after if held or after.calls else PLAIN)
        else:
            self.value(ast.copy_location(_loaded(target), target))
            self.assign(target, self.value(node.value))

    def _Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            for each in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                if isinstance(each, ast.Name):
                    self.unbind(each.id, each.lineno)
                else:
                    self.assign(each, PLAIN)

    def _Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.bind(alias.asname or top, self.module(alias.name if alias.asname else top))

    def _ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__":
            return
        for alias in node.names:
            if alias.name == "*":
                self.open_up()
            else:
                if alias.name == "get_ipython":
                    shells = self.module("IPython")._replace(kind="shells")
                    self.bind(alias.asname or alias.name, shells)
                    continue
                module = node.module or "."
                inner = f"{module}.{alias.name}" if alias.name == "random" else module
                self.bind(alias.asname or alias.name, self.module(inner))

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = self.values(node.decorator_list)
        defaults = self.values((*node.args.defaults, *node.args.kw_defaults))
        arguments = node.args
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.quietly(each.annotation)
        self.quietly(node.returns)
        thing = self.function(node, defaults)
        for decorator in reversed(decorators):
            thing = self._anybody(decorator, [thing])
        self.bind(node.name, thing)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> None:
        decorators = self.values(node.decorator_list)
        types = type_names(node)
        self.frames.append(Frame("comprehension", types))
        bases = self.values((*node.bases, *(each.value for each in node.keywords)))
        self.frames.pop()
        scope = class_scope(node)
        frame = Frame("class", set())
        frame.values.update(dict.fromkeys(types, PLAIN))
        frame.declared = {n for n in scope.declared if n in scope.bound}
        self.frames.append(frame)
        level = self.at_most(IF_RUN) if _may_bring_names(node, bases) else self.level
        self.block(node.body)
        self.level = level
        self.frames.pop()
        own = self.new(*bases, *frame.values.values())
        inner = {name for name in scope.reads if self.local(name) is not None}
        thing = own._replace(
            reads=own.reads | (frozenset(scope.reads) - inner),
            writes=own.writes | (frozenset(scope.writes) - inner),
        )
        for decorator in reversed(decorators):
            thing = self._anybody(decorator, [thing])
        self.bind(node.name, thing)

    def _TypeAlias(self, node: Any) -> None:
        self.bind(node.name.id, self.new())

    def _Return(self, node: ast.Return) -> None:
        thing = self.value(node.value)
        for frame in reversed(self.frames):
            if frame.kind == "function":
                frame.returned.append(self.state.copy())
                frame.results.append(thing)
                break
        self.ended = True

    def _Raise(self, node: ast.Raise) -> None:
        self.values((node.exc, node.cause))
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        self.may_be_over |= isinstance(raised, ast.Name) and raised.id in _LEAVING
        if self._raised:
            self._raised[-1].append(self.state.copy())
        self.ended = True

    def _Assert(self, node: ast.Assert) -> None:
        self.value(node.test)
        if node.msg is not None:
            self._perhaps([node.msg])
        if isinstance(node.test, ast.Constant) and not node.test.value:
            self.ended = True

    def _Break(self, node: ast.Break | ast.Continue) -> None:
        if self._loops:
            self._loops[-1].append(self.state.copy())
        self.ended = True

    _Continue = _Break

    def _If(self, node: ast.If) -> None:
        fixed = truth(node.test)
        if fixed is not None:
            self.block(node.body if fixed else node.orelse)
            return
        self.value(node.test)
        self._ways((lambda: self.block(node.body), lambda: self.block(node.orelse)))

    def _ways(self, ways: Iterable[Callable[[], None]], level: int = IF_RUN) -> None:
        """Branches of which one is taken."""
        before_level = self.at_most(level)
        before = self.state
        ends: list[State | None] = []
        for way in ways:
            self.state, self.ended = before.copy(), False
            way()
            ends.append(None if self.ended else self.state)
        after = met(ends)
        self.ended = after is None
        self.state = after or before
        self.level = before_level

    def _For(self, node: ast.For | ast.AsyncFor) -> None:
        source = self.value(node.iter)
        self.consume(source)

        def turn() -> None:
            self.assign(node.target, self._part(source))
            self.block(node.body)

        sure = never_empty(node.iter)
        bound = bound_in([*node.body, node.target])
        self._loop(turn, bound, runs=sure, ends=True)
        self._perhaps_block(node.orelse)

    _AsyncFor = _For

    def _While(self, node: ast.While) -> None:
        fixed = truth(node.test)
        if fixed is None:
            self.value(node.test)

        def turn() -> None:
            self.block(node.body)
            if fixed is None and not self.ended:
                self.value(node.test)

        if fixed is not False:
            bound = bound_in([*node.body, node.test])
            self._loop(turn, bound, runs=bool(fixed), ends=not fixed)
        self._perhaps_block(node.orelse)

    def _perhaps_block(self, body: Sequence[ast.stmt]) -> None:
        if body and not self.ended:
            self._ways((lambda: self.block(body), lambda: None))

    def _loop(self, turn: Callable[[], None], bound: set[str], *, runs: bool, ends: bool) -> None:
        """A body that is run again and again. What it binds may be there from an earlier turn.

        `runs`: at least once; `ends`: also by itself, and not only by a `break`.
        """
        entry = self.state.copy()
        for name in bound:
            self._may_be_bound(name)
        level = self.at_most(SURE if runs else IF_RUN)
        after, left = self._turn(turn)
        stuck = self.ended and not left
        if after is not None:
            self.state, self.ended = merged(entry, after), False
            self.at_most(IF_RUN)
            again, more = self._turn(turn)
            after, left = met((after, again)), left + more
        self.level = level
        found = met((None if runs else entry, after))
        self.ended = found is None or (runs and stuck) or not (ends or left)
        self.state = found or entry

    def _turn(self, turn: Callable[[], None]) -> tuple[State | None, list[State]]:
        """Once through a loop: the states at its end, and those in which it was left early."""
        self._loops.append([])
        turn()
        left = self._loops.pop()
        return met((None if self.ended else self.state, *left)), left

    def _may_be_bound(self, name: str) -> None:
        for frame in self.frames:
            if frame.kind == "function" and name not in frame.declared:
                return
        binding = self.state.get(name)
        if binding is None or not binding.bound:
            writers = NO_CELLS if binding is None else binding.writers
            self.put(name, Binding(PLAIN, writers, sure=False))

    def _With(self, node: ast.With | ast.AsyncWith) -> None:
        before = self.state.copy()
        transparent = True
        for item in node.items:
            thing = self.value(item.context_expr)
            transparent = transparent and lets_through(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, self._part(thing))
        level = self.level if transparent else self.at_most(IF_RUN)
        self.block(node.body)
        self.level = level
        if not transparent:
            self.ended, self.state = False, self._left_anywhere(before, node.body)

    _AsyncWith = _With

    def _Try(self, node: ast.Try) -> None:
        before = self.state.copy()
        level = self.level
        if node.handlers:
            # What stands before a line may raise, and then the line does not run.
            self.at_most(SILENT if catches(node.handlers, "NameError") else IF_RUN)
        self._raised.append([])
        self.block(node.body)
        raised = self._raised.pop()
        self.level = level
        entry = self._left_anywhere(before, node.body, raised)
        if node.handlers:
            self.at_most(IF_RUN)
        if not self.ended:
            self.block(node.orelse)
        ends = [None if self.ended else self.state]
        for handler in node.handlers:
            self.state, self.ended = entry.copy(), False
            self._handler(handler)
            ends.append(None if self.ended else self.state)
        self.level = level
        after = met(ends)
        self.state, self.ended = after or entry, False
        self.block(node.finalbody)
        self.ended = self.ended or after is None

    _TryStar = _Try

    def _left_anywhere(
        self, before: State, body: Sequence[ast.stmt], raised: Iterable[State] = ()
    ) -> State:
        """The state after a body that something raised may have ended at any point of it."""
        here, self.state = self.state, met((before, self.state, *raised)) or before
        for name in bound_in(body):
            self._may_be_bound(name)
        found, self.state = self.state, here
        return found

    def _handler(self, handler: ast.ExceptHandler) -> None:
        self.value(handler.type)
        if handler.name:
            self.bind(handler.name, self.new())
        self.block(handler.body)
        if handler.name and not self.frames and self.lookup(handler.name) is not None:
            self.put(handler.name, Binding(PLAIN, self.here, bound=False))

    def _Match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        ways: list[Callable[[], None]]
        ways = [partial(self._case, case, subject) for case in node.cases]
        last = node.cases[-1]
        everything = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        if not everything or last.guard is not None:
            ways.append(lambda: None)
        self._ways(ways)

    def _case(self, case: ast.match_case, subject: Thing) -> None:
        for each in ast.walk(case.pattern):
            name = getattr(each, "name", None) or getattr(each, "rest", None)
            if isinstance(name, str):
                self.bind(name, self._part(subject))
            if isinstance(each, (ast.MatchValue, ast.MatchClass)):
                self.value(each.value if isinstance(each, ast.MatchValue) else each.cls)
        self.value(case.guard)
        self.block(case.body)


def _may_bring_names(node: ast.ClassDef, bases: Sequence[Thing]) -> bool:
    """Whether the body of a class may find names that its metaclass has put there."""
    foreign = any(each.kind == "module" for each in bases)
    return foreign or any(each.arg in ("metaclass", None) for each in node.keywords)


def _is_parallel(target: ast.Tuple | ast.List, value: ast.expr) -> bool:
    return (
        isinstance(value, (ast.Tuple, ast.List))
        and len(value.elts) == len(target.elts)
        and not any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts))
        and all(isinstance(each, (ast.Constant, ast.Name)) for each in value.elts)
    )


def _loaded(target: ast.Attribute | ast.Subscript) -> ast.expr:
    """The target of `+=` as it is read."""
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Subscript(target.value, target.slice, ast.Load())
