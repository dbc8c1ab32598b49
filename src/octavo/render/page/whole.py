"""The page as a whole: head, outline, cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.notebook.injection import INJECTED_TAG
from octavo.render.page.about import About, header_html
from octavo.render.page.cells import CellWriter, tags_of
from octavo.render.page.foreign import Cleaner, Images
from octavo.render.page.look import STYLE
from octavo.render.page.markup import Ids, listed, mapping, text
from octavo.render.page.maths import Maths
from octavo.render.page.outputs import Tools
from octavo.render.page.prose import Heading, Prose
from octavo.render.page.widgets import Widgets

#: More headings are not in the outline.
MOST_HEADINGS = 300
#: Nothing is fetched, nothing runs, nothing is sent, and no frame shows the page as its own.
POLICY = (
    "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    document: Mapping[str, Any],
    about: About | None = None,
    *,
    code: bool = True,
    images: Images | None = None,
) -> str:
    """A notebook (an nbformat 4 dictionary with its outputs) as a page.

    `about` tells of the run; without `code` the code of cells is folded; `images` gives images
    that the prose names, as data.
    """
    about = about or About()
    ids, maths = Ids(), Maths()
    found: Images = images or (lambda address: None)
    prose = Prose(ids, maths, found)
    tools = Tools(ids, maths, prose, Cleaner(ids, found), Widgets(document))
    writer = CellWriter(tools, language_of(document), code=code)
    cells = [writer.html(cell, number) for cell, number in numbered(document)]
    title = next((each.title for each in prose.headings if each.level == 1), "") or about.name
    return "".join(_parts(title, about, prose.headings, cells))


def _parts(
    title: str, about: About, headings: Sequence[Heading], cells: Sequence[str]
) -> Iterator[str]:
    outline = _outline(headings)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )
    if outline:
        yield f'<nav class="outline" aria-label="Contents">\n{outline}</nav>\n'
    yield f"<main>\n{header_html(about)}"
    if outline:
        yield f'<details class="contents"><summary>Contents</summary>\n{outline}</details>\n'
    yield from cells or ['<p class="note">The notebook has no cells.</p>\n']
    yield "</main>\n</body>\n</html>\n"


def _outline(headings: Sequence[Heading]) -> str:
    shown = [each for each in headings if each.level <= 3 and each.title][:MOST_HEADINGS]
    if len(shown) < 2:
        return ""
    top = min(each.level for each in shown)
    items = "".join(
        f'<li class="l{each.level - top}"><a href="#{text(each.id)}">{text(each.title)}</a></li>\n'
        for each in shown
    )
    return f"<ol>\n{items}</ol>\n"


def language_of(document: Mapping[str, Any]) -> str:
    """The language of the code cells."""
    metadata = mapping(document.get("metadata"))
    spec, info = mapping(metadata.get("kernelspec")), mapping(metadata.get("language_info"))
    return str(spec.get("language") or info.get("name") or "python")


def numbered(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int | None]]:
    """Cells with the index that they have in the author's file: a run has put in one more."""
    ours = "run_id" in mapping(mapping(document.get("metadata")).get("octavo"))
    number = 0
    for cell in listed(document.get("cells")):
        if not isinstance(cell, Mapping):
            continue
        if ours and INJECTED_TAG in tags_of(cell):
            yield cell, None
        else:
            yield cell, number
            number += 1
