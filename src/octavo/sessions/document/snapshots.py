"""Which snapshots there are, which one to go back to, and which to give up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from octavo.sessions.document.cells import DocumentCell, Mark
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.sessions.document.document import Document


class Snapshots(Value):
    """The snapshots of a session, as marks in the order in which they were taken."""

    marks: tuple[Mark, ...] = ()
    taken: int = 0

    def __len__(self) -> int:
        return len(self.marks)

    @property
    def memory(self) -> int:
        """The bytes of all of them."""
        return sum(mark.memory for mark in self.marks)

    def mark(self, number: int) -> Mark:
        """The mark with this id; KeyError when it was given up."""
        found = next((mark for mark in self.marks if mark.id == number), None)
        if found is None:
            raise KeyError(number)
        return found

    def wants(self, document: Document) -> bool:
        """Whether the kernel's state is worth a snapshot: proven, and without one so far."""
        steps = document.steps
        known = any(len(mark.steps) == len(steps) and mark.steps == steps for mark in self.marks)
        return not known and document.is_clean

    def add(self, document: Document, memory: int = 0) -> tuple[Snapshots, Mark]:
        """With a snapshot of the kernel as it stands, which was taken under the mark's id."""
        mark = Mark(self.taken + 1, document.steps, memory)
        return self.replace(marks=(*self.marks, mark), taken=mark.id), mark

    def sized(self, memory: Mapping[int, int]) -> Snapshots:
        """With what snapshots are now known to hold, by their ids."""
        marks = (mark.replace(memory=memory.get(mark.id, mark.memory)) for mark in self.marks)
        return self.replace(marks=tuple(marks))

    def without(self, numbers: Sequence[int]) -> Snapshots:
        """Without those that were given up, or died."""
        return self.replace(marks=tuple(mark for mark in self.marks if mark.id not in numbers))

    def best(self, wanted: tuple[DocumentCell, ...]) -> Mark | None:
        """The snapshot from which the fewest of these cells have to be executed: the newest of
        those that lie furthest along.
        """
        usable = [mark for mark in self.marks if leads_to(mark.ran, wanted)]
        return max(usable, key=lambda mark: (len(mark.steps), mark.id), default=None)

    def thinned(
        self, document: Document, *, count: int = 64, memory: int | None = None
    ) -> tuple[tuple[int, ...], Snapshots]:
        """The ids to give up, and what stays: nothing that no plan can use any more, and within
        the bounds the newest and, going back, about one in every doubling of the distance.
        """
        kept = self.without(self._useless(document))
        while len(kept) > count or (memory is not None and kept.memory > memory):
            kept = kept.without((kept._next_to_go(),))
        gone = {mark.id for mark in self.marks} - {mark.id for mark in kept.marks}
        return tuple(sorted(gone)), kept

    def _useless(self, document: Document) -> list[int]:
        """Those of cells that are written otherwise now, and those with a newer one there."""
        found, places = [], set()
        everything = document.runnable(len(document.cells))
        for mark in reversed(self.marks):
            if len(mark.steps) in places or not leads_to(mark.ran, everything):
                found.append(mark.id)
            else:
                places.add(len(mark.steps))
        return found

    def _next_to_go(self) -> int:
        """The oldest that lies beside another about as far away; else the oldest."""
        marks = sorted(self.marks, key=lambda mark: len(mark.steps))
        end = len(marks[-1].steps)
        for mark, following in pairwise(marks[:-1]):
            if _doubling(end, mark) == _doubling(end, following):
                return following.id
        return marks[0].id


def leads_to(ran: tuple[DocumentCell, ...], wanted: tuple[DocumentCell, ...]) -> bool:
    """Whether these executions are those of the first of the wanted cells, and nothing else.

    Cells that nobody edited are the same objects, so that this costs next to nothing.
    """
    return wanted[: len(ran)] == ran


def _doubling(end: int, mark: Mark) -> int:
    return (end - len(mark.steps)).bit_length()
