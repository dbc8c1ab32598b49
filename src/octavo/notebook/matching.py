"""Which cell of a new notebook is which cell of an old one: unchanged, edited or moved.

Work grows with the size of both notebooks, not with their product: equal cells are found by
content, edited ones by rare words that they share, and what is left by its neighbours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from octavo.notebook.model import Cell

Key = tuple[str, str]
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LIKENESS = 0.5
_COMMON = 8
#: So many old cells, those that share most rare words, are compared with a new one.
_CANDIDATES = 8


def match_cells(old: Sequence[Cell], new: Sequence[Cell]) -> dict[int, int]:
    """Index of the old cell for each new one that has a counterpart."""
    pairs = _Pairs([_key(cell) for cell in old], [_key(cell) for cell in new])
    pairs.add_by_id(old, new)
    pairs.add_ends()
    pairs.add_unique()
    pairs.add_neighbours()
    pairs.add_in_order()
    pairs.add_similar()
    pairs.add_in_place()
    pairs.add_lone_gaps()
    return pairs.new_to_old


def _key(cell: Cell) -> Key:
    return cell.kind, cell.source.rstrip("\n")


class _Pairs:
    """The matching while it is being built; no cell is in two pairs."""

    def __init__(self, old: list[Key], new: list[Key]) -> None:
        self.old, self.new = old, new
        self.new_to_old: dict[int, int] = {}
        self.old_to_new: dict[int, int] = {}

    def _add(self, old: int, new: int) -> None:
        self.new_to_old[new] = old
        self.old_to_new[old] = new

    def _free(self, old: int, new: int) -> bool:
        return (
            0 <= old < len(self.old)
            and 0 <= new < len(self.new)
            and old not in self.old_to_new
            and new not in self.new_to_old
        )

    def _rest(self) -> tuple[list[int], list[int]]:
        return (
            [at for at in range(len(self.old)) if at not in self.old_to_new],
            [at for at in range(len(self.new)) if at not in self.new_to_old],
        )

    def add_by_id(self, old: Sequence[Cell], new: Sequence[Cell]) -> None:
        """Cells that carry the same id are the same cell; one that is there twice says nothing."""
        known, wanted = _by_id(old), _by_id(new)
        for name, at in wanted.items():
            if name in known and self._free(known[name], at):
                self._add(known[name], at)

    def add_ends(self) -> None:
        """Equal cells from the start, then from the end."""
        at = 0
        while self._free(at, at) and self.old[at] == self.new[at]:
            self._add(at, at)
            at += 1
        old, new = len(self.old) - 1, len(self.new) - 1
        while self._free(old, new) and self.old[old] == self.new[new]:
            self._add(old, new)
            old, new = old - 1, new - 1

    def _places(self) -> tuple[dict[Key, list[int]], dict[Key, list[int]]]:
        places: tuple[dict[Key, list[int]], dict[Key, list[int]]] = ({}, {})
        for side, keys, rest in zip(places, (self.old, self.new), self._rest(), strict=True):
            for at in rest:
                side.setdefault(keys[at], []).append(at)
        return places

    def add_unique(self) -> None:
        """Equal cells that are there once on each side, wherever they moved."""
        old, new = self._places()
        for key, places in new.items():
            if len(places) == 1 and len(old.get(key, ())) == 1:
                self._add(old[key][0], places[0])

    def add_neighbours(self) -> None:
        """Equal cells next to a pair, so that copies follow their surroundings."""
        for step in (1, -1):
            for new in sorted(self.new_to_old, reverse=step < 0):
                old, new = self.new_to_old[new] + step, new + step
                while self._free(old, new) and self.old[old] == self.new[new]:
                    self._add(old, new)
                    old, new = old + step, new + step

    def add_in_order(self) -> None:
        """What is left of equal cells, first with first."""
        old, new = self._places()
        for key, places in new.items():
            for before, after in zip(old.get(key, ()), places, strict=False):
                self._add(before, after)

    def add_similar(self) -> None:
        """Edited cells: those that share half of their words and signs, the likest first."""
        old, new = self._rest()
        words = {at: _words(self.old[at]) for at in old}
        index = _rare_words(words)
        found: list[tuple[float, int, int]] = []
        for at in new:
            mine = _words(self.new[at])
            for other in _candidates(index, mine):
                if self.old[other][0] == self.new[at][0]:
                    likeness = _likeness(words[other], mine)
                    if likeness >= _LIKENESS:
                        found.append((-likeness, other, at))
        for _, other, at in sorted(found):
            if self._free(other, at):
                self._add(other, at)

    def add_in_place(self) -> None:
        """Edited cells without a rare word, as far as nothing was put in or left out before them:
        they are found by the pair before them.
        """
        for new in self._rest()[1]:
            old = self.new_to_old.get(new - 1, -1 if new == 0 else None)
            if old is None or not self._free(old + 1, new):
                continue
            before, after = self.old[old + 1], self.new[new]
            if before[0] == after[0] and _likeness(_words(before), _words(after)) >= _LIKENESS:
                self._add(old + 1, new)

    def add_lone_gaps(self) -> None:
        """One cell of a kind between the same neighbours on both sides was rewritten."""
        for new in self._rest()[1]:
            before = self.new_to_old.get(new - 1, -1 if new == 0 else None)
            after = self.new_to_old.get(
                new + 1, len(self.old) if new + 1 == len(self.new) else None
            )
            if before is None or after != before + 2 or not self._free(before + 1, new):
                continue
            if self.old[before + 1][0] == self.new[new][0]:
                self._add(before + 1, new)


def _by_id(cells: Sequence[Cell]) -> dict[str, int]:
    times = Counter(cell.id for cell in cells if cell.id)
    return {cell.id: at for at, cell in enumerate(cells) if cell.id and times[cell.id] == 1}


def _words(key: Key) -> Counter[str]:
    return Counter(_TOKEN.findall(key[1]))


def _candidates(index: dict[str, list[int]], words: Counter[str]) -> list[int]:
    """The cells that share the most rare words."""
    shared = Counter(place for word in words for place in index.get(word, ()))
    return [place for place, _ in shared.most_common(_CANDIDATES)]


def _rare_words(words: dict[int, Counter[str]]) -> dict[str, list[int]]:
    """Where each word occurs, without the words that occur in many cells."""
    index: dict[str, list[int]] = defaultdict(list)
    for at, counted in words.items():
        for word in counted:
            if word.isidentifier() or word.isalnum():
                index[word].append(at)
    return {word: places for word, places in index.items() if len(places) <= _COMMON}


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
