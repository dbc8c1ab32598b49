"""New notebooks and changed cells, for people."""

from __future__ import annotations

from typing import Any

from octavo.render.columns import plain
from octavo.render.style import Style
from octavo.render.tables import table
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

_DONE = {
    "replace": "replaced", "substitute": "changed", "insert": "inserted", "delete": "deleted",
    "move": "moved", "rename": "renamed", "tag": "tagged", "untag": "untagged",
    "kind": "of another kind",
}  # fmt: skip
_BESIDE = {
    "left": "left as it was",
    "out-of-step": "was not in step before, and is as it was; octavo sync looks at both",
    "would-follow": "would follow",
    "conflict": "cannot follow: run octavo sync",
    "problem": "cannot follow: run octavo sync",
    "in-step": "in step",
}


def edited(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Each touched cell in a line, then what changed in the file."""
    style = out.style
    if not result.changed:
        out.print(f"{style.sign('not-run')} {plain(result.path)} is so already")
        return
    would = " would be" if result.dry_run else ""
    for cell in result.cells:
        out.print(f"{style.sign('success')} {plain(result.path)}  {_about(cell, would, style)}")
    if result.merged:
        out.print("  others changed it meanwhile: their changes are kept")
    if result.beside:
        told = _BESIDE.get(result.beside.status, result.beside.status)
        out.print(f"  {plain(result.beside.path)} {told}")
    out.print("", *(_painted(line, style) for line in result.diff.split("\n")))
    if result.diff_cut:
        out.print(style.paint("… more is left out here", "dim"))


def _about(cell: Any, would: str, style: Style) -> str:
    index = cell.before_index if cell.index is None else cell.index
    arrow = style.pick("→", "->")
    if cell.op == "move":
        where = f"from {cell.before_index} {arrow} {cell.index}"
        return f"cell {index}{would} moved {where}"
    known = [known for known in (cell.before_handle, cell.handle) if known]
    handles = f" {arrow} ".join(dict.fromkeys(known))
    return f"cell {index}{would} {_DONE[cell.op]}  {style.paint(handles, 'dim')}"


def _painted(line: str, style: Style) -> str:
    text = plain(line)
    if line.startswith(("---", "+++")):
        return style.paint(text, "bold")
    manner = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
    return style.paint(text, manner) if manner else text


def created(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The new notebook and what to do with it, its text, or the templates that there are."""
    style = out.style
    if result.templates:
        rows = [
            (style.paint(each.name, "cyan"), each.about, style.paint(each.where, "dim"))
            for each in result.templates
        ]
        out.print(*table(rows, head=("template", "", ""), style=style))
    elif result.text is not None:
        out.write(result.text)
    else:
        out.print(
            f"{style.sign('success')} {plain(result.path)}  from the template {result.template}"
        )
        if result.beside:
            out.print(f"  {plain(result.beside)} beside it")
        out.print(style.paint(f"  octavo run {plain(result.path)}", "dim"))
