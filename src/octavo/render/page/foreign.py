"""HTML from notebooks, made fit for the page: what shows something stays, what acts is gone."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from octavo.errors import EnvironmentFailure
from octavo.render.page.declarations import declarations, prefixed, scoped, sets_colours
from octavo.render.page.markup import Ids, text
from octavo.value import Value

#: Longer or deeper HTML is told as text.
LONGEST, DEEPEST = 8_000_000, 400
#: What stands for markup of ours while HTML is cleaned; see `prose`.
MARKS = re.compile("[\ue000\ue001]")

_TAGS = {
    "a", "abbr", "audio", "b", "bdi", "bdo", "blockquote", "br", "caption", "center", "cite",
    "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption",
    "figure", "font", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li",
    "mark", "meter", "ol", "p", "pre", "progress", "q", "s", "samp", "section", "small", "source",
    "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th",
    "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr",
}  # fmt: skip
#: Gone with all that is in them.
_GONE = {
    "script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math",
    "title", "head", "select", "textarea", "button", "noembed", "noframes", "xmp", "canvas",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"id", "class", "style", "title", "align", "valign", "bgcolor", "lang", "dir"},
    "a": {"href", "name"},
    "img": {"src", "alt", "width", "height"},
    "audio": {"src", "controls"}, "video": {"src", "controls", "width", "height"},
    "source": {"src", "type"},
    "td": {"colspan", "rowspan", "width"}, "th": {"colspan", "rowspan", "width", "scope"},
    "col": {"span", "width"}, "colgroup": {"span"},
    "ol": {"start", "type", "reversed"}, "li": {"value"}, "details": {"open"},
    "progress": {"value", "max"}, "meter": {"value", "min", "max"}, "font": {"color"},
    "time": {"datetime"},
}  # fmt: skip
_LINK = re.compile(r"(?:https?|mailto):|[^:]*(?:[/?#]|$)", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\ufeff]")
_IMAGE = re.compile(r"data:image/(?:png|jpeg|jpg|gif|webp|bmp|svg\+xml)[;,]", re.IGNORECASE)
_MEDIA = re.compile(r"data:(?:audio|video)/[\w.+-]+[;,]", re.IGNORECASE)
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,30}")
_NUMBER = re.compile(r"\d{1,4}%?")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FRAME = re.compile(r"<iframe\b[^>]{0,4000}?\ssrc\s*=\s*[\"']?(https?://[^\s\"'<>]{1,2000})", re.I)
_SHEET = re.compile(r"<style\b[^>]{0,400}>(.*?)</style", re.IGNORECASE | re.DOTALL)
#: These need no end, or may not have one; they cannot be put into each other.
_NOT_NESTED = frozenset((
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
))  # fmt: skip

#: Gives the address of an image that a notebook names, as data; None where it is not to be had.
Images = Callable[[str], str | None]


class Foreign(Value):
    """Cleaned HTML, and the style sheet that goes with it.

    `light` says that it has colours of its own, made for a light ground; `acting` that scripts
    or frames were left out.
    """

    html: str
    sheet: str = ""
    light: bool = False
    acting: bool = False


class Cleaner:
    """Cleans what the outputs and the prose of one page bring."""

    def __init__(self, ids: Ids, images: Images) -> None:
        self._ids = ids
        self._images = images
        self._light = False

    def clean(self, html: str, *, scope: str = "") -> Foreign | None:
        """The HTML; None where it is too long or too deep. `scope` selects where it will stand."""
        if len(html) > LONGEST or too_deep(html):
            return None
        self._light = False
        safe = library().clean(
            html,
            tags=_TAGS,
            clean_content_tags=_GONE,
            attributes=_ATTRIBUTES,
            attribute_filter=self._attribute,
            url_schemes={"http", "https", "mailto", "data"},
            link_rel="noopener noreferrer nofollow",
        )
        rules = "\n".join(self._sheets(html, scope)) if scope and "<style" in html else ""
        sheet = f"<style>\n{rules}\n</style>\n" if rules else ""
        lowered = html.lower()
        acting = any(mark in lowered for mark in ("<script", "<iframe", "<object", "<embed"))
        light = self._light or sets_colours(rules.replace("{", ";"))
        return Foreign(safe + _framed(html), sheet, light, acting)

    def _sheets(self, html: str, scope: str) -> list[str]:
        found = (scoped(sheet[1], scope) for sheet in _SHEET.finditer(html))
        return [rules for rules in found if rules]

    def _attribute(self, tag: str, name: str, value: str) -> str | None:
        value = MARKS.sub("", value)
        if name == "id" or (tag == "a" and name == "name"):
            return self._ids.foreign(value) if name == "id" else value
        if name == "class":
            return prefixed(value) or None
        if name == "style":
            style = declarations(value)
            self._light = self._light or sets_colours(style)
            return style or None
        if name == "src":
            return self._source(tag, value)
        if name == "href":
            return link(value)
        return _checked(name, value)

    def _source(self, tag: str, value: str) -> str | None:
        if tag != "img":
            return value if _MEDIA.match(value) else None
        return value if _IMAGE.match(value) else self._images(value)


def _checked(name: str, value: str) -> str | None:
    if name in ("width", "height", "colspan", "rowspan", "span", "start"):
        return value if _NUMBER.fullmatch(value.strip().removesuffix("px")) else None
    if name in ("bgcolor", "color"):
        return value if _COLOUR.fullmatch(value.strip()) else None
    return value


def link(address: str) -> str | None:
    """An address that a reader may follow; None for one that would act by itself."""
    bare = _UNSEEN.sub("", address)
    return address.strip() if _LINK.match(bare) else None


def too_deep(html: str) -> bool:
    """Whether elements are put into each other further than anybody means them to be."""
    depth = 0
    for closing, name in _TAG.findall(html):
        if name.lower() not in _NOT_NESTED:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > DEEPEST:
                return True
    return False


def _framed(html: str) -> str:
    """Links to the pages that were to be shown in frames."""
    if "<iframe" not in html.lower():
        return ""
    links = (f'<p class="note">embedded page: <a href="{text(found[1])}" rel="noopener '
             f'noreferrer nofollow">{text(found[1][:200])}</a></p>'
             for found in list(_FRAME.finditer(html))[:20])  # fmt: skip
    return "".join(links)


@lru_cache(1)
def library() -> Any:
    """The sanitizer; EnvironmentFailure where it is not installed."""
    try:
        import nh3
    except ImportError as error:
        raise pages_missing("nh3") from error
    return nh3


def pages_missing(name: str) -> EnvironmentFailure:
    """What somebody is told who wants a page and has not what makes it."""
    return EnvironmentFailure(
        "extra-missing",
        f"a page needs {name}, which is not installed",
        hint="pip install 'octavo[pages]'",
    )
