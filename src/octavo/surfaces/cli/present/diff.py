"""`octavo diff`: what changed, in the terminal, as Markdown or as a page; and what git asks for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from octavo.errors import UsageError
from octavo.render.columns import fit, plain
from octavo.render.diff_terminal import DiffDrawer
from octavo.render.images import How
from octavo.render.style import Style
from octavo.surfaces.cli.pager import Pager
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.present.notebook import PROTOCOLS, images_for, images_in_pager
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

#: How wide lines are where git hands them to its pager, which cuts or wraps them itself.
GIT_COLUMNS = 100


def difference(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """All files, one below the other."""
    options = asked.options
    if options.html is not None:
        _write_page(result.files, options.html, out)
    elif options.markdown:
        out.write(_markdown(result.files, options.figures))
    else:
        _draw(result.files, asked, out)


def _draw(files: Sequence[Any], asked: Asked, out: Screen) -> None:
    """As lines; a pager cannot show the images of graphics protocols."""
    how = images_for(asked.options.images, out, os.environ)
    chosen = asked.options.images == "auto" and how in PROTOCOLS
    in_pager = images_in_pager(os.environ) if chosen else how
    wanted = not asked.options.no_pager and in_pager not in PROTOCOLS
    pager = Pager(out, os.environ, wanted=wanted)
    lines = _lines(files, asked, out, in_pager)
    if how != in_pager and not pager.takes(lines):
        lines = _lines(files, asked, out, how)
    pager.print(lines)


def _lines(files: Sequence[Any], asked: Asked, out: Screen, images: How) -> list[str]:
    full, wrap = asked.options.full, out.is_terminal
    drawer = DiffDrawer(out.style, out.columns, images, full=full, wrap=wrap)
    lines: list[str] = []
    for file in files:
        lines += [*([""] if lines else []), *_file(file, drawer, out.style, out.columns)]
    return lines or ["no differences"]


def _file(file: Any, drawer: DiffDrawer, style: Style, columns: int) -> list[str]:
    sides = file.sides if style.unicode else file.sides.replace("→", "->")
    head = f"{style.paint(plain(file.title), 'bold')}  {style.paint(plain(sides), 'dim')}"
    lines = [*fit(head, columns)]
    if file.note:
        lines.append(style.paint(plain(file.note), "dim"))
    if file.problem is not None:
        return [*lines, f"{style.sign('failed')} {plain(file.problem.message)}",
                f"  {style.paint('hint:', 'cyan')} {plain(file.problem.hint)}"]  # fmt: skip
    return [*lines, *drawer.lines(file.old, file.new, file.changes, file.ignore)]


def _markdown(files: Sequence[Any], folder: str | None) -> str:
    from octavo.render.diff_markdown import changes_markdown, code_span

    address = None if folder is None else lambda data, mime: _written(folder, data, mime)
    texts = []
    for file in files:
        note = f"{file.note}.\n\n" if file.note else ""
        if file.problem is not None:
            told = f"It cannot be compared: {code_span(file.problem.message)}\n"
        else:
            told = changes_markdown(
                file.old, file.new, limit=10**9, ignore=file.ignore, address=address
            )
        texts.append(f"## {code_span(file.title)}\n\n{code_span(file.sides)}\n\n{note}{told}")
    return "\n".join(texts) or "No differences.\n"


def _written(folder: str, data: str, mime: str) -> str:
    """The address of an image that is written to a folder, under a name that its content gives."""
    from base64 import b64decode
    from hashlib import sha256
    from urllib.parse import quote

    try:
        content = data.encode("utf-8", "replace") if "svg" in mime else b64decode(data)
    except ValueError:
        content = b""
    suffix = mime.removeprefix("image/").removesuffix("+xml").replace("jpeg", "jpg")
    path = os.path.join(folder, f"{sha256(content).hexdigest()[:16]}.{suffix}")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        raise _unwritable(path, error) from error
    return quote(path)


def _unwritable(path: str, error: OSError) -> UsageError:
    return UsageError(
        "output-unwritable",
        f"cannot write: {(error.strerror or str(error)).lower()}",
        place=path,
        hint="check that the folder exists and that you may write to it",
    )


def _write_page(files: Sequence[Any], path: str, out: Screen) -> None:
    from octavo.render.diff_html import diff_page

    page = diff_page(files)
    if path == "-":
        out.write(page)
        return
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(page)
    except OSError as error:
        raise _unwritable(path, error) from error
    out.print(f"{out.style.sign('success')} {plain(path)}")


def driver(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """For `git diff`, which pages and colours by itself: in colour where its pager is."""
    paged = bool(os.environ.get("GIT_PAGER_IN_USE")) and not os.environ.get("NO_COLOR")
    style = Style(colour=out.style.colour or paged, unicode=out.style.unicode)
    columns = out.columns if out.is_terminal else GIT_COLUMNS
    lines = [style.paint(plain(line), "bold") for line in result.lines]
    drawer = DiffDrawer(style, columns, "none", wrap=out.is_terminal)
    if result.file is not None:
        file = result.file
        lines += drawer.lines(file.old, file.new, file.changes, file.ignore)
    elif result.texts is not None:
        lines += drawer.texts(*result.texts)
    out.print(*lines, "")


def textconv(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The notebook as text."""
    from octavo.render.diff_text import notebook_text

    out.write(result.text if result.document is None else notebook_text(result.document))
