"""Formulas: as MathML, which browsers draw by themselves, or as the TeX that the author wrote."""

from __future__ import annotations

from html import escape
from typing import Any

from octavo.render.columns import plain

#: Longer formulas are shown as they were written, and so are those after the first so many.
LONGEST, MOST = 4000, 3000

_TAGS = frozenset((
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot", "mstyle",
    "merror", "mpadded", "mphantom", "mfenced", "menclose", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mtable", "mtr", "mtd", "mlabeledtr",
))  # fmt: skip
_ATTRIBUTES = frozenset((
    "display", "displaystyle", "scriptlevel", "stretchy", "fence", "form", "lspace", "rspace",
    "separator", "mathvariant", "linethickness", "columnalign", "rowspacing", "columnspacing",
    "columnlines", "rowlines", "accent", "accentunder", "movablelimits", "minsize", "maxsize",
    "notation", "width", "height", "depth", "bevelled", "symmetric", "largeop",
))  # fmt: skip


class Maths:
    """Draws the formulas of one page."""

    def __init__(self) -> None:
        self._left = MOST

    def html(self, tex: str, *, display: bool) -> str:
        """A formula, in a line of its own if it is to be displayed."""
        tex = plain(tex).strip()
        drawn = self._drawn(tex, display)
        if drawn is not None:
            return drawn
        name = "tex display" if display else "tex"
        return f'<code class="{name}">{escape(tex)}</code>'

    def _drawn(self, tex: str, display: bool) -> str | None:
        if not tex or len(tex) > LONGEST or self._left <= 0:
            return None
        self._left -= 1
        try:
            from latex2mathml.converter import convert
        except ImportError:
            return None
        from xml.etree import ElementTree

        try:
            tree = ElementTree.fromstring(convert(tex, display="block" if display else "inline"))
            return ElementTree.tostring(
                _sound(tree), encoding="unicode", short_empty_elements=False
            )
        except Exception:
            # It fails in ways of its own on what is not TeX; then the text itself is shown.
            return None


def _sound(element: Any) -> Any:
    """The tree with nothing in it but what draws: no links, no styles, no names."""
    from xml.etree import ElementTree

    name = str(element.tag).rpartition("}")[2]
    kept = {key: value for key, value in element.attrib.items() if key in _ATTRIBUTES}
    copy = ElementTree.Element(name if name in _TAGS else "mrow", kept)
    copy.text, copy.tail = element.text, element.tail
    copy.extend([_sound(child) for child in element])
    return copy
