"""Images by what their first bytes say, SVG by its size and its words."""

from __future__ import annotations

import re
import struct
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from itertools import islice

from octavo.render.compact_text import short
from octavo.render.compact_value import Compact
from octavo.render.figures import size_text

#: The size of a JPEG stands behind its thumbnails and profiles.
_LOOKED_AT = 400_000
_MOST_TEXTS = 200

_ROOT = re.compile(r"<svg\b[^>]{0,4000}")
_ATTRIBUTE = re.compile(r"""\b(width|height|viewBox)\s*=\s*["']([^"']{1,60})["']""")
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,400})")
_LONGEST_TEXT = 4000
_TAG = re.compile(r"<[^>]{0,2000}>")
#: matplotlib draws letters as paths, and says in a comment what they spell.
_COMMENT = re.compile(r"<g id=\"text_\d{1,6}\">\s{0,20}<!-- ([^<]{1,200}?) -->")
_ELEMENT = re.compile(r"<([a-zA-Z]+)")


def image(mime: str, encoded: str) -> Compact:
    """An image's kind, pixels and bytes."""
    size = len(encoded) * 3 // 4
    kind = short(mime.removeprefix("image/"), 20)
    pixels = _pixels(mime, encoded)
    words = [kind, *([f"{pixels[0]} × {pixels[1]} pixels"] if pixels else []), size_text(size)]
    facts = {"mime": mime, "bytes": size, "pixels": list(pixels) if pixels else None}
    return Compact("image", ", ".join(words), (), facts)


def _pixels(mime: str, encoded: str) -> tuple[int, int] | None:
    text = "".join(encoded[:_LOOKED_AT].split())
    try:
        data = b64decode(text[: len(text) // 4 * 4])
        if mime == "image/png" and data[12:16] == b"IHDR":
            return _two(">II", data[16:24])
        if mime == "image/gif":
            return _two("<HH", data[6:10])
        if mime == "image/webp":
            return _webp(data)
        return _jpeg(data) if mime == "image/jpeg" else None
    except (ValueError, struct.error, IndexError):
        return None


def _two(form: str, data: bytes) -> tuple[int, int]:
    width, height = struct.unpack(form, data)
    return width, height


def _webp(data: bytes) -> tuple[int, int] | None:
    if data[12:16] != b"VP8X":
        return None
    return (
        int.from_bytes(data[24:27], "little") + 1,
        int.from_bytes(data[27:30], "little") + 1,
    )


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = _two(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + max(2, length)
    return None


def svg(text: str) -> Compact:
    """A drawing's size, its title, how many elements it has, and its words."""
    root = _ROOT.search(text)
    sizes = dict(_ATTRIBUTE.findall(root[0])) if root else {}
    size = _size(sizes)
    counts: dict[str, int] = {}
    for name in _ELEMENT.findall(text):
        counts[name] = counts.get(name, 0) + 1
    title = next((short(unescape(found[1]), 80) for found in _TITLE.finditer(text)), "")
    words = [*([size] if size else []), f"{sum(counts.values()):,} elements", size_text(len(text))]
    texts = list(islice(_texts(text), _MOST_TEXTS))
    lines = [", ".join(f"{count} {name}" for name, count in _most(counts))]
    if texts:
        lines.append(f"texts: {', '.join(texts)}")
    facts = {"size": size, "elements": sum(counts.values()), "title": title}
    return Compact("svg", ", ".join([*words, *([title] if title else [])]), tuple(lines), facts)


def _size(sizes: dict[str, str]) -> str:
    if "width" in sizes and "height" in sizes:
        return short(f"{sizes['width']} × {sizes['height']}", 40)
    return short(f"view {sizes['viewBox']}", 40) if "viewBox" in sizes else ""


def _most(counts: dict[str, int]) -> list[tuple[str, int]]:
    common = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [(short(name, 20), count) for name, count in common if name != "svg"][:8]


def _texts(text: str) -> Iterator[str]:
    found = False
    for inside in _text_elements(text):
        if words := short(unescape(_TAG.sub("", inside)), 80):
            found = True
            yield words
    if not found:
        yield from (short(unescape(each[1]), 80) for each in _COMMENT.finditer(text))


def _text_elements(text: str) -> Iterator[str]:
    """What stands in each `<text>`; every search begins where the last one ended."""
    end = 0
    while (start := text.find("<text", end)) >= 0:
        opened = text.find(">", start) + 1
        end = text.find("</text>", opened)
        if not opened or end < 0:
            return
        yield text[opened : min(end, opened + _LONGEST_TEXT)]
