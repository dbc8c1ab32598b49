"""The commands that get what a reading has left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

from octavo.authoring.reading.blocks import Block
from octavo.authoring.reading.head import HeadBlock
from octavo.authoring.reading.left_out import MOST_RANGES, LeftOut, cells_told, named
from octavo.authoring.reading.material import Material, ReadCell
from octavo.authoring.reading.views import CellsView
from octavo.render.tokens import in_tokens

#: Cells are asked for together as long as they hold no more than this.
MOST_AT_ONCE = 300_000
ROUNDED_TO = 100


class Commands:
    """How to ask for the rest of one reading. `flags` are those it was asked for with."""

    def __init__(
        self, material: Material, head: HeadBlock, flags: Sequence[str], budget: Sequence[str]
    ) -> None:
        self._material = material
        self._head = head
        self._flags = flags
        self._budget = budget

    def added(self, left: LeftOut, measure: Callable[[Block, int], int]) -> LeftOut:
        """What was left out, with the commands that get it."""
        if not left.anything:
            return left
        commands = []
        if left.cells or left.headings:
            which = cells_told([*left.cells, *left.headings_of])
            commands.append(self._spelled(*self._flags, "--cells", which, *self._budget))
        if left.sources or left.outputs or left.shortened:
            commands.append(self._for_more(left, measure))
        return left.replace(commands=tuple(commands))

    def _for_more(self, left: LeftOut, measure: Callable[[Block, int], int]) -> str:
        """A budget in which as many of the cells as reasonable have all there is of them."""
        affected = {*left.sources, *left.outputs_of, *left.shortened}
        cells = self._together([each for each in self._material.cells if each.index in affected])
        whole = not left.sources or bool(left.outputs or left.shortened)
        flags = [each for each in self._flags if each not in ("--outputs", "--no-outputs")]
        asked = "--outputs" if whole else "--no-outputs"
        view = CellsView(cells, outputs=whole, whole_outputs=True)
        needed = measure(self._head, self._head.highest)
        needed += sum(measure(block, block.highest) for block in view.blocks)
        budget = -(-in_tokens(needed) // ROUNDED_TO) * ROUNDED_TO
        which = cells_told([cell.index for cell in cells])
        has_outputs = any(cell.outputs for cell in self._material.cells)
        words = [*flags, "--cells", which, *([asked] if has_outputs else [])]
        return self._spelled(*words, "--budget", str(max(budget, 300)))

    def _together(self, cells: Sequence[ReadCell]) -> list[ReadCell]:
        """The first of the cells, as many as are not too much, and can be named in few words."""
        taken: list[ReadCell] = []
        size = 0
        for cell in cells:
            size += sum(map(_size, cell.outputs)) + sum(map(len, cell.lines))
            if taken and (size > MOST_AT_ONCE or _ranges([*taken, cell]) > MOST_RANGES):
                break
            taken.append(cell)
        return taken

    def _spelled(self, *words: str) -> str:
        return " ".join(["octavo read", named(self._material.what), *map(quote, words)])


def _ranges(cells: Sequence[ReadCell]) -> int:
    """How many ranges of indices it takes to name cells."""
    known = [cell.index for cell in cells if cell.index is not None]
    return sum(at == 0 or known[at - 1] + 1 != index for at, index in enumerate(known))


def _size(output: Any) -> int:
    """The characters of an output's texts."""
    data = output.get("data")
    texts = [output.get("text"), *(data.values() if isinstance(data, dict) else ())]
    return sum(len(text) for text in texts if isinstance(text, str))
