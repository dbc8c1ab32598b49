"""The outline of a notebook: its headings, and a line for each cell below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.authoring.reading.blocks import Block, cell_facts, marks, size_of
from octavo.authoring.reading.fitting import Step
from octavo.authoring.reading.left_out import LeftOut
from octavo.authoring.reading.material import ReadCell
from octavo.authoring.reading.sections import Section
from octavo.render.compact import glance
from octavo.render.compact_text import short
from octavo.render.figures import counted
from octavo.render.titles import first_line

WIDEST_FIRST_LINE, MOST_OUTPUTS = 60, 3


class HeadingBlock:
    """A heading: its number, the cells below it, the handle of the cell it stands in."""

    highest = 1

    def __init__(self, section: Section, cells: Sequence[ReadCell], tokens: int) -> None:
        self.section = section
        self._cell = cells[section.cell]
        last = cells[section.last]
        self._cells = [self._cell.label, last.label]
        self._tokens = tokens

    def text(self, level: int) -> list[str]:
        section = self.section
        first, last = self._cells
        which = f"{first}-{last}" if first != last else first
        words = [section.number, f"[{which}]", self._cell.handle, counted(self._tokens, "token")]
        return [f"{'  ' * (section.depth - 1)}{' '.join(words)}  {section.title}"]

    def plain(self, level: int) -> dict[str, Any]:
        return {
            "section": self.section.number,
            "title": self.section.title,
            "depth": self.section.depth,
            "index": self._cell.index,
            "handle": self._cell.handle,
            "cells": "-".join(dict.fromkeys(self._cells)),
            "tokens": self._tokens,
        }


class CellBlock:
    """A cell in one line: index, handle, name, tags, size, how it begins, its outputs."""

    highest = 1

    def __init__(self, cell: ReadCell, depth: int) -> None:
        self.cell = cell
        self._depth = depth

    def text(self, level: int) -> list[str]:
        cell = self.cell
        kind = [] if cell.kind == "code" else [cell.kind]
        words = [f"[{cell.label}]", cell.handle, *kind, *marks(cell)]
        line = f"{'  ' * self._depth}{' '.join(words)} {size_of(cell)}"
        begins = short(first_line("\n".join(cell.lines[:40])), WIDEST_FIRST_LINE)
        told = [" ".join(filter(None, glance(output))) for output in cell.outputs[:MOST_OUTPUTS]]
        if len(cell.outputs) > MOST_OUTPUTS:
            told.append(f"{len(cell.outputs) - MOST_OUTPUTS} more")
        outputs = f"  → {', '.join(told)}" if told else ""
        return [f"{line}{outputs}  {begins}" if outputs else f"{line}  {begins}"]

    def plain(self, level: int) -> dict[str, Any]:
        facts = cell_facts(self.cell)
        facts.pop("output_kinds")
        begins = short(first_line("\n".join(self.cell.lines[:40])), WIDEST_FIRST_LINE)
        outputs = [
            {"kind": kind, "size": size}
            for kind, size in map(glance, self.cell.outputs[:MOST_OUTPUTS])
        ]
        return {**facts, "begins": begins, "outputs": outputs,
                "output_count": len(self.cell.outputs)}  # fmt: skip


class OutlineView:
    """Headings and cells; a cell that holds a heading has no line of its own."""

    name = "outline"

    def __init__(
        self, cells: Sequence[ReadCell], sections: Sequence[Section], positions: Sequence[int]
    ) -> None:
        self._cells = cells
        self.blocks: list[Block] = []
        sums = [0]
        for cell in cells:
            sums.append(sums[-1] + cell.tokens)
        at: dict[int, list[Section]] = {}
        for section in sections:
            at.setdefault(section.cell, []).append(section)
        depth = 0
        wanted = set(positions)
        for position, cell in enumerate(cells):
            for section in at.get(position, ()):
                depth = section.depth
                if position in wanted:
                    tokens = sums[section.last + 1] - sums[section.cell]
                    self.blocks.append(HeadingBlock(section, cells, tokens))
            if position in wanted and position not in at:
                self.blocks.append(CellBlock(cell, depth))

    def steps(self) -> Iterator[Step]:
        """The upper headings, what failed, the other headings, all cells."""
        depths = [
            block.section.depth if isinstance(block, HeadingBlock) else 0 for block in self.blocks
        ]
        yield from ((at, 1) for at, depth in enumerate(depths) if depth in (1, 2))
        yield from ((at, 1) for at, block in enumerate(self.blocks)
                    if isinstance(block, CellBlock) and block.cell.failed)  # fmt: skip
        yield from ((at, 1) for deeper in range(3, 7) for at, depth in enumerate(depths)
                    if depth == deeper)  # fmt: skip
        yield from ((at, 1) for at, depth in enumerate(depths) if depth == 0)

    def text(self, levels: Mapping[int, int]) -> Iterator[str]:
        if levels:
            yield ""
        for at, block in enumerate(self.blocks):
            if at in levels:
                yield from block.text(1)

    def plain(self, levels: Mapping[int, int]) -> list[dict[str, Any]]:
        return [block.plain(1) for at, block in enumerate(self.blocks) if at in levels]

    def left_out(self, levels: Mapping[int, int]) -> LeftOut:
        gone = [block for at, block in enumerate(self.blocks) if at not in levels]
        cells = [block.cell for block in gone if isinstance(block, CellBlock)]
        headings = [block for block in gone if isinstance(block, HeadingBlock)]
        return LeftOut(
            cells=tuple(cell.index for cell in cells),
            tokens=sum(cell.tokens for cell in cells),
            headings=len(headings),
            headings_of=tuple(self._cells[each.section.cell].index for each in headings),
        )
