"""The names of a notebook as they are at one point of it, and what becomes of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from octavo.notebook.names.known import LIBRARIES, is_earlier, is_given
from octavo.notebook.names.notes import SILENT, SURE, Notes, Undefined
from octavo.notebook.names.scopes import Scope
from octavo.notebook.names.things import (
    NO_CELLS,
    PLAIN,
    Binding,
    Objects,
    State,
    Thing,
    joined,
)

#: Reading one of these in a function means that it may read and bind anything.
REFLECTIVE = frozenset(("exec", "eval", "globals", "get_ipython"))


#: How much is looked at in one notebook before the rest of it is called unknown: a few seconds.
_MOST_WORK = 40_000_000
#: What a statement counts for, besides what it changes.
STATEMENT = 400


class TooMuch(Exception):
    """The notebook is too large, or too entangled, to be followed further."""


class Frame:
    """The names of a body that have a scope of their own. They only ever gain values."""

    def __init__(self, kind: str, names: set[str], declared: set[str] | None = None) -> None:
        self.kind = kind
        self.names = names
        self.declared = declared or set()
        self.values: dict[str, Thing] = {}
        self.returned: list[State] = []
        self.results: list[Thing] = []


class Memory:
    """Names, the objects behind them, and the notes on the current cell."""

    def __init__(self) -> None:
        self.state = State()
        self.notes = Notes(-1)
        self.frames: list[Frame] = []
        self.level = SURE
        #: Whether the way that is being followed has come to its end.
        self.ended = False
        #: Whether something has asked for the end of the run, or may have.
        self.may_be_over = False
        self.scopes: dict[ast.AST, Scope] = {}
        #: Inside of a function that was called: the line of the call, and the function's name.
        self.called: tuple[int, str] | None = None
        self._objects = 0
        self._modules: dict[str, int] = {}
        #: For each name the objects that it ever reached, and for each object the names.
        self._reached: dict[str, set[int]] = {}
        self._names: dict[int, set[str]] = {}
        self._work = 0

    @property
    def here(self) -> frozenset[int]:
        return frozenset((self.notes.index,))

    def new(self, *parts: Thing, kind: str = "") -> Thing:
        """A new object that holds these."""
        self._objects += 1
        own = frozenset((self._objects,))
        held = joined(parts)
        return Thing(own, own | held.inside, held.reads, held.writes, None, kind)

    def module(self, name: str) -> Thing:
        """The module of a name: the same object wherever it is imported."""
        if name not in self._modules:
            self._objects += 1
            self._modules[name] = self._objects
        own = frozenset((self._modules[name],))
        parts = name.split(".")
        kind = "library" if parts[0] in LIBRARIES else "module"
        return Thing(own, own, kind="random" if "random" in parts else kind)

    def lookup(self, name: str) -> Binding | None:
        """What a name is bound to outside of all frames; None where it is certainly not."""
        binding = self.state.get(name)
        return binding if binding is not None and binding.bound else None

    def local(self, name: str) -> Thing | None:
        """The value of a name that belongs to a frame."""
        for frame in reversed(self.frames):
            if name in frame.values:
                return frame.values[name]
            if name in frame.names and name not in frame.declared and frame.kind != "class":
                return PLAIN
            if frame.kind == "function":
                return None
        return None

    def read(self, name: str, line: int, *, called: bool = False) -> Thing:
        """The value of a name that is used. `called`: what it does is looked at by the caller."""
        thing = self.local(name)
        if thing is None:
            binding = self.lookup(name)
            if binding is None:
                return self._missing(name, line)
            self.notes.use(name, binding)
            thing = binding.thing
        if thing.calls and not (called and thing.function is not None):
            self.may_call(thing)
        return thing

    def _missing(self, name: str, line: int) -> Thing:
        if is_earlier(name):
            self.notes.cannot_tell(f"`{name}` is what an earlier cell was or gave")
        elif is_given(name):
            return PLAIN
        elif self.state.open:
            self._from_anywhere(name)
        elif self.level != SILENT:
            self._report(name, line)
        else:
            self.notes.used[name] = None
        return self.new()

    def _from_anywhere(self, name: str) -> None:
        self.notes.use(name, Binding(PLAIN, NO_CELLS, self.state.open, sure=False))

    def _report(self, name: str, line: int) -> None:
        gone = self.state.get(name)
        at, through = self.called or (line, "")
        self.notes.miss(
            Undefined(
                name,
                at,
                self.level == SURE,
                through=through,
                deleted=max(gone.writers, default=None) if gone else None,
            )
        )

    def mention(self, name: str) -> None:
        """A name that may be used if it is there."""
        if self.local(name) is not None:
            return
        binding = self.lookup(name)
        if binding is not None:
            self.notes.use(name, binding)
            self.may_call(binding.thing)
        elif self.state.open and not is_given(name):
            self._from_anywhere(name)

    def guard(self, name: str) -> None:
        """The notebook asks whether a name is there: from now on it may be."""
        if self.lookup(name) is None:
            self.put(name, Binding(PLAIN, NO_CELLS, sure=False))

    def hand_out(self, thing: Thing) -> None:
        """Somebody gets a value to do with it what he likes."""
        for name in ("builtins", "__main__"):
            if self._modules.get(name) in thing.inside:
                self.anything(f"it may put names into {name}")

    def may_call(self, thing: Thing) -> Thing:
        """Somebody may call what a value holds: what that reads and changes. What it can reach."""
        seen: set[str] = set()
        written: set[str] = set()
        waiting = [thing]
        reached = [thing]
        while waiting:
            each = waiting.pop()
            written |= each.writes
            for name in (each.reads | each.writes) - seen:
                seen.add(name)
                binding = self.lookup(name)
                if binding is None:
                    self._reflect(name)
                    continue
                self.notes.use(name, binding)
                if binding.thing.kind == "shell":
                    self.anything("a function uses IPython's shell")
                waiting.append(binding.thing)
                reached.append(binding.thing)
        if written:
            self._may_write(written)
        return joined(reached)

    def _reflect(self, name: str) -> None:
        if name in REFLECTIVE:
            self.anything(f"a function uses `{name}`")
        elif self.state.open and not is_given(name):
            self._from_anywhere(name)

    def _may_write(self, names: set[str]) -> None:
        """Names that may get another value, or have theirs changed."""
        fresh, here = self.new(), self.here
        changed: set[int] = set()
        for name in names:
            binding = self.lookup(name)
            if binding is None:
                if not is_given(name):
                    self.put(name, Binding(fresh, NO_CELLS, here, sure=False))
            elif binding.thing.kind not in ("library", "module", "random"):
                changed |= binding.thing.inside
                either = joined((binding.thing, fresh))
                self.put(name, binding._replace(touched=binding.touched | here, thing=either))
        self.change(frozenset(changed), sure=False)

    def bind(self, name: str, thing: Thing) -> None:
        """A name gets a value, in the scope that it belongs to."""
        for frame in reversed(self.frames):
            if frame.kind == "comprehension" and name not in frame.names:
                continue
            if name in frame.declared:
                break
            before = frame.values.get(name)
            frame.values[name] = joined((before, thing)) if before else thing
            return
        self.put(name, Binding(thing, self.here))
        self.notes.defined[name] = None

    def unbind(self, name: str, line: int) -> None:
        """A name is deleted."""
        if self.local(name) is not None:
            return
        binding = self.lookup(name)
        if binding is None:
            if not is_given(name):
                self._missing(name, line)
        else:
            self.notes.use(name, binding)
        self.put(name, Binding(PLAIN, self.here, bound=False))
        self.notes.deleted[name] = None

    def change(self, objects: Objects, *, sure: bool, added: Thing = PLAIN) -> None:
        """Objects are changed, and may hold something more: all names that reach them see it."""
        if not objects:
            return
        here = self.here
        for name in self._reaching(objects):
            binding = self.state.get(name)
            if binding is None:
                continue
            thing, writers, touched = binding.thing, binding.writers, binding.touched
            if thing.inside.isdisjoint(objects):
                continue
            if writers != here:
                self.notes.changed[name] = None
            held = _holding(thing, added)
            self._work += len(held.inside) + 2 * len(writers)
            if held is thing and here <= (writers if sure else touched):
                continue
            changed = (writers | here, touched) if sure else (writers, touched | here)
            self.put(name, Binding(held, *changed, binding.sure, binding.bound))
        for frame in self.frames:
            for name, thing in frame.values.items():
                if not thing.inside.isdisjoint(objects):
                    frame.values[name] = _holding(thing, added)

    def put(self, name: str, binding: Binding) -> None:
        """Bind a name outside of all frames, and remember which objects it may reach."""
        self.state.put(name, binding)
        if binding.thing.inside:
            known = self._reached.setdefault(name, set())
            for each in binding.thing.inside - known:
                self._names.setdefault(each, set()).add(name)
            known |= binding.thing.inside

    def _reaching(self, objects: Objects) -> Iterable[str]:
        """The names that may have reached one of these at some time, on some way."""
        if len(objects) > len(self._reached):
            found = [name for name, known in self._reached.items() if not known.isdisjoint(objects)]
            self.worked(len(self._reached))
        else:
            found = [*set().union(*(self._names.get(each, ()) for each in objects))]
            self.worked(len(objects) + len(found))
        return found

    def worked(self, much: int) -> None:
        """Count what was looked at, and stop where it is too much."""
        self._work += much
        if self._work > _MOST_WORK:
            raise TooMuch

    def consume(self, thing: Thing) -> None:
        """Reading it to its end uses it up, if it is an iterator."""
        if thing.kind == "iterator":
            if thing.calls:
                self.may_call(thing)
            self.change(thing.itself, sure=True)

    def anything(self, why: str) -> None:
        """From here on any name may be bound, and any value another."""
        self.notes.cannot_tell(why)
        self.open_up()

    def open_up(self) -> None:
        """Names may be bound that the text does not tell."""
        here = self.here
        self.state.open |= here
        for name in self.state.names():
            if binding := self.state.get(name):
                self.state.put(name, binding._replace(touched=binding.touched | here))

    def at_most(self, level: int) -> int:
        """Lower how sure it is that lines run; the level before, to go back to."""
        before = self.level
        self.level = min(before, level)
        return before


def _holding(thing: Thing, added: Thing) -> Thing:
    known = added.inside <= thing.inside
    if known and added.reads <= thing.reads and added.writes <= thing.writes:
        return thing
    return thing._replace(
        inside=thing.inside | added.inside,
        reads=thing.reads | added.reads,
        writes=thing.writes | added.writes,
    )
