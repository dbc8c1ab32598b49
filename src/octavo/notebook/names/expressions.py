"""What an expression reads, binds and changes, and what its value may be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from octavo.notebook.names.calls import Calls
from octavo.notebook.names.known import SHARED
from octavo.notebook.names.memory import Frame
from octavo.notebook.names.notes import IF_RUN, SILENT
from octavo.notebook.names.scopes import is_modules, is_other_module, names_in, scope_of
from octavo.notebook.names.things import PLAIN, State, Thing, joined, merged

_NAMESPACES = ("globals", "locals", "vars", "dir")


class Expressions(Calls):
    """Goes through expressions in the order of their evaluation."""

    def value(self, node: ast.expr | None) -> Thing:
        """The value of an expression."""
        if node is None:
            return PLAIN
        look: Callable[[Any], Thing] = getattr(self, f"_{type(node).__name__}", self._other)
        return look(node)

    def values(self, nodes: Iterable[ast.expr | None]) -> list[Thing]:
        return [self.value(node) for node in nodes]

    def quietly(self, node: ast.expr | None) -> None:
        """An expression that some versions of Python do not evaluate."""
        before = self.at_most(SILENT)
        self.value(node)
        self.level = before

    def _other(self, node: ast.expr) -> Thing:
        parts = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        found = self.values(parts)
        return self.new(*found) if any(each.inside or each.calls for each in found) else PLAIN

    def _Constant(self, node: ast.Constant) -> Thing:
        if node.value == "__main__":
            self.anything("it reaches for the names of `__main__`")
        return PLAIN

    def _Name(self, node: ast.Name) -> Thing:
        return self.read(node.id, node.lineno)

    def _Attribute(self, node: ast.Attribute) -> Thing:
        whole = self.value(node.value)
        is_module = whole.kind in ("library", "module")
        if is_module and node.attr == "random" and isinstance(node.value, ast.Name):
            return self._random(f"{node.value.id}.random")
        self.check_attribute(node, whole)
        if whole.kind in ("library", "module", "random", "shell"):
            return whole
        return self._part(whole)

    def _Subscript(self, node: ast.Subscript) -> Thing:
        if (name := _asked_name(node)) and self.is_builtin(node.value.func):  # type: ignore[attr-defined]
            self.mention(name)
            return self.new()
        if is_modules(node.value) and is_other_module(node.slice):
            return self.new()
        whole = self.value(node.value)
        self.value(node.slice)
        return self._part(whole)

    def _Slice(self, node: ast.Slice) -> Thing:
        self.values((node.lower, node.upper, node.step))
        return PLAIN

    def _part(self, whole: Thing) -> Thing:
        """Something out of a value: any object that it can reach, or a new one."""
        if not whole.inside and not whole.calls:
            return PLAIN
        part = self.new(whole)
        return part._replace(itself=part.inside)

    def _Starred(self, node: ast.Starred) -> Thing:
        thing = self.value(node.value)
        self.consume(thing)
        return self._part(thing)

    def _List(self, node: ast.List | ast.Tuple | ast.Set) -> Thing:
        return self.new(*self.values(node.elts))

    _Tuple = _Set = _List

    def _Dict(self, node: ast.Dict) -> Thing:
        return self.new(*self.values((*node.keys, *node.values)))

    def _BoolOp(self, node: ast.BoolOp) -> Thing:
        first = self.value(node.values[0])
        return joined((first, *self._perhaps(node.values[1:])))

    def _IfExp(self, node: ast.IfExp) -> Thing:
        self.value(node.test)
        return joined(self._perhaps((node.body, node.orelse)))

    def _perhaps(self, nodes: Iterable[ast.expr]) -> list[Thing]:
        """Expressions of which each may be left out."""
        found = []
        level = self.at_most(IF_RUN)
        for node in nodes:
            before = self.state.copy()
            found.append(self.value(node))
            self._rejoin(before)
        self.level = level
        return found

    def _rejoin(self, before: State) -> None:
        self.state = merged(before, self.state)
        self.ended = False

    def _Compare(self, node: ast.Compare) -> Thing:
        if (name := _asked_for(node)) is not None:
            self.guard(name)
            return PLAIN
        self.value(node.left)
        for each in node.comparators:
            if not isinstance(each, ast.Constant) and not is_modules(each):
                self.consume(self.value(each))
        return PLAIN if _is_plain(node) else self.new()

    def _UnaryOp(self, node: ast.UnaryOp) -> Thing:
        found = self.value(node.operand)
        return PLAIN if isinstance(node.op, ast.Not) or not found.inside else self.new(found)

    def _JoinedStr(self, node: ast.JoinedStr) -> Thing:
        self.values(node.values)
        return PLAIN

    def _FormattedValue(self, node: ast.FormattedValue) -> Thing:
        self.values((node.value, node.format_spec))
        return PLAIN

    def _NamedExpr(self, node: ast.NamedExpr) -> Thing:
        thing = self.value(node.value)
        self.bind(node.target.id, thing)
        return thing

    def _Lambda(self, node: ast.Lambda) -> Thing:
        defaults = self.values((*node.args.defaults, *node.args.kw_defaults))
        return self.function(node, defaults)

    def _Await(self, node: ast.Await) -> Thing:
        return self._part(self.value(node.value))

    def _comprehension(self, node: Any) -> Thing:
        targets = {name for each in node.generators for name in names_in(each.target)}
        first, *more = node.generators
        source = self.value(first.iter)
        self.frames.append(Frame("comprehension", targets))
        level, before = self.at_most(IF_RUN), self.state.copy()
        parts = [source, *self._generated(first, source, more)]
        elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        parts += self.values(elements)
        self.frames.pop()
        self.level = level
        self._rejoin(before)
        kind = "iterator" if isinstance(node, ast.GeneratorExp) else ""
        made = self.new(*parts, kind=kind)
        return self._lazily(made, node, targets) if kind else made

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension

    def _lazily(self, made: Thing, node: ast.GeneratorExp, targets: set[str]) -> Thing:
        """What a generator reads when it is read, besides the names that it has for itself."""
        names = {*names_in(node)} - targets
        outer = frozenset(name for name in names if self.local(name) is None)
        return made._replace(reads=made.reads | outer)

    def _generated(
        self, first: ast.comprehension, source: Thing, more: Iterable[ast.comprehension]
    ) -> Iterable[Thing]:
        for each in (first, *more):
            thing = source if each is first else self.value(each.iter)
            self.consume(thing)
            self.assign(each.target, self._part(thing))
            self.values(each.ifs)
            yield thing

    def assign(self, target: ast.expr, thing: Thing) -> None:
        """Bind what stands on the left of `=`."""
        if isinstance(target, ast.Name):
            self.bind(target.id, thing)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.consume(thing)
            for each in target.elts:
                self.assign(each, self._part(thing))
        elif isinstance(target, ast.Starred):
            self.assign(target.value, self.new(thing))
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self._put(target, thing)

    def _put(self, target: ast.Attribute | ast.Subscript, thing: Thing) -> None:
        """`whole.part = thing` and `whole[part] = thing`."""
        if isinstance(target.value, ast.Call) and self.is_namespace(target.value):
            self._put_into_namespace(target, thing)
            return
        key = target.slice if isinstance(target, ast.Subscript) else None
        if key is not None and is_modules(target.value) and is_other_module(key):
            return
        whole = self.value(target.value)
        self.value(key)
        self.hand_out(whole)
        if isinstance(target.value, ast.Name) and target.value.id in SHARED:
            self.anything(f"it puts names into {target.value.id}")
        self.change(whole.itself, sure=True, added=thing)

    def _put_into_namespace(self, target: ast.expr, thing: Thing) -> None:
        """`globals()["name"] = thing`."""
        key = target.slice if isinstance(target, ast.Subscript) else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and not self.frames:
            self.bind(key.value, thing)
        else:
            self.anything("it binds names that are made elsewhere")

    def function(self, node: Any, defaults: Iterable[Thing]) -> Thing:
        """The value of a definition: what calling it may read and change."""
        scope = scope_of(node, self.scopes)
        captured = [thing for name in scope.reads if (thing := self.local(name)) is not None]
        own = self.new(*defaults, *captured)
        inner = {name for name in scope.reads if self.local(name) is not None}
        return own._replace(
            reads=own.reads | (frozenset(scope.reads) - inner),
            writes=own.writes | (frozenset(scope.writes) - inner),
            function=node if self.can_follow(node, scope) else None,
        )


def _asked_for(node: ast.Compare) -> str | None:
    """The name in `"name" in globals()`, which asks whether it is bound."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return None
    return _text(node.left) if _is_call_of(node.comparators[0], _NAMESPACES) else None


def _asked_name(node: ast.Subscript) -> str | None:
    """The name in `globals()["name"]`."""
    return _text(node.slice) if _is_call_of(node.value, _NAMESPACES[:3]) else None


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_call_of(node: ast.expr, names: Sequence[str]) -> bool:
    """Whether this calls one of some functions, and gives it nothing."""
    if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Name):
        return False
    return node.func.id in names


def _is_plain(node: ast.Compare) -> bool:
    """Whether a comparison has a truth for its value, and not a table of them."""
    plain = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
    return all(isinstance(each, plain) for each in node.ops)
