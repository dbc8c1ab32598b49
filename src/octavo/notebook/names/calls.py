"""What a call may read and change. Functions of the notebook are followed into their bodies."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from octavo.notebook.names.known import (
    CHANGERS,
    CHANGING_FUNCTIONS,
    ENDINGS,
    HARMLESS_SHELL,
    HOLDING_FUNCTIONS,
    ITERATORS,
    LOOKING_FUNCTIONS,
    MODULE_CHANGERS,
    PICKING_FUNCTIONS,
    PLAIN_FUNCTIONS,
    REACHING,
    is_given,
    only_reads,
)
from octavo.notebook.names.magics import magic_unknown
from octavo.notebook.names.memory import Frame, Memory
from octavo.notebook.names.scopes import Scope, dotted, is_modules, is_other_module, scope_of
from octavo.notebook.names.things import NO_CELLS, PLAIN, Binding, Function, Thing, joined, met

#: How deep calls of the notebook's own functions are followed, and how many in all.
_DEEPEST = 6
_MOST_CALLS = 2000
_IMPORTED = ("library", "module", "random")
_TEXT_RUNNERS = ("exec", "eval")


class Calls(Memory):
    """Goes through calls."""

    def __init__(self) -> None:
        super().__init__()
        self._following: list[ast.AST] = []
        self._followed = 0

    def value(self, node: ast.expr | None) -> Thing:
        raise NotImplementedError

    def assign(self, target: ast.expr, thing: Thing) -> None:
        raise NotImplementedError

    def block(self, body: Sequence[ast.stmt]) -> None:
        raise NotImplementedError

    def is_builtin(self, node: ast.expr) -> bool:
        """Whether a name means what Python means by it."""
        return (
            isinstance(node, ast.Name)
            and self.local(node.id) is None
            and self.lookup(node.id) is None
        )

    def is_namespace(self, node: ast.Call) -> bool:
        """Whether a call gives the names of the notebook as a dictionary."""
        func = node.func
        if not isinstance(func, ast.Name) or node.args or not self.is_builtin(func):
            return False
        inside = any(frame.kind == "function" for frame in self.frames)
        return func.id == "globals" or (func.id in ("locals", "vars") and not inside)

    def check_attribute(self, node: ast.Attribute, whole: Thing) -> None:
        """Attributes through which the names of the notebook are reached from elsewhere."""
        if node.attr in REACHING:
            self.anything(f"it reaches for names through `{node.attr}`")
        elif is_modules(node):
            self.anything("it reaches for the loaded modules")
        elif whole.kind == "shell" and node.attr not in HARMLESS_SHELL:
            self.anything(f"it asks IPython for `{node.attr}`")

    def _Call(self, node: ast.Call) -> Thing:
        func = node.func
        if isinstance(func, ast.Name) and self.is_builtin(func):
            return self._builtin(func.id, node)
        if isinstance(func, ast.Attribute):
            return self._method(func, node)
        if isinstance(func, ast.Name):
            thing = self.read(func.id, func.lineno, called=True)
        else:
            thing = self.value(func)
        given = self._given(node)
        if thing.kind == "shells":
            return self.new(kind="shell")
        if thing.function is not None:
            return self._follow(thing.function, thing, given, node)
        if thing.kind in _IMPORTED:
            return self._imported(thing, _last_name(func), given, node)
        return self._anybody(thing, given)

    def _given(self, node: ast.Call) -> list[Thing]:
        given = [self.value(each) for each in node.args]
        given += [self.value(each.value) for each in node.keywords]
        for each in given:
            self.consume(each)
        if not isinstance(node.func, ast.Name) or node.func.id not in LOOKING_FUNCTIONS:
            self.hand_out(joined(given))
        return given

    def _builtin(self, name: str, node: ast.Call) -> Thing:
        if name in _TEXT_RUNNERS:
            return self._text(name, node)
        if self.is_namespace(node):
            self.anything(f"it takes all names from {name}()")
            return self.new()
        if not is_given(name):
            thing = self.read(name, node.lineno)
            return self._anybody(thing, self._given(node))
        given = self._given(node)
        if name not in ITERATORS:
            self._may_call_all(given)
        if name in ENDINGS:
            self.ended = self.may_be_over = True
        if name == "get_ipython":
            return self.new(kind="shell")
        if name in PLAIN_FUNCTIONS:
            return PLAIN
        if name in HOLDING_FUNCTIONS or name in ITERATORS:
            return self.new(*given, kind="iterator" if name in ITERATORS else "")
        if name in PICKING_FUNCTIONS:
            return self._out_of(given)
        if name in CHANGING_FUNCTIONS and given:
            self.change(given[0].itself, sure=True, added=joined(given[1:]))
            return self._out_of(given)
        return self._anybody(PLAIN, given)

    def _out_of(self, given: Sequence[Thing]) -> Thing:
        made = self.new(*given)
        return made._replace(itself=made.inside)

    def _text(self, name: str, node: ast.Call) -> Thing:
        """`exec` and `eval`: a text that stands there is read, others may do anything."""
        given = self._given(node)
        if len(node.args) > 1:
            return self._out_of(given)
        text = node.args[0] if node.args else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and not self.frames:
            try:
                tree = ast.parse(text.value)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return PLAIN
            for each in ast.walk(tree):
                if hasattr(each, "lineno"):
                    each.lineno = node.lineno
            self.block(tree.body)
            return self.new()
        self.anything(f"{name} runs a text that is made elsewhere")
        return self.new()

    def _method(self, func: ast.Attribute, node: ast.Call) -> Thing:
        if isinstance(func.value, ast.Call) and self.is_namespace(func.value):
            return self._of_namespace(func.attr, node)
        if is_modules(func.value) and node.args and is_other_module(node.args[0]):
            return self._out_of(self._given(node))
        whole = self.value(func.value)
        self.check_attribute(func, whole)
        if whole.kind == "shell":
            return self._shell(func.attr, node)
        given = self._given(node)
        if whole.kind in _IMPORTED:
            if dotted(func) in ENDINGS:
                self.ended = self.may_be_over = True
            return self._imported(whole, func.attr, given, node)
        return self._of_object(whole, func.attr, given, node)

    def _of_namespace(self, method: str, node: ast.Call) -> Thing:
        """`globals().get("name")` looks; others may do anything."""
        key = node.args[0] if node.args else None
        if method == "get" and isinstance(key, ast.Constant) and isinstance(key.value, str):
            self.mention(key.value)
        elif method not in ("keys", "__contains__"):
            self.anything("it takes names as a dictionary")
        self._given(node)
        return self.new()

    def _shell(self, method: str, node: ast.Call) -> Thing:
        words = [each.value for each in node.args if isinstance(each, ast.Constant)]
        if method in ("run_line_magic", "magic"):
            name, _, rest = " ".join(map(str, words)).partition(" ")
            if why := magic_unknown(name.lstrip("%"), rest):
                self.anything(why)
        elif method == "run_cell_magic":
            self.anything("it runs a cell magic through IPython")
        self._given(node)
        return self.new()

    def _imported(self, thing: Thing, name: str, given: Sequence[Thing], node: ast.Call) -> Thing:
        """A function out of a module. Those of well-known libraries only look at what they get."""
        self._may_call_all(given)
        if thing.kind == "random" or name in MODULE_CHANGERS:
            self.change(thing.itself, sure=True)
        if name in CHANGING_FUNCTIONS and given:
            self.change(joined(given).inside, sure=True, added=joined(given))
        elif thing.kind == "module" or _in_place(node):
            self.change(joined(given).inside, sure=False, added=joined(given))
        if name in ("get_ipython", "instance"):
            return self.new(kind="shell")
        if name == "deepcopy":
            return self.new()
        return self._out_of(given)

    def _of_object(
        self, whole: Thing, method: str, given: Sequence[Thing], node: ast.Call
    ) -> Thing:
        both = joined((whole, *given))
        if only_reads(method) and not _in_place(node):
            self._may_call_all(given)
            return self._out_of((whole, *given))
        if method in CHANGERS:
            self.change(whole.itself, sure=True, added=joined(given))
            return self._out_of((whole, *given))
        if whole.inside or whole.calls or given:
            reached = self.may_call(both)
            self.change(both.inside, sure=False, added=reached)
            return self._out_of((reached,))
        return PLAIN

    def _may_call_all(self, given: Sequence[Thing]) -> None:
        for each in given:
            if each.calls:
                self.may_call(each)

    def _anybody(self, thing: Thing, given: Sequence[Thing]) -> Thing:
        """Something is called of which nothing is known: it may change all that it can reach."""
        both = joined((thing, *given))
        reached = self.may_call(both) if both.calls else both
        self.change(both.inside, sure=False, added=reached)
        return self._out_of((reached,))

    def _random(self, name: str) -> Thing:
        """The generator of random numbers of a module: whoever draws from it changes it."""
        binding = self.state.get(name)
        if binding is None:
            self._objects += 1
            own = frozenset((self._objects,))
            binding = Binding(Thing(own, own, kind="random"), NO_CELLS)
            self.put(name, binding)
        self.notes.use(name, binding)
        return binding.thing

    def can_follow(self, node: Any, scope: Scope) -> bool:
        """Whether the body of a function runs when, and only when, it is called."""
        if self.frames or scope.yields or isinstance(node, ast.AsyncFunctionDef):
            return False
        return isinstance(node, ast.Lambda) or not node.decorator_list

    def _follow(
        self, function: Function, thing: Thing, given: Sequence[Thing], node: ast.Call
    ) -> Thing:
        deep = len(self._following) >= _DEEPEST or function in self._following
        if deep or self._followed >= _MOST_CALLS:
            return self._anybody(thing, given)
        self._followed += 1
        frame = self._frame(function, thing, given)
        before = (self.frames, self.level, self.called)
        self._following.append(function)
        name = getattr(function, "name", "lambda")
        self.frames, self.called = [frame], self.called or (node.lineno, name)
        self._body(function, frame)
        self.frames, self.level, self.called = before
        self._following.pop()
        return joined(frame.results) if frame.results else PLAIN

    def _body(self, function: Function, frame: Frame) -> None:
        if isinstance(function, ast.Lambda):
            frame.results.append(self.value(function.body))
            return
        self.block(function.body)
        here = None if self.ended else self.state
        after = met((here, *frame.returned))
        self.ended = after is None
        self.state = after or self.state

    def _frame(self, function: Function, thing: Thing, given: Sequence[Thing]) -> Frame:
        """The names of a function's body, with what it was given. Which is which does not matter
        to what may be changed, so that every argument is taken for any.
        """
        scope = scope_of(function, self.scopes)
        frame = Frame("function", scope.locals, scope.declared)
        default = thing._replace(function=None, reads=frozenset(), writes=frozenset())
        every = joined((*given, default))._replace(function=None)
        arguments = function.args
        names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for each in (*names, arguments.vararg, arguments.kwarg):
            if each is not None:
                frame.values[each.arg] = every
        return frame


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _in_place(node: ast.Call) -> bool:
    """Whether a call says that it changes what it is given: `inplace=True`, `out=result`."""
    return any(each.arg in ("inplace", "out", "copy", None) for each in node.keywords)
