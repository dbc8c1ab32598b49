"""What is shown of a notebook, and in which order it gets its share of the budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Protocol

from octavo.authoring.reading.blocks import Block, OutputBlock, SourceBlock
from octavo.authoring.reading.fitting import Step
from octavo.authoring.reading.left_out import LeftOut
from octavo.authoring.reading.material import ReadCell
from octavo.render.figures import counted

#: So many outputs of every cell come before any cell gets more.
FIRST_OUTPUTS = 4
#: Lines shown above and below one that was searched for.
CONTEXT = 1

Levels = Mapping[int, int]


class View(Protocol):
    """Blocks in their order, and the steps in which they are raised, most useful first."""

    @property
    def name(self) -> str: ...

    @property
    def blocks(self) -> Sequence[Block]: ...

    def steps(self) -> Iterator[Step]: ...

    def text(self, levels: Levels) -> Iterator[str]:
        """The lines of what is shown."""

    def plain(self, levels: Levels) -> list[dict[str, Any]]:
        """The same for `--json`."""

    def left_out(self, levels: Levels) -> LeftOut:
        """What is not shown, without commands."""


class CellsView:
    """Cells with their sources and outputs."""

    name = "cells"

    def __init__(self, cells: Sequence[ReadCell], *, outputs: bool, whole_outputs: bool) -> None:
        self.cells = cells
        self.blocks: list[Block] = []
        self._sources: list[int] = []
        self._outputs: list[list[int]] = []
        for cell in cells:
            self._add(SourceBlock(cell), cell.outputs if outputs else (), whole_outputs)

    def _add(self, source: SourceBlock, outputs: Iterable[Mapping[str, Any]], whole: bool) -> None:
        self._sources.append(len(self.blocks))
        self.blocks.append(source)
        first = len(self.blocks)
        self.blocks += [OutputBlock(output, whole=whole) for output in outputs]
        self._outputs.append(list(range(first, len(self.blocks))))

    def steps(self) -> Iterator[Step]:
        """Failed cells with their errors, then code, then outputs; then longer in turns."""
        yield from self._failed()
        yield from ((block, 1) for block in self._sources)
        yield from self._raised(self._sources, 2)
        yield from ((block, 1) for each in self._outputs for block in each[:FIRST_OUTPUTS])
        yield from ((block, 1) for each in self._outputs for block in each[FIRST_OUTPUTS:])
        growing = [block for each in self._outputs for block in each]
        sources = self._sources
        for level in count(2):
            sources = [at for at in sources if self.blocks[at].highest > level]
            growing = [at for at in growing if self.blocks[at].highest >= level]
            if not sources and not growing:
                return
            yield from self._raised(sources, level + 1)
            yield from self._raised(growing, level)

    def _failed(self) -> Iterator[Step]:
        for cell, source, outputs in zip(self.cells, self._sources, self._outputs, strict=True):
            if cell.failed:
                yield source, 1
                yield from ((at, 1) for at in outputs if self._is_error(at))

    def _is_error(self, at: int) -> bool:
        block = self.blocks[at]
        return isinstance(block, OutputBlock) and block.is_error

    def _raised(self, blocks: Sequence[int], level: int) -> Iterator[Step]:
        yield from ((at, level) for at in blocks if self.blocks[at].highest >= level)

    def text(self, levels: Levels) -> Iterator[str]:
        for at, block in enumerate(self.blocks):
            if at in levels:
                yield from block.text(levels[at])

    def plain(self, levels: Levels) -> list[dict[str, Any]]:
        items = []
        for source, outputs in zip(self._sources, self._outputs, strict=True):
            if source in levels:
                item = self.blocks[source].plain(levels[source])
                shown = [self.blocks[at].plain(levels[at]) for at in outputs if at in levels]
                items.append({**item, "outputs": shown})
        return items

    def left_out(self, levels: Levels) -> LeftOut:
        cells, sources, without, shortened = [], [], [], []
        tokens = lines = missing = 0
        for cell, source, outputs in zip(self.cells, self._sources, self._outputs, strict=True):
            if source not in levels:
                cells.append(cell.index)
                tokens += cell.tokens
                continue
            block = self.blocks[source]
            assert isinstance(block, SourceBlock)
            folded = block.folded(levels[source])
            if not folded.whole:
                sources.append(cell.index)
                lines += folded.gone
            gone = sum(at not in levels for at in outputs)
            missing += gone
            if gone:
                without.append(cell.index)
            if any(at in levels and self._is_short(at, levels[at]) for at in outputs):
                shortened.append(cell.index)
        return LeftOut(
            cells=tuple(cells),
            tokens=tokens,
            sources=tuple(sources),
            source_lines=lines,
            outputs=missing,
            outputs_of=tuple(without),
            shortened=tuple(shortened),
        )

    def _is_short(self, at: int, level: int) -> bool:
        block = self.blocks[at]
        assert isinstance(block, OutputBlock)
        return block.is_short(level)


class SearchView(CellsView):
    """The lines that were searched for, with those around them, numbered as in their cell."""

    name = "search"

    def __init__(self, cells: Sequence[ReadCell], wanted: re.Pattern[str]) -> None:
        found = [(cell, matching(cell.lines, wanted)) for cell in cells]
        super().__init__(
            [cell for cell, places in found if places], outputs=False, whole_outputs=False
        )
        self.blocks = [
            SourceBlock(cell, _around(cell.lines, places), counted(len(places), "match", "matches"))
            for cell, places in found
            if places
        ]


def matching(lines: Sequence[str], wanted: re.Pattern[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if wanted.search(line)]


def _around(lines: Sequence[str], places: Sequence[int]) -> list[str]:
    near = sorted(
        {
            at
            for place in places
            for at in range(max(0, place - CONTEXT), min(len(lines), place + CONTEXT + 1))
        }
    )
    marked = set(places)
    return [f"{at + 1}{':' if at in marked else '-'} {lines[at]}" for at in near]
