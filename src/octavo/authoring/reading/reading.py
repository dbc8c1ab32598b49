"""The answer of `read`: text or JSON, each within the budget by its own measure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from octavo.authoring.reading.blocks import Block
from octavo.authoring.reading.commands import Commands
from octavo.authoring.reading.fitting import Cost, Step, all_fit, fitted
from octavo.authoring.reading.head import HeadBlock
from octavo.authoring.reading.left_out import (
    LONG_NOTE,
    LONG_NOTE_IN_JSON,
    SHORT_NOTE,
    LeftOut,
    note_weight,
)
from octavo.authoring.reading.material import Material
from octavo.authoring.reading.views import View
from octavo.render.tokens import PARTS, in_tokens, weight

#: Without a budget there is room for everything.
UNBOUNDED = 2**62
#: What stands between two items of a list.
SEPARATOR = ", "

#: Where the head and the note stand among the blocks, before those of the view.
HEAD, NOTE, FIRST = 0, 1, 2


class Reading:
    """A part of a notebook or a run. `budget` is in tokens; None is no limit."""

    def __init__(
        self,
        material: Material,
        head: HeadBlock,
        view: View,
        commands: Commands,
        budget: int | None,
    ) -> None:
        self.material = material
        self.view = view
        self.budget = budget
        self._head = head
        self._commands = commands
        self._room = UNBOUNDED if budget is None else budget * PARTS

    @cached_property
    def text(self) -> str:
        """What a reader gets; never more than the budget."""
        shown = self._shown(text_weight, _as_it_is, LONG_NOTE)
        lines = [*self._head.text(shown.head), *self.view.text(shown.levels)]
        lines += shown.left_out.lines(shown.room_for_note)
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, Any]:
        """The same for programs; on one line never more than the budget."""
        shown = self._shown(plain_weight, json.dumps, LONG_NOTE_IN_JSON)
        answer = self._head.plain(shown.head)
        place = "outline" if self.view.name == "outline" else "cells"
        left_out = shown.left_out.plain(shown.room_for_note, json.dumps)
        return {**answer, place: self.view.plain(shown.levels), "left_out": left_out}

    @property
    def tokens(self) -> int:
        """The estimated tokens of the text."""
        return in_tokens(weight(self.text))

    def _shown(self, measure: Measure, spell: Callable[[str], str], usual: int) -> _Shown:
        weights = _Weights([self._head, *self.view.blocks], measure)
        note = (SHORT_NOTE * PARTS, note_weight(self.material.what, spell, usual))

        def cost(block: int, level: int) -> int:
            return note[level - 1] if block == NOTE else weights(block, level)

        levels = self._everything(cost) or fitted(self._steps(), cost, self._room)
        of_view = _of_view(levels)
        left_out = self._commands.added(self.view.left_out(of_view), measure)
        room = note[levels[NOTE] - 1] if NOTE in levels else UNBOUNDED
        return _Shown(levels.get(HEAD, 1), of_view, left_out, room)

    def _everything(self, cost: Cost) -> Mapping[int, int] | None:
        """All at its highest level, if there is room for it.

        Outputs that are only wanted in short leave something to tell even then.
        """
        levels = all_fit(self._highest(), cost, self._room)
        if levels is None or not self.view.left_out(_of_view(levels)).anything:
            return levels
        return all_fit(chain([(NOTE, 2)], self._highest()), cost, self._room)

    def _highest(self) -> Iterator[Step]:
        """One by one: to know the highest level of an output, it has to be looked at."""
        yield HEAD, self._head.highest
        for at, block in enumerate(self.view.blocks):
            yield at + FIRST, block.highest

    def _steps(self) -> Iterator[Step]:
        """First what must be there, then what it is about, then the notebook."""
        yield NOTE, 1
        yield HEAD, 1
        yield HEAD, 2
        yield NOTE, 2
        yield HEAD, 3
        yield HEAD, 4
        yield from ((block + FIRST, level) for block, level in self.view.steps())


Measure = Callable[[Block, int], int]


class _Shown:
    """What fits: the level of the head and of each block, and the note with its room."""

    def __init__(
        self, head: int, levels: Mapping[int, int], left_out: LeftOut, room_for_note: int
    ) -> None:
        self.head = head
        self.levels = levels
        self.left_out = left_out
        self.room_for_note = room_for_note


class _Weights:
    """The weights of blocks, each measured once; the note has none of its own."""

    def __init__(self, blocks: Sequence[Block], measure: Measure) -> None:
        self._blocks = blocks
        self._measure = measure
        self._known: dict[Step, int] = {}

    def __call__(self, block: int, level: int) -> int:
        known = self._known.get((block, level))
        if known is None:
            at = 0 if block == HEAD else block - FIRST + 1
            known = self._known[block, level] = self._measure(self._blocks[at], level)
        return known


def _of_view(levels: Mapping[int, int]) -> dict[int, int]:
    return {block - FIRST: level for block, level in levels.items() if block >= FIRST}


def text_weight(block: Block, level: int) -> int:
    """Every line ends; below the head is a blank one."""
    blank = ("",) if isinstance(block, HeadBlock) else ()
    return weight("".join(f"{line}\n" for line in (*block.text(level), *blank)))


def plain_weight(block: Block, level: int) -> int:
    return weight(json.dumps(block.plain(level)) + SEPARATOR)


def _as_it_is(text: str) -> str:
    return text
