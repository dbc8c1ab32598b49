"""What changed between two notebooks, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from octavo.notebook.diff.changes import CellChange, Changes
from octavo.notebook.diff.hunks import Hunk, Line, all_lines, excerpt, line_hunks
from octavo.render.columns import clip, fit, one_line, pad, plain, width
from octavo.render.diff_outputs import OutputChange, output_changes, shown_lines
from octavo.render.diff_words import (
    ScrapChange,
    became,
    kinds,
    label,
    quiet_parts,
    scrap_changes,
    scrap_side,
    summary,
    value_side,
)
from octavo.render.images import How, image_lines
from octavo.render.style import Style
from octavo.render.tables import table

Json = Mapping[str, Any]
#: More lines of one text are folded: of a source that is new or gone, of one that was edited,
#: and of an output.
LONGEST_SOURCE, LONGEST_EDIT, LONGEST_OUTPUT = 60, 200, 24
WIDEST_RULE = 72
_SHORTEST_LABEL = 6
_COLOURS = {"-": ("red",), "+": ("green",), " ": ("dim",)}
_OF_CELL = {"added": "green", "removed": "red"}


class DiffDrawer:
    """Draws comparisons in a style and a width. `full` folds nothing; without `wrap` long lines
    are left to whoever shows them.
    """

    def __init__(
        self, style: Style, columns: int, images: How, *, full: bool = False, wrap: bool = True
    ) -> None:
        self._style = style
        self._columns = columns
        self._images = images
        self._full = full
        self._wrap = wrap
        self._longest_line = columns * (40 if full else 6)
        self._arrow = style.pick("→", "->")
        self._dots = style.pick("…", "...")

    def lines(self, old: Json | None, new: Json | None, changes: Changes,
              ignore: frozenset[str] = frozenset()) -> list[str]:  # fmt: skip
        """Cell by cell, then metadata, then scraps before and after."""
        lines = [self._style.paint(summary(changes), "dim")]
        for change in changes.cells:
            lines += ["", *self._cell(change, ignore)]
        lines += self._section("Metadata", self._metadata(changes.metadata))
        if "outputs" not in ignore:
            lines += self._section("Scraps", self._scraps(scrap_changes(old, new)))
        return lines

    def texts(self, old: str, new: str) -> list[str]:
        """Two texts that are no notebooks, by line."""
        return self._hunks(line_hunks(old, new), LONGEST_EDIT)

    def _section(self, title: str, lines: list[str]) -> list[str]:
        return ["", self._style.paint(title, "bold"), *(f"  {line}" for line in lines)] * bool(
            lines
        )

    def _cell(self, change: CellChange, ignore: frozenset[str]) -> Iterator[str]:
        yield self._head(change)
        yield from self._source(change, ignore)
        if "outputs" in change.parts or (change.how in _OF_CELL and "outputs" not in ignore):
            for each in output_changes(change):
                yield from self._output(each)
        if "metadata" in change.parts:
            yield from (self._style.paint(f"  {line}", "dim")
                        for line in self._metadata(change.metadata()))  # fmt: skip
        if quiet := quiet_parts(change):
            yield self._style.paint(f"  {' and '.join(quiet)} changed", "dim")

    def _head(self, change: CellChange) -> str:
        style, rule = self._style, self._style.pick("─", "-")
        told, kind = self._ascii(became(change)), self._ascii(kinds(change))
        painted = style.paint(told, "bold", *[_OF_CELL.get(change.how, "cyan")])
        room = min(40, self._columns - width(told) - width(kind) - 8)
        called = self._ascii(label(change, room)) if room >= _SHORTEST_LABEL else ""
        words = [painted, *(style.paint(each, "dim") for each in (kind, called) if each)]
        text = f"{rule * 2} {'  '.join(words)} "
        left = max(0, min(WIDEST_RULE, self._columns) - width(text))
        return text.rstrip() if left == 0 else f"{text}{style.paint(rule * left, 'dim')}"

    def _source(self, change: CellChange, ignore: frozenset[str]) -> list[str]:
        if change.how in _OF_CELL:
            sign = "+" if change.how == "added" else "-"
            text = change.text("new" if sign == "+" else "old")
            return self._hunks([all_lines(sign, text)], LONGEST_SOURCE)
        if "sources" not in change.parts:
            return []
        return self._hunks(line_hunks(change.text("old"), change.text("new")), LONGEST_EDIT)

    def _output(self, output: OutputChange) -> Iterator[str]:
        title = one_line(output.title, 40)
        note = f", {self._ascii(output.note)}" if output.note else ""
        yield self._style.paint(f"  {title} {output.how}{note}", "yellow")
        if output.is_image:
            yield from (f"  {line}" for line in self._pictures(output))
        else:
            yield from (f"  {line}" for line in self._hunks(output.hunks, LONGEST_OUTPUT, 2))

    def _pictures(self, output: OutputChange) -> list[str]:
        """Both images beside each other; those of a graphics protocol one below the other."""
        sides = [each for each in (output.old, output.new) if each is not None]
        if output.mime != "image/png" or self._images == "none":
            return []
        beside = self._images in ("blocks", "blocks-256") and len(sides) == 2
        room = (self._columns - 6) // 2 if beside else self._columns - 2
        drawn = [
            image_lines(each, self._images, room) or ["(it cannot be drawn)"] for each in sides
        ]
        if not beside:
            return [line for lines in drawn for line in lines]
        across = max(map(width, drawn[0]))
        return [f"{pad(one, across)}  {other}" for one, other in zip_longest(*drawn, fillvalue="")]

    def _hunks(self, hunks: Sequence[Hunk], longest: int, indent: int = 0) -> list[str]:
        """Lines of passages, with a mark between them; many are cut."""
        lines: list[str] = []
        left = shown_lines(hunks) if self._full else longest
        for at, hunk in enumerate(hunks):
            if at and left > 0:
                lines.append(self._style.paint(f"  {self._style.pick('⋮', ':')}", "dim"))
            for line in hunk.lines[: max(0, left)]:
                lines += self._line(line, indent)
            left -= len(hunk.lines)
        if left < 0:
            more = f"{self._dots} {-left:,} more lines, --full shows them"
            lines.append(self._style.paint(f"  {more}", "dim"))
        return lines

    def _line(self, line: Line, indent: int) -> list[str]:
        """A line behind its sign, which is there again where the line is broken."""
        line = excerpt(line, self._longest_line)
        names = _COLOURS[line.sign]
        sign = self._style.paint(line.sign, *names)
        text = self._marked(line, names)
        if not self._wrap:
            return [f"{sign} {text}" if line.text else sign]
        first, *rest = fit(text, max(8, self._columns - indent - 2))
        on = self._style.paint(f"{line.sign}{self._style.pick('»', '>')}", *names)
        return [f"{sign} {first}" if line.text else sign, *(f"{on}{each}" for each in rest)]

    def _marked(self, line: Line, names: tuple[str, ...]) -> str:
        """A line in its colour; the words that changed stand out."""
        whole = plain(line.text)
        if not line.marks or whole != line.text:
            return self._style.paint(whole.expandtabs(4), *names)
        painted, at = [], 0
        for start, end in line.marks:
            painted += [self._style.paint(line.text[at:start], *names),
                        self._style.paint(line.text[start:end], *names, "reverse")]  # fmt: skip
            at = end
        return "".join([*painted, self._style.paint(line.text[at:], *names)]).replace("\t", "    ")

    def _metadata(self, values: Sequence[Any]) -> list[str]:
        room = max(16, (self._columns - 40) // 2)
        rows = [(one_line(each.name, 40), self._pair(value_side(each.old, room),
                                                     value_side(each.new, room)))
                for each in values]  # fmt: skip
        return [clip(line, self._columns - 4) for line in table(rows)]

    def _scraps(self, scraps: Sequence[ScrapChange]) -> list[str]:
        room = max(16, (self._columns - 40) // 2)
        rows = [
            (
                self._style.paint(one_line(each.name, 40), "cyan"),
                self._pair(scrap_side(each.old, room), scrap_side(each.new, room)),
                self._style.paint(f"({each.difference})" if each.difference else "", "dim"),
            )
            for each in scraps
        ]
        return table(rows)

    def _pair(self, old: str, new: str) -> str:
        if not old or not new:
            return f"added: {new}" if new else f"removed: {old}"
        return f"{old} {self._arrow} {new}"

    def _ascii(self, text: str) -> str:
        return text if self._style.unicode else text.replace("→", "->").replace("×", "x")
