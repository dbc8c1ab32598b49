"""One output of a run by its handle, as much of it as fits, and how to read on."""

from __future__ import annotations

from typing import Any

from octavo.records.handles import handle_of, whole
from octavo.render.answer_texts import beginning
from octavo.render.columns import plain
from octavo.render.figures import counted
from octavo.render.tokens import PARTS
from octavo.runs.context import RunContext
from octavo.runs.looking.listing import found
from octavo.value import Value

#: Without a budget this much is read at once.
_UNBOUNDED = 50_000_000
#: What the line costs that tells how to read on.
_NOTE = 60 * PARTS


class WholeOutput(Value):
    """A piece of an output; `left` characters come after it.

    What a terminal would obey is not in `content`, so the next piece begins at `end`.
    """

    run_id: str
    handle: str
    content: str
    offset: int
    end: int
    left: int

    @property
    def text(self) -> str:
        ended = self.content if self.content.endswith("\n") else f"{self.content}\n"
        if not self.left:
            return ended
        return f"{ended}… {counted(self.left, 'character')} more: {self.next}\n"

    @property
    def next(self) -> str:
        """The command that reads on; empty at the end."""
        return f"octavo read {self.handle} --offset {self.end}" if self.left else ""

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "next": self.next or None}


def whole_output(word: str, offset: int, budget: int, context: RunContext) -> WholeOutput:
    """The output that a handle names, from a character on, in at most `budget` tokens."""
    handle = handle_of(word)
    run = found(handle.run, context)
    room = budget * PARTS - _NOTE
    part = whole(run, handle, offset, max(1, room // 4) if budget else _UNBOUNDED)
    text = _whole_lines(beginning(part.text, room), part.text) if budget else part.text
    left = part.left + len(part.text) - len(text)
    end = part.offset + len(text)
    return WholeOutput(run.run_id, str(handle), plain(text), part.offset, end, left)


def _whole_lines(text: str, whole: str) -> str:
    """The piece up to the end of its last line, unless that line is most of it."""
    end = text.rfind("\n") + 1
    return text[:end] if len(text) < len(whole) and end > len(text) // 2 else text
