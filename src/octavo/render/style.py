"""Colours and signs for a terminal, or none of them."""

from __future__ import annotations

_CODES = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "underline": "4",
    "reverse": "7",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}

#: What stands before a cell or a run: the sign, the same in ASCII, and its colours.
_SIGNS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "success": ("✓", "ok", ("green",)),
    "succeeded": ("✓", "ok", ("green",)),
    "error": ("✗", "x", ("red",)),
    "failed": ("✗", "x", ("red",)),
    "timed-out": ("✗", "x", ("red",)),
    "kernel-died": ("✗", "x", ("red",)),
    "interrupted": ("■", "#", ("yellow",)),
    "skipped": ("○", "-", ("dim",)),
    "not-run": ("·", ".", ("dim",)),
    "pending": ("·", ".", ("dim",)),
    "running": ("▸", ">", ("cyan",)),
}
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_SPINNER = "|/-\\"


class Style:
    """How text is painted. Without colour it stays as it is; without unicode signs are ASCII."""

    __slots__ = ("colour", "unicode")

    def __init__(self, *, colour: bool = False, unicode: bool = True) -> None:
        self.colour = colour
        self.unicode = unicode

    def paint(self, text: str, *names: str) -> str:
        """The text in one or more of the known manners: `bold`, `dim`, `red`…"""
        if not self.colour or not text or not names:
            return text
        codes = ";".join(_CODES[name] for name in names)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def sign(self, status: str) -> str:
        """The sign of a status, painted."""
        sign, plain, names = _SIGNS.get(status, ("?", "?", ()))
        return self.paint(sign if self.unicode else plain, *names)

    def sign_width(self) -> int:
        """How many columns the widest sign takes."""
        return 1 if self.unicode else 2

    def spinner(self, turn: int) -> str:
        """A sign that turns."""
        signs = _SPINNER if self.unicode else _ASCII_SPINNER
        return self.paint(signs[turn % len(signs)], "cyan")

    def pick(self, fancy: str, plain: str) -> str:
        """The first where the terminal knows more than ASCII, else the second."""
        return fancy if self.unicode else plain


PLAIN = Style()
