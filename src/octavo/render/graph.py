"""The graph of a notebook's cells: for a terminal, for Mermaid and for Graphviz."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from octavo.render.columns import clip, one_line, width
from octavo.render.style import Style

_UNSAFE = re.compile(r'["\\<>&#;`\n\r{}|\[\]]')


class Node(Protocol):
    """A cell of the graph."""

    @property
    def index(self) -> int: ...
    @property
    def name(self) -> str | None: ...
    @property
    def text(self) -> str: ...
    @property
    def defined(self) -> tuple[str, ...]: ...
    @property
    def changed(self) -> tuple[str, ...]: ...
    @property
    def unknown(self) -> str: ...


class Link(Protocol):
    """A cell takes names from another one."""

    @property
    def source(self) -> int: ...
    @property
    def target(self) -> int: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def sure(self) -> bool: ...


def graph_lines(
    cells: Sequence[Node], edges: Iterable[Link], *, style: Style, columns: int
) -> list[str]:
    """Each cell with what it takes from which, and what it gives."""
    taken: dict[int, list[Link]] = {}
    for edge in edges:
        taken.setdefault(edge.target, []).append(edge)
    digits = len(str(max((cell.index for cell in cells), default=0)))
    lines: list[str] = []
    for cell in cells:
        lines += _cell(cell, taken.get(cell.index, []), digits, style, columns)
    return lines


def _cell(cell: Node, taken: Sequence[Link], digits: int, style: Style, columns: int) -> list[str]:
    number = style.paint(f"{cell.index:>{digits}}", "bold")
    name = f"{style.paint(one_line(cell.name, 30), 'cyan')}  " if cell.name else ""
    room = columns - digits - 2 - (width(cell.name[:30]) + 2 if cell.name else 0)
    lines = [f"{number}  {name}{clip(one_line(cell.text, room), room)}"]
    margin = " " * (digits + 2)
    arrow, out = style.pick("←", "<-"), style.pick("→", "->")
    for edge in taken:
        names = f"{', '.join(edge.names)}{'' if edge.sure else ' (perhaps)'}"
        said = f"{arrow} {edge.source:>{digits}}  {names}"
        lines.append(margin + style.paint(clip(said, columns - len(margin)), "dim"))
    given = [*cell.defined, *(f"{name} (changed)" for name in cell.changed)]
    if given:
        shown = clip(", ".join(given), columns - len(margin) - 3)
        lines.append(f"{margin}{style.paint(out, 'green')} {style.paint(shown, 'green')}")
    if cell.unknown:
        said = clip(f"? unknown: {cell.unknown}", columns - len(margin))
        lines.append(margin + style.paint(said, "yellow"))
    return lines


def mermaid(cells: Sequence[Node], edges: Iterable[Link]) -> str:
    """A flowchart that forges draw."""
    lines = ["flowchart TD"]
    lines += [f'    c{cell.index}["{_safe(_label(cell))}"]' for cell in cells]
    for edge in edges:
        arrow = "-->" if edge.sure else "-.->"
        lines.append(f'    c{edge.source} {arrow}|"{_safe(", ".join(edge.names))}"| c{edge.target}')
    lines += [f"    style c{cell.index} stroke-dasharray: 4" for cell in cells if cell.unknown]
    return "\n".join(lines) + "\n"


def dot(cells: Sequence[Node], edges: Iterable[Link]) -> str:
    """A directed graph for Graphviz."""
    lines = ["digraph notebook {", "    node [shape=box, fontname=monospace];"]
    for cell in cells:
        dashed = ", style=dashed" if cell.unknown else ""
        lines.append(f'    c{cell.index} [label="{_safe(_label(cell))}"{dashed}];')
    for edge in edges:
        dashed = "" if edge.sure else ", style=dashed"
        names = _safe(", ".join(edge.names))
        lines.append(f'    c{edge.source} -> c{edge.target} [label="{names}"{dashed}];')
    return "\n".join([*lines, "}"]) + "\n"


def _label(cell: Node) -> str:
    return f"{cell.index}: {one_line(cell.name or cell.text, 40)}"


def _safe(text: str) -> str:
    """Text that neither language takes for its own."""
    return _UNSAFE.sub(_instead, text)


def _instead(found: re.Match[str]) -> str:
    return {'"': "'", "\\": "/", "`": "'", "[": "(", "]": ")", "<": "‹", ">": "›"}.get(
        found[0], " "
    )
