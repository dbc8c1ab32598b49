"""`octavo lint` and `octavo graph` on the screen."""

from __future__ import annotations

from typing import Any

from octavo.render.columns import plain, width, wrap
from octavo.render.figures import counted
from octavo.render.graph import dot, graph_lines, mermaid
from octavo.render.style import Style
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def linted(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The findings of each notebook below its name, then how many there are."""
    path = None
    for found in result.findings:
        if found.path != path:
            path = found.path
            out.print(out.style.paint(plain(path), "bold"))
        out.print(*_finding(found, out.style, out.columns))
    if result.findings:
        out.print("")
    out.print(_summary(result, out.style))


def _finding(found: Any, style: Style, columns: int) -> list[str]:
    place = _place(found)
    kind = style.paint(found.severity, _COLOURS[found.severity])
    rule = style.paint(found.rule, "dim")
    head = f"  {place:<9} {kind}{' ' * (8 - len(found.severity))}"
    margin = " " * (3 + max(9, len(place)) + 8)
    room = max(20, columns - len(margin))
    message = [plain(line) for line in wrap(found.message, room)] or [""]
    if width(message[-1]) + len(found.rule) + 2 <= room:
        message[-1] += f"  {rule}"
    else:
        message.append(rule)
    lines = [f"{head}{message[0]}", *(f"{margin}{line}" for line in message[1:])]
    if found.hint:
        lines += [margin + style.paint(line, "dim") for line in wrap(plain(found.hint), room)]
    return lines


def _place(found: Any) -> str:
    """Where it is within its file: the line, or in an `.ipynb` the cell and its line."""
    line = f":{found.line}" if found.line is not None else ""
    cell = f"cell {found.cell}" if found.cell is not None else ""
    return f"{cell}{line}" if found.path.endswith(".ipynb") else line or cell


def _summary(result: Any, style: Style) -> str:
    seen = counted(result.notebooks, "notebook")
    if not result.findings:
        return f"{style.sign('success')} {seen}, nothing found"
    by = [
        counted(number, severity)
        for severity in _COLOURS
        if (number := sum(found.severity == severity for found in result.findings))
    ]
    sign = style.sign("failed" if result.errors else "success")
    return f"{sign} {seen}: {', '.join(by)}"


def graphed(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The cells with what they take and give, or the graph in another language."""
    if asked.request.mermaid or asked.request.dot:
        draw = mermaid if asked.request.mermaid else dot
        out.write(draw(result.cells, result.edges))
        return
    if result.of is not None:
        out.print(_about(result, out.style))
    out.print(*graph_lines(result.cells, result.edges, style=out.style, columns=out.columns))
    if not result.cells:
        out.print("there are no code cells")


def _about(result: Any, style: Style) -> str:
    others = [cell.index for cell in result.cells if cell.index != result.of]
    listed = ", ".join(map(str, others))
    if result.direction == "downstream":
        said = f"an edit of cell {result.of} touches"
    else:
        said = f"cell {result.of} depends on"
    told = f"{counted(len(others), 'cell')}: {listed}" if others else "no other cell"
    return f"{style.paint(said, 'bold')} {told}"
