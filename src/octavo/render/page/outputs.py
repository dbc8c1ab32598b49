"""The outputs of a cell on a page: of every bundle the form that a page can show best."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from octavo.records.scraps import is_scrap, is_scrap_type, scraps_in
from octavo.render.compact import compact
from octavo.render.compact_charts import VEGA_MARK
from octavo.render.compact_errors import error as compact_error
from octavo.render.compact_images import image as compact_image
from octavo.render.figures import counted, size_text
from octavo.render.page.code import code_html
from octavo.render.page.colours import coloured_html
from octavo.render.page.foreign import Cleaner
from octavo.render.page.markup import Ids, joined, listed, mapping, text
from octavo.render.page.maths import Maths
from octavo.render.page.prose import Prose, data_address
from octavo.render.page.widgets import Widgets
from octavo.render.scraps import scrap_text
from octavo.value import Value

#: Of longer text so many lines are seen at once, the rest is folded.
OPEN_LINES, HEAD_LINES = 40, 25
#: More of one output is left out of the page.
MOST_CHARACTERS, MOST_LINES = 2_000_000, 20_000
#: A table with more rows is folded.
OPEN_ROWS = 120

_PLACEHOLDER = re.compile(r"<[\w.]+(?: object)?(?: at 0x[0-9a-fA-F]+)?>$|<Figure size .*>$")
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
_JSONS = ("application/json", "application/geo+json", "application/ld+json")
_WIDGET = "application/vnd.jupyter.widget-view+json"
_ROW = re.compile("<tr", re.IGNORECASE)
_DOLLARS = re.compile(r"\s*(\$\$?)(.*?)\1\s*", re.DOTALL)

Bundle = Mapping[str, Any]


class Tools(Value):
    """What draws the parts of one page."""

    ids: Ids
    maths: Maths
    prose: Prose
    cleaner: Cleaner
    widgets: Widgets


class OutputWriter:
    """Draws outputs as parts of a page."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._number = 0
        self._figures = 0

    def html(self, outputs: Sequence[Any]) -> str:
        """All outputs of a cell; streams that were written in pieces are one."""
        return "".join(self._one(output) for output in _merged(outputs))

    def _one(self, output: Mapping[str, Any]) -> str:
        kind = output.get("output_type")
        if kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return _terminal(joined(output.get("text", "")), name)
        if kind == "error":
            return _error(output)
        data = mapping(output.get("data"))
        try:
            return self._bundle(data, mapping(output.get("metadata")))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            # Not what its media type promises: it is told, and the page goes on.
            return _told(output)

    def _bundle(self, data: Bundle, metadata: Mapping[str, Any]) -> str:
        if is_scrap(data):
            shown = {mime: value for mime, value in data.items() if not is_scrap_type(mime)}
            return _scraps(data) + (self._bundle(shown, metadata) if shown else "")
        for test, draw in self._forms():
            if test(data):
                drawn = draw(data, metadata)
                if drawn:
                    return drawn
        return _told({"output_type": "display_data", "data": data}) if data else ""

    def _forms(
        self,
    ) -> Iterator[tuple[Callable[[Bundle], bool], Callable[[Bundle, Bundle], str]]]:
        """The forms of a bundle, the best first."""
        yield lambda data: any(mime in data for mime in _IMAGES), self._image
        yield lambda data: "image/svg+xml" in data, self._svg
        yield _is_chart, lambda data, _: _card(data)
        yield lambda data: _WIDGET in data, self._widget
        yield lambda data: "text/html" in data, self._html
        yield lambda data: "text/markdown" in data, self._markdown
        yield lambda data: "text/latex" in data, self._latex
        yield lambda data: _json_of(data) is not None, lambda data, _: _json(data)
        yield lambda data: "text/plain" in data, lambda data, _: _plain(data, "result")

    def _image(self, data: Bundle, metadata: Bundle) -> str:
        mime = next(each for each in _IMAGES if each in data)
        encoded = joined(data[mime])
        address = data_address(mime, encoded)
        if address is None:
            return '<p class="note">an image that is damaged</p>\n'
        size = mapping(metadata.get(mime))
        wide = _pixels(size.get("width") or metadata.get("width"))
        natural = compact_image(mime, encoded[:400_000]).facts.get("pixels")
        told = f' width="{wide}"' if wide else _natural(natural)
        return self._figure(address, told, data)

    def _svg(self, data: Bundle, metadata: Bundle) -> str:
        """As an image, not as a part of the page: there its scripts and links do nothing."""
        drawing = joined(data["image/svg+xml"])
        if "xmlns" not in drawing[:4000]:
            drawing = drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
        address = data_address("image/svg+xml", drawing)
        return self._figure(address, "", data) if address else ""

    def _figure(self, address: str, size: str, data: Bundle) -> str:
        self._figures += 1
        words = joined(data.get("text/plain", "")).strip()
        said = words if words and not _PLACEHOLDER.match(words) else f"Figure {self._figures}"
        shown = f'<img src="{address}" alt="{text(said[:200])}"{size} decoding="async">'
        return f'<figure class="output">{shown}</figure>\n'

    def _html(self, data: Bundle, metadata: Bundle) -> str:
        html = joined(data["text/html"])
        words = joined(data.get("text/plain", ""))
        self._number += 1
        name = f"octavo-output-{self._number}"
        foreign = self._tools.cleaner.clean(html, scope=f"#{name}")
        if foreign is None or ("sk-top-container" in html and words.strip()):
            return _plain(data, "result") if words.strip() else _told({"data": data})
        bare = re.sub(r"<(?!img|audio|video|hr|progress|meter)[^>]*>", "", foreign.html).strip()
        if not bare or (foreign.acting and len(bare) < 20):
            return self._without_html(data, metadata, acting=foreign.acting)
        light = " light" if foreign.light else ""
        inner = f"{foreign.sheet}{foreign.html}"
        shown = f'<div class="output html{light}" id="{name}">\n{inner}\n</div>\n'
        rows = len(_ROW.findall(foreign.html))
        return _folded(f"table, {counted(rows, 'row')}", shown) if rows > OPEN_ROWS else shown

    def _without_html(self, data: Bundle, metadata: Bundle, *, acting: bool) -> str:
        """What stands for HTML that shows nothing unless its scripts run."""
        if VEGA_MARK in joined(data["text/html"]):
            return _card(data)
        rest = {mime: value for mime, value in data.items() if mime != "text/html"}
        words = joined(rest.get("text/plain", "")).strip()
        if rest and (len(rest) > 1 or (words and not _PLACEHOLDER.match(words))):
            return self._bundle(rest, metadata)
        if not acting:
            return ""
        return _card(data, "what it shows is drawn by a script, which this page does not run")

    def _widget(self, data: Bundle, metadata: Bundle) -> str:
        shown = self._tools.widgets.text(mapping(data[_WIDGET]).get("model_id"))
        return _terminal(shown, "widget") if shown else _plain(data, "widget")

    def _markdown(self, data: Bundle, metadata: Bundle) -> str:
        prose = self._tools.prose.html(joined(data["text/markdown"]), outline=False)
        return f'<div class="output prose">\n{prose}</div>\n'

    def _latex(self, data: Bundle, metadata: Bundle) -> str:
        tex = joined(data["text/latex"])
        found = _DOLLARS.fullmatch(tex)
        formula = self._tools.maths.html(found[2] if found else tex, display=True)
        return f'<div class="output formula">{formula}</div>\n'


