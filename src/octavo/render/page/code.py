"""Code on a page, highlighted where Pygments is there (it comes with IPython)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import Any

from octavo.render.columns import plain

#: Longer code is shown as it is: highlighting it takes longer than anybody reads it.
MOST_HIGHLIGHTED = 200_000
#: Kinds of words, and the class that colours them; others are like the kind that they belong to.
_CLASSES = {
    "Token": "",
    "Token.Comment": "c",
    "Token.Keyword": "k",
    "Token.Keyword.Constant": "n",
    "Token.Keyword.Type": "n",
    "Token.Operator.Word": "k",
    "Token.Literal.String": "s",
    "Token.Literal.String.Interpol": "n",
    "Token.Literal.Number": "n",
    "Token.Name.Builtin": "b",
    "Token.Name.Exception": "b",
    "Token.Name.Function": "f",
    "Token.Name.Class": "f",
    "Token.Name.Decorator": "d",
    "Token.Name.Tag": "b",
    "Token.Name.Attribute": "d",
    "Token.Generic.Deleted": "del",
    "Token.Generic.Inserted": "ins",
}


def code_html(source: str, language: str) -> str:
    """A piece of code as markup for a `pre`."""
    shown = plain(source).rstrip("\n").expandtabs(4)
    lexer = _lexer(language) if len(shown) <= MOST_HIGHLIGHTED else None
    if lexer is None:
        return escape(shown, quote=False)
    return "".join(_spans(lexer.get_tokens(shown)))


def _spans(tokens: Any) -> Iterator[str]:
    """Neighbours of one class share a span."""
    before = ""
    parts: list[str] = []
    for kind, part in tokens:
        name = before if part.isspace() else _class(kind)
        if name != before:
            yield _span(before, parts)
            before, parts = name, []
        parts.append(part)
    yield _span(before, parts)


def _span(name: str, parts: list[str]) -> str:
    safe = escape("".join(parts), quote=False)
    return f'<span class="{name}">{safe}</span>' if name and safe else safe


@lru_cache(None)
def _class(kind: Any) -> str:
    while str(kind) not in _CLASSES:
        kind = kind.parent
    return _CLASSES[str(kind)]


@lru_cache(32)
def _lexer(language: str) -> Any:
    """A lexer that keeps blank lines; None without Pygments or for a language it does not know."""
    try:
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound
    except ImportError:
        return None
    name = "python" if language in ("", "ipython", "ipython3", "python3") else language.lower()
    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
