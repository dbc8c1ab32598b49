"""A notebook or a run, cell by cell, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from octavo.render.code import code_lines
from octavo.render.columns import fit, one_line, plain, width
from octavo.render.figures import counted, duration, value_text
from octavo.render.images import How
from octavo.render.markdown import markdown_lines
from octavo.render.outputs import OutputDrawer
from octavo.render.style import Style

WIDEST_PROSE = 100


class AnyCell(Protocol):
    """A cell with its outputs; code cells of a run have a status."""

    @property
    def index(self) -> int | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def metadata(self) -> Mapping[str, Any]: ...
    @property
    def outputs(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def status(self) -> str | None: ...
    @property
    def duration_seconds(self) -> float | None: ...
    @property
    def why(self) -> str: ...


class NotebookDrawer:
    """Draws cells in a style and a width."""

    def __init__(
        self, style: Style, columns: int, language: str, images: How, *, full: bool = False
    ) -> None:
        self._style = style
        self._columns = columns
        self._language = language
        bar = style.pick("│", "|")
        self._bars = {
            "output": f"{style.paint(bar, 'dim')} ",
            "stderr": f"{style.paint(bar, 'yellow')} ",
            "error": f"{style.paint(bar, 'red')} ",
        }
        self._outputs = OutputDrawer(style, columns - 2, images, full=full)

    def lines(self, cells: Sequence[AnyCell]) -> list[str]:
        """All cells, with a line between them."""
        lines: list[str] = []
        for cell in cells:
            lines += [*self._cell(cell), ""]
        return lines[:-1]

    def _cell(self, cell: AnyCell) -> list[str]:
        if cell.kind == "markdown":
            return markdown_lines(cell.source, self._style, min(WIDEST_PROSE, self._columns))
        if cell.kind == "raw":
            return [
                self._style.paint(part, "dim")
                for line in plain(cell.source).expandtabs(4).split("\n")
                for part in fit(line, self._columns)
            ]
        code = [
            part
            for line in code_lines(plain(cell.source), self._language, self._style)
            for part in fit(line, self._columns)
        ]
        shown = [
            self._bars[what] + line
            for what, lines in self._outputs.groups(cell.outputs)
            for line in lines
        ]
        return [self._head(cell), *code, *shown]

    def _head(self, cell: AnyCell) -> str:
        """A rule with the number of the cell and what became of it."""
        style = self._style
        number = "+" if cell.index is None else str(cell.index)
        words = [f"[{number}]"]
        if cell.status is not None:
            words.append(style.sign(cell.status))
            took = cell.duration_seconds
            told = cell.status if took is None else duration(took)
            if cell.status in ("skipped",) and cell.why:
                told = f"skipped: {cell.why}"
            elif took is not None and cell.status not in ("succeeded", "running"):
                told += f", {cell.status}"
            words.append(style.paint(told, "dim"))
        if label := _label(cell):
            words.append(style.paint(one_line(label, 40), "dim"))
        text = " ".join(words)
        rule = style.pick("─", "-") * max(0, min(60, self._columns) - width(text) - 1)
        return f"{text} {style.paint(rule, 'dim')}"


def _label(cell: AnyCell) -> str:
    """The name and the tags of a cell."""
    name = cell.metadata.get("name") or cell.metadata.get("title") or ""
    tags = cell.metadata.get("tags")
    marks = [f"#{tag}" for tag in tags] if isinstance(tags, (list, tuple)) else []
    return " ".join([str(name), *marks]).strip()


def run_head(
    row: Any, path: str, message: str, when: str, *, style: Style, columns: int
) -> list[str]:
    """What is known of a run, above its cells."""
    took = row.duration_seconds
    words = [
        "running" if row.status == "running" else row.reason or row.status,
        when,
        *([duration(took)] if took is not None else []),
        counted(row.cells_executed, "cell"),
    ]
    lines = [
        f"{style.sign(row.status)} {style.paint(path, 'bold')}  {', '.join(words)}",
        style.paint(f"  run {row.run_id}", "dim"),
    ]
    if message and row.status != "success":
        lines.append(f"  {one_line(message, columns - 3)}")
    lines += [
        f"  {style.paint(name, 'cyan')} = {value_text(value, max(20, columns - 30))}"
        for name, value in row.parameters.items()
    ]
    return [*lines, ""]
