"""Styles that a notebook brings: what colours and arranges its own tables, and nothing more.

No property places anything outside of its own output, and no value names an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: More rules of one style sheet are not looked at.
MOST_RULES, LONGEST_SHEET = 5000, 1_000_000

_PROPERTY = re.compile(
    r"color|background(?:-color)?|opacity|text-(?:align|decoration|transform)|vertical-align"
    r"|white-space|font(?:-(?:weight|style|size|family|variant))?|line-height|letter-spacing"
    r"|border(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width|radius))?"
    r"|border-(?:collapse|spacing)|padding(?:-(?:top|right|bottom|left))?"
    r"|(?:min-|max-)?(?:width|height)|caption-side|list-style-type|display|table-layout"
)
_VALUE = re.compile(r"[\w\s#%.,()+\-'\"/!]{1,400}")
_FUNCTION = re.compile(r"([\w-]*)\(")
_FUNCTIONS = frozenset(("rgb", "rgba", "hsl", "hsla", "linear-gradient"))
_DISPLAYS = frozenset(("none", "block", "inline", "inline-block", "table-cell"))
_HUGE = re.compile(r"(?<![#\w])(?:\d{5}|\d{3,}(?:\.\d+)?(?:em|rem|vh|vw|ch|in|cm))")
_COLOURED = re.compile(r"(?:^|;)(?:color|background(?:-color)?):")
_RULE = re.compile(r"([^{}]{1,4000})\{([^{}]{0,4000})\}")
_SELECTOR = re.compile(r"[\w\s#.,>*:()+~-]{1,400}")
_CLASS = re.compile(r"\.(?=[A-Za-z_])")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def declarations(style: str) -> str:
    """The declarations of a `style` attribute that may stay."""
    return ";".join(_kept(style[:10_000]))


def _kept(style: str) -> Iterator[str]:
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        name, value = name.strip().lower(), " ".join(value.split())
        if colon and _PROPERTY.fullmatch(name) and _fits(name, value):
            yield f"{name}:{value}"


def _fits(name: str, value: str) -> bool:
    if not _VALUE.fullmatch(value) or _HUGE.search(value) or "--" in value:
        return False
    if name == "display" and value not in _DISPLAYS:
        return False
    if value.count('"') % 2 or value.count("'") % 2:
        return False
    return all(found[1].lower() in _FUNCTIONS for found in _FUNCTION.finditer(value))


def sets_colours(style: str) -> bool:
    """Whether declarations expect a ground of their own choice."""
    return _COLOURED.search(style) is not None


def scoped(sheet: str, scope: str) -> str:
    """The rules of a style sheet that may stay, which reach no further than an element."""
    return "\n".join(_rules(_COMMENT.sub("", sheet[:LONGEST_SHEET]), scope))


def _rules(sheet: str, scope: str) -> Iterator[str]:
    for number, found in enumerate(_RULE.finditer(sheet)):
        if number >= MOST_RULES:
            return
        selectors = [each.strip() for each in found[1].split(",")]
        style = declarations(found[2])
        if style and all(_SELECTOR.fullmatch(each) for each in selectors):
            reach = ", ".join(f"{scope} {_CLASS.sub('.u-', each)}" for each in selectors)
            yield f"{reach} {{{style}}}"


def prefixed(classes: str) -> str:
    """Names of classes as they stand on the page: never those of the page itself."""
    return " ".join(f"u-{name}" for name in classes.split()[:20] if re.fullmatch(r"[\w-]+", name))