def _merged(outputs: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    waiting: dict[str, Any] | None = None
    for output in outputs:
        if not isinstance(output, Mapping):
            continue
        is_stream = output.get("output_type") == "stream"
        if waiting and is_stream and output.get("name") == waiting["name"]:
            waiting["text"].append(joined(output.get("text", "")))
            continue
        if waiting:
            yield waiting
        waiting = None
        if is_stream:
            waiting = {
                **output,
                "name": output.get("name"),
                "text": [joined(output.get("text", ""))],
            }
        else:
            yield output
    if waiting:
        yield waiting


def _terminal(raw: str, name: str) -> str:
    """Text as a terminal shows it; what is long is folded."""
    if not raw.strip("\n"):
        return ""
    raw, gone = _bounded(raw)
    lines = raw.rstrip("\n").split("\n")
    if len(lines) <= OPEN_LINES:
        return f'<pre class="output {name}">{coloured_html(raw.rstrip(chr(10)))}{gone}</pre>\n'
    head, rest = "\n".join(lines[:HEAD_LINES]), "\n".join(lines[HEAD_LINES:])
    return (
        f'<pre class="output {name} cut">{coloured_html(head)}</pre>\n'
        f'<details class="rest"><summary>{counted(len(lines) - HEAD_LINES, "more line")}'
        f'</summary>\n<pre class="output {name}">{coloured_html(rest)}{gone}</pre></details>\n'
    )


def _bounded(raw: str) -> tuple[str, str]:
    """The part of a text that goes onto the page, and a note about the rest."""
    size = len(raw)
    kept = raw[:MOST_CHARACTERS]
    lines = kept.split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        kept = "\n".join(lines[:MOST_LINES])
    if len(kept) == size:
        return raw, ""
    return kept, f'\n<span class="quiet">… {size_text(size - len(kept))} left out</span>'


def _error(output: Mapping[str, Any]) -> str:
    """What was raised and where, and the whole traceback for whoever opens it."""
    told = compact_error(output)
    lines = "\n".join(told.lines[:30])
    trace = "\n".join(map(str, listed(output.get("traceback"))))
    whole = ""
    if trace.strip():
        kept, gone = _bounded(trace)
        whole = (
            "<details><summary>whole traceback</summary>\n"
            f"<pre>{coloured_html(kept)}{gone}</pre></details>\n"
        )
    frames = f"<pre>{text(lines)}</pre>\n" if lines.strip() else ""
    return (
        f'<div class="output error">\n<p class="raised">{text(told.about)}</p>\n'
        f"{frames}{whole}</div>\n"
    )


def _scraps(data: Bundle) -> str:
    rows = "".join(
        f'<p class="scrap"><span>{text(name)}</span> <code>{text(scrap_text(value, 200))}</code>'
        "</p>\n"
        for name, value in scraps_in(data).items()
    )
    return f'<div class="output scraps">\n{rows}</div>\n' if rows else ""


def _is_chart(data: Bundle) -> bool:
    return any(
        mime.startswith(("application/vnd.plotly.", "application/vnd.vega")) for mime in data
    )


def _card(data: Bundle, note: str = "") -> str:
    """A chart that is data: what it shows, in words."""
    told = compact({"output_type": "display_data", "data": data})
    lines = "\n".join(told.lines[:40])
    shown = f"<pre>{text(lines)}</pre>\n" if lines.strip() else ""
    said = f'<p class="note">{text(note)}</p>\n' if note else ""
    head = f"<strong>{text(told.kind)}</strong> {text(told.about)}"
    return f'<div class="output card">\n<p>{head}</p>\n{shown}{said}</div>\n'


def _json_of(data: Bundle) -> str | None:
    """The media type of JSON that is for readers; that of a tool is for its scripts."""
    return next((mime for mime in _JSONS if mime in data), None)


def _json(data: Bundle) -> str:
    mime = _json_of(data)
    shown = json.dumps(data[str(mime)], indent=2, ensure_ascii=False, default=str)
    kept, gone = _bounded(shown)
    lines = kept.count("\n") + 1
    block = f'<pre class="output source"><code>{code_html(kept, "json")}</code>{gone}</pre>\n'
    return block if lines <= OPEN_LINES else _folded(f"JSON, {counted(lines, 'line')}", block)


def _plain(data: Bundle, name: str) -> str:
    return _terminal(joined(data.get("text/plain", "")), name)


def _folded(title: str, shown: str) -> str:
    return f'<details class="rest"><summary>{text(title)}</summary>\n{shown}</details>\n'


def _told(output: Mapping[str, Any]) -> str:
    """An output that a page cannot show: what it is."""
    told = compact({"output_type": "display_data", **output})
    about = f"{told.kind} {told.about}".strip()
    return f'<p class="output note">{text(about)}</p>\n' if about else ""


def _pixels(value: Any) -> int | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 20_000:
        return int(value)
    return None


def _natural(pixels: Any) -> str:
    """The size of an image, so that the page does not jump when it has been decoded."""
    if isinstance(pixels, list) and all(0 < each < 100_000 for each in pixels):
        return f' width="{pixels[0]}" height="{pixels[1]}"'
    return ""
