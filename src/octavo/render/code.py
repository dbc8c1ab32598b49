"""Code for a terminal, highlighted where Pygments is there (it comes with IPython).

The colours are those that are legible on a light ground and on a dark one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from octavo.render.style import Style

#: How kinds of words are painted; a kind that is not named is painted like the one it is part of.
_MANNERS: dict[str, tuple[str, ...]] = {
    "Token": (),
    "Token.Comment": ("dim",),
    "Token.Keyword": ("magenta",),
    "Token.Keyword.Constant": ("cyan",),
    "Token.Keyword.Type": ("cyan",),
    "Token.Operator.Word": ("magenta",),
    "Token.Literal.String": ("green",),
    "Token.Literal.Number": ("cyan",),
    "Token.Name.Builtin": ("cyan",),
    "Token.Name.Exception": ("cyan",),
    "Token.Name.Function": ("bold",),
    "Token.Name.Class": ("bold",),
    "Token.Name.Decorator": ("yellow",),
    "Token.Name.Tag": ("cyan",),
}


def code_lines(source: str, language: str, style: Style) -> list[str]:
    """The lines of a piece of code."""
    text = source.rstrip("\n").expandtabs(4)
    lexer = _lexer(language) if style.colour else None
    if lexer is None:
        return text.split("\n")
    return "".join(_painted(lexer.get_tokens(text), style)).split("\n")


def _painted(tokens: Any, style: Style) -> Iterator[str]:
    """Text with each of its lines painted by itself, so that lines can be taken apart."""
    for kind, text in tokens:
        names = _manner(kind)
        if names and not text.isspace():
            yield "\n".join(style.paint(part, *names) for part in text.split("\n"))
        else:
            yield text


def _manner(kind: Any) -> tuple[str, ...]:
    while str(kind) not in _MANNERS:
        kind = kind.parent
    return _MANNERS[str(kind)]


def _lexer(language: str) -> Any:
    """A lexer that keeps blank lines; None without Pygments or for a language it does not know."""
    try:
        if language in ("python", "ipython", "python3", ""):
            from pygments.lexers.python import PythonLexer

            return PythonLexer(stripnl=False, ensurenl=False)
        from pygments.lexers import get_lexer_by_name
    except ImportError:
        return None
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
