"""Text of a terminal on a page: its colours as spans, everything else that it obeys left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from octavo.render.columns import coloured, settled
from octavo.value import Value

_SEQUENCE = re.compile(r"\x1b\[([\d;:]*)m")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_FLAGS = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "struck"}
_ENDS = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",),
         29: ("struck",)}  # fmt: skip
_STEPS = (0, 95, 135, 175, 215, 255)


class _Pen(Value):
    """How what follows is written."""

    flags: frozenset[str] = frozenset()
    fore: str = ""
    back: str = ""


_PLAIN = _Pen()


def coloured_html(raw: str) -> str:
    """What a text shows on a terminal, as markup for a `pre`."""
    shown = coloured(settled(raw))
    if "\x1b" not in shown:
        return escape(shown, quote=False)
    return "".join(_pieces(shown))


def _pieces(shown: str) -> Iterator[str]:
    pen, at = _PLAIN, 0
    for found in _SEQUENCE.finditer(shown):
        yield _written(shown[at : found.start()], pen)
        pen, at = _after(pen, found[1]), found.end()
    yield _written(shown[at:], pen)


def _written(part: str, pen: _Pen) -> str:
    safe = escape(part.replace("\x1b", ""), quote=False)
    if not part or pen is _PLAIN:
        return safe
    names = [f"t-{name}" for name in sorted(pen.flags)]
    styles = []
    for colour, name, rule in ((pen.fore, "f", "color"), (pen.back, "b", "background")):
        if colour.startswith("rgb"):
            styles.append(f"{rule}:{colour}")
        elif colour:
            names.append(f"t-{name}-{colour}")
    if pen.back.startswith("rgb") and not pen.fore:
        styles.append(f"color:{_legible_on(pen.back)}")
    told = f' class="{" ".join(names)}"' if names else ""
    told += f' style="{";".join(styles)}"' if styles else ""
    return f"<span{told}>{safe}</span>" if told else safe


def _legible_on(ground: str) -> str:
    red, green, blue = (int(part) for part in ground[4:-1].split(","))
    return "#000" if red * 3 + green * 6 + blue > 1300 else "#fff"


def _after(pen: _Pen, sequence: str) -> _Pen:
    codes = [int(code) if code else 0 for code in re.split("[;:]", sequence[:200])]
    at = 0
    while at < len(codes):
        code = codes[at]
        if code in (38, 48):
            colour, taken = _many(codes[at + 1 : at + 5])
            pen = pen.replace(fore=colour) if code == 38 else pen.replace(back=colour)
            at += taken
        else:
            pen = _simple(pen, code)
        at += 1
    return pen


def _simple(pen: _Pen, code: int) -> _Pen:
    if code == 0:
        return _PLAIN
    if code in _FLAGS:
        return pen.replace(flags=pen.flags | {_FLAGS[code]})
    if code in _ENDS:
        return pen.replace(flags=pen.flags - set(_ENDS[code]))
    if 30 <= code <= 37 or 90 <= code <= 97:
        return pen.replace(fore=_named(code % 10, bright=code >= 90))
    if 40 <= code <= 47 or 100 <= code <= 107:
        return pen.replace(back=_named(code % 10, bright=code >= 100))
    if code == 39:
        return pen.replace(fore="")
    return pen.replace(back="") if code == 49 else pen


def _named(number: int, *, bright: bool) -> str:
    return f"bright-{_NAMES[number]}" if bright else _NAMES[number]


def _many(codes: list[int]) -> tuple[str, int]:
    """A colour of 256 or of all, and how many codes it takes."""
    if codes[:1] == [5] and len(codes) > 1:
        return _of_256(min(255, codes[1])), 2
    if codes[:1] == [2] and len(codes) > 3:
        red, green, blue = (min(255, code) for code in codes[1:4])
        return f"rgb({red},{green},{blue})", 4
    return "", len(codes)


def _of_256(number: int) -> str:
    if number < 16:
        return _named(number % 8, bright=number >= 8)
    if number >= 232:
        grey = 8 + (number - 232) * 10
        return f"rgb({grey},{grey},{grey})"
    at = number - 16
    return f"rgb({_STEPS[at // 36]},{_STEPS[at // 6 % 6]},{_STEPS[at % 6]})"
