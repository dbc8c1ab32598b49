"""Outputs in a compact form, for readers who pay for every word.

An output is told by its kind, one line about it, and the lines that can be read of it. What is
encoded is never among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from octavo.events.spilled import size_text
from octavo.records.scraps import is_scrap, is_scrap_type, scraps_in
from octavo.render.compact_charts import VEGA_MARK, plotly, vega, vega_in_html
from octavo.render.compact_errors import error
from octavo.render.compact_images import image, svg
from octavo.render.compact_json import json_shape
from octavo.render.compact_tables import frame_in_html, frame_in_text, html_text
from octavo.render.compact_text import clean_lines, joined, short, without_base64
from octavo.render.compact_value import Compact
from octavo.render.html import has_table
from octavo.render.scraps import scrap_text

__all__ = ["Compact", "compact", "glance", "kind_of"]

#: What IPython writes for an object that has only a rich form.
_PLACEHOLDER = re.compile(r"<[\w.]+(?: object)?(?: at 0x[0-9a-fA-F]+)?>$|<Figure size .*>$")
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
_WIDGET = "application/vnd.jupyter.widget-view+json"

Bundle = Mapping[str, Any]


def compact(output: Mapping[str, Any]) -> Compact:
    """The compact form of an output as nbformat spells it; whatever is in it."""
    kind = output.get("output_type")
    try:
        if kind == "stream":
            return _stream(output)
        if kind == "error":
            return error(output)
        return _bundle(_data(output), _mapping(output.get("metadata")))
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError):
        # Not what its media type promises; it is told by that.
        return _unknown(_data(output))


def kind_of(output: Mapping[str, Any]) -> str:
    """What an output is, in a word, without a look at its content."""
    kind = output.get("output_type")
    if kind == "stream":
        return "stderr" if output.get("name") == "stderr" else "stdout"
    if kind == "error":
        return "error"
    data = _data(output)
    if is_scrap(data):
        return "scrap"
    mime = _chosen(data)
    if mime is None:
        return "other" if data else "nothing"
    if mime == "text/html":
        html = joined(data[mime])
        return "vega" if VEGA_MARK in html else "table" if has_table(html) else "html"
    return _KINDS.get(mime) or _family(mime)


def glance(output: Mapping[str, Any]) -> tuple[str, str]:
    """Kind and size of an output, or what an error says, without a look at its content."""
    kind = kind_of(output)
    if kind == "error":
        return kind, short(f"{output.get('ename')}: {output.get('evalue')}", 80)
    if kind in ("stdout", "stderr"):
        return kind, size_text(_length(output.get("text", "")))
    data = _data(output)
    if kind == "scrap":
        names = ", ".join(short(name, 30) for name in list(scraps_in(data))[:3])
        return kind, names
    mime = _chosen(data)
    return kind, _size(data[mime]) if mime is not None else ""


def _size(content: Any) -> str:
    """The size of text; of what is structured, which would have to be walked, none."""
    return size_text(_length(content)) if isinstance(content, (str, list)) else ""


def _length(content: Any) -> int:
    if isinstance(content, list):
        return sum(len(each) for each in content if isinstance(each, str))
    return len(content) if isinstance(content, str) else 0


def _data(output: Mapping[str, Any]) -> Bundle:
    return _mapping(output.get("data"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _stream(output: Mapping[str, Any]) -> Compact:
    text = joined(output.get("text", ""))
    kind = "stderr" if output.get("name") == "stderr" else "stdout"
    frame = frame_in_text(text) if kind == "stdout" else None
    return frame or Compact.of_lines(kind, "", clean_lines(text))


def _bundle(data: Bundle, metadata: Mapping[str, Any]) -> Compact:
    if is_scrap(data):
        return _scraps(data, metadata)
    mime = _chosen(data)
    if mime is None:
        return _unknown(data)
    reader = _READERS.get(mime) or _READERS[_family(mime)]
    return reader(data, mime)


def _scraps(data: Bundle, metadata: Mapping[str, Any]) -> Compact:
    """The values by name; what is displayed beside them follows."""
    found = scraps_in(data, metadata)
    lines = tuple(
        f"{short(name, 60)}: {_type(value)} = {short(scrap_text(value, 400), 400)}"
        for name, value in found.items()
    )
    shown = {mime: value for mime, value in data.items() if not is_scrap_type(mime)}
    rest = _bundle(shown, metadata) if _chosen(shown) else None
    about = ", ".join(short(name, 40) for name in list(found)[:4])
    if rest is None:
        return Compact("scrap", lines[0]) if len(lines) == 1 else Compact("scrap", about, lines)
    return Compact("scrap", about, (*lines, f"{rest.kind} {rest.about}".rstrip(), *rest.lines))


def _type(value: Any) -> str:
    if isinstance(value, Mapping) and "encoder" in value:
        return "table" if value["encoder"] == "pandas" else short(value["encoder"], 20)
    names = {bool: "bool", int: "int", float: "float", str: "text", list: "list", dict: "object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _chosen(data: Bundle) -> str | None:
    """The media type of a bundle that says most for its length."""
    plain_text = joined(data.get("text/plain", ""))
    if len(data) == 1 and "text/plain" in data:
        return "text/plain" if plain_text.strip() else None
    said = bool(plain_text.strip()) and _PLACEHOLDER.match(plain_text.strip()) is None
    for mime in data:
        if _family(mime) in ("plotly", "vega", "widget"):
            return mime
    html = joined(data.get("text/html", ""))
    if html and (not said or has_table(html) or VEGA_MARK in html):
        return "text/html"
    for mime in ("image/svg+xml", *_IMAGES, "text/markdown", "text/latex"):
        if mime in data:
            return mime
    structured = next((mime for mime in data if _family(mime) == "json"), None)
    if structured is not None:
        return structured
    if said:
        return "text/plain"
    others = [mime for mime in data if mime != "text/plain"]
    return others[0] if others else None


def _family(mime: str) -> str:
    if mime.startswith("application/vnd.plotly."):
        return "plotly"
    if mime.startswith(("application/vnd.vega.", "application/vnd.vegalite.")):
        return "vega"
    if mime == _WIDGET:
        return "widget"
    if mime in _IMAGES:
        return "image"
    if mime == "application/json" or mime.endswith("+json"):
        return "json"
    return "other"


def _plotly(data: Bundle, mime: str) -> Compact:
    return plotly(data[mime])


def _vega(data: Bundle, mime: str) -> Compact:
    return vega(data[mime])


def _html(data: Bundle, mime: str) -> Compact:
    html = joined(data[mime])
    return vega_in_html(html) or frame_in_html(html) or html_text(html)


def _svg(data: Bundle, mime: str) -> Compact:
    return svg(joined(data[mime]))


def _image(data: Bundle, mime: str) -> Compact:
    found = image(mime, joined(data[mime]))
    text = joined(data.get("text/plain", "")).strip()
    if not text or _PLACEHOLDER.match(text):
        return found
    return found.replace(lines=clean_lines(text).lines)


def _markdown(data: Bundle, mime: str) -> Compact:
    return Compact.of_lines("markdown", "", clean_lines(joined(data[mime])))


def _latex(data: Bundle, mime: str) -> Compact:
    latex = clean_lines(joined(data[mime]).strip())
    text = short(data.get("text/plain", ""), 120)
    return Compact.of_lines("latex", "" if _PLACEHOLDER.match(text) else text, latex)


def _json(data: Bundle, mime: str) -> Compact:
    return json_shape(data[mime], "" if mime == "application/json" else short(mime, 60))


def _widget(data: Bundle, mime: str) -> Compact:
    text = clean_lines(joined(data.get("text/plain", "")))
    view = _mapping(data[mime]).get("model_id")
    return Compact.of_lines("widget", "" if text.lines else short(f"model {view}", 60), text)


def _text(data: Bundle, mime: str) -> Compact:
    text = joined(data[mime])
    return frame_in_text(text) or Compact.of_lines("text", "", clean_lines(text))


def _other(data: Bundle, mime: str) -> Compact:
    return _unknown({mime: data[mime]})


def _unknown(data: Bundle) -> Compact:
    """What nobody can read here: its media type and its size."""
    told = [f"{short(mime, 60)} {_size(content)}".rstrip() for mime, content in data.items()]
    return Compact("other", without_base64(", ".join(told[:4])), ())


_READERS: dict[str, Callable[[Bundle, str], Compact]] = {
    "plotly": _plotly,
    "vega": _vega,
    "widget": _widget,
    "image": _image,
    "json": _json,
    "other": _other,
    "text/html": _html,
    "image/svg+xml": _svg,
    "text/markdown": _markdown,
    "text/latex": _latex,
    "text/plain": _text,
}
_KINDS = {
    "image/svg+xml": "svg",
    "text/markdown": "markdown",
    "text/latex": "latex",
    "text/plain": "text",
}
