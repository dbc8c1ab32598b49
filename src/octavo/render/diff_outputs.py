"""What changed in the outputs of a cell: texts and tables by line, images by their size."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.events.spilled import size_text
from octavo.notebook.diff.cells import output_pairs
from octavo.notebook.diff.changes import CellChange, joined
from octavo.notebook.diff.hunks import Hunk, all_lines, line_hunks
from octavo.notebook.diff.values import same, spelled
from octavo.records.scraps import is_scrap_type
from octavo.render.columns import one_line, plain, settled
from octavo.render.png import Undrawable, size_of
from octavo.value import Value

Json = Mapping[str, Any]
#: The first of these that an output has is what people look at.
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")
_TEXTS = ("text/markdown", "text/latex", "text/plain")
#: A table is drawn so wide before its lines are compared.
_WIDE = 400
#: Of a text that can only be looked at as a whole, so many characters are enough.
_LARGEST_HTML = 400_000


class OutputChange(Value):
    """What became of an output: `how` is `added`, `removed` or `changed`.

    `title` says what it is. A text has `hunks`; an image has `old` and `new` (base64, or the
    text of an SVG, of the type `mime`); anything else has a `note` only.
    """

    how: str
    title: str
    hunks: tuple[Hunk, ...] = ()
    note: str = ""
    mime: str = ""
    old: str | None = None
    new: str | None = None

    @property
    def is_image(self) -> bool:
        return bool(self.mime)


def output_changes(change: CellChange) -> list[OutputChange]:
    """What changed in the outputs of a cell; scraps are told elsewhere."""
    old, new = change.outputs("old"), change.outputs("new")
    found: list[OutputChange] = []
    i = j = 0
    for at, other in [*output_pairs(old, new), (len(old), len(new))]:
        found += [one for each in old[i:at] for one in _lone("removed", each)]
        found += [one for each in new[j:other] for one in _lone("added", each)]
        if at < len(old) and not same(old[at], new[other]):
            found += _changed(old[at], new[other])
        i, j = at + 1, other + 1
    if not found and change.how not in ("added", "removed"):
        found.append(OutputChange("changed", "scraps"))
    return found


class _Form(Value):
    """An output in the form that people look at."""

    title: str
    text: str | None = None
    mime: str = ""
    data: str = ""


def _lone(how: str, output: Json) -> Iterator[OutputChange]:
    form = _form(output)
    if form is None:
        return
    if form.mime:
        gone = how == "removed"
        sides = (form.data if gone else None, None if gone else form.data)
        yield OutputChange(how, form.title, (), _image_note(*sides, form.mime), form.mime, *sides)
    elif form.text is not None:
        sign = "-" if how == "removed" else "+"
        yield OutputChange(how, form.title, (all_lines(sign, form.text),))
    else:
        yield OutputChange(how, form.title, (), size_text(len(form.data)))


def _changed(old: Json, new: Json) -> Iterator[OutputChange]:
    one, other = _form(old), _form(new)
    if one is None or other is None or one.title != other.title:
        yield from _lone("removed", old)
        yield from _lone("added", new)
    elif one.text is not None and other.text is not None:
        hunks = tuple(line_hunks(one.text, other.text))
        yield OutputChange("changed", one.title, hunks, "" if hunks else _unseen(old, new))
    elif one.mime and one.data != other.data:
        sides = one.data, other.data
        yield OutputChange(
            "changed", one.title, (), _image_note(*sides, one.mime), one.mime, *sides
        )
    elif one.data != other.data:
        sizes = " → ".join(size_text(len(form.data)) for form in (one, other))
        yield OutputChange("changed", one.title, (), sizes)
    else:
        yield OutputChange("changed", one.title, (), _unseen(old, new))


def _unseen(old: Json, new: Json) -> str:
    """What differs in an output that looks the same."""
    one, other = old.get("data"), new.get("data")
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        mimes = [m for m in {**one, **other} if not same(one.get(m), other.get(m))]
        mimes = [m for m in mimes if not is_scrap_type(str(m))]
        if mimes:
            return f"only {', '.join(one_line(str(mime), 60) for mime in mimes[:3])}"
    return "its details"


def _form(output: Json) -> _Form | None:
    """None for an output that only hands out a scrap."""
    kind = output.get("output_type")
    if kind == "stream":
        return _Form(str(output.get("name") or "stream"), _clean(joined(output.get("text", ""))))
    if kind == "error":
        trace = output.get("traceback")
        lines = "\n".join(map(str, trace)) if isinstance(trace, list | tuple) else ""
        told = lines or f"{output.get('ename')}: {output.get('evalue')}"
        return _Form("error", _clean(told))
    data = output.get("data")
    bundle = data if isinstance(data, Mapping) else {}
    shown = {str(mime): value for mime, value in bundle.items() if not is_scrap_type(str(mime))}
    return _bundle_form(shown) if shown or not bundle else None


def _bundle_form(data: Mapping[str, Any]) -> _Form:
    for mime in IMAGES:
        if mime in data:
            return _Form(mime, None, mime, joined(data[mime]))
    table = _table(joined(data.get("text/html", "")))
    if table is not None:
        return _Form("table", table)
    if "application/json" in data:
        return _Form("JSON", _json(data["application/json"]))
    for mime in _TEXTS:
        if mime in data:
            return _Form(_title(mime), _clean(joined(data[mime])))
    if "text/html" in data:
        return _Form("HTML", _clean(joined(data["text/html"])))
    mime = next(iter(data), "output")
    value = data.get(mime, "")
    return _Form(mime, None, "", value if isinstance(value, str) else spelled(value))


def _title(mime: str) -> str:
    return {"text/plain": "text", "text/markdown": "Markdown", "text/latex": "LaTeX"}[mime]


def _table(html: str) -> str | None:
    """The tables of a document, drawn; None where there are none."""
    if not html or len(html) > _LARGEST_HTML:
        return None
    from octavo.render.grids import GridDrawer
    from octavo.render.html import Grid, has_table, html_blocks
    from octavo.render.style import PLAIN

    if not has_table(html):
        return None
    drawer = GridDrawer(PLAIN, _WIDE, full=True)
    grids = [block for block in html_blocks(html) if isinstance(block, Grid)]
    return "\n\n".join("\n".join(drawer.lines(grid)) for grid in grids)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)


def _clean(text: str) -> str:
    """What is left to see of a text. Control characters go when its lines are shown."""
    return plain(settled(text)) if "\x1b" in text or "\r" in text or "\b" in text else text


def _image_note(old: str | None, new: str | None, mime: str) -> str:
    """The sizes of an image: `640×480 → 800×600`; of one that is no PNG, its weight."""
    sides = [image_size(each, mime) for each in (old, new) if each is not None]
    return " → ".join(sides)


def image_size(data: str, mime: str) -> str:
    """Width and height of a PNG image, else how much it is."""
    if mime == "image/png":
        try:
            width, height = size_of(b64decode(data[:64]))
        except (Undrawable, ValueError):
            pass
        else:
            return f"{width}×{height}"
    return size_text(len(data) if "svg" in mime else len(data) * 3 // 4)


def shown_lines(hunks: Sequence[Hunk]) -> int:
    """How many lines hunks have."""
    return sum(len(hunk.lines) for hunk in hunks)
