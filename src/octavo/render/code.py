"""Code for a terminal, highlighted where Pygments is there (it comes with IPython)."""

from __future__ import annotations

from typing import Any

from octavo.render.style import Style


def code_lines(source: str, language: str, style: Style) -> list[str]:
    """The lines of a piece of code."""
    text = source.rstrip("\n").expandtabs(4)
    if not style.colour:
        return text.split("\n")
    return _highlighted(text, language).split("\n")


def _highlighted(text: str, language: str) -> str:
    try:
        from pygments import highlight
        from pygments.formatters.terminal import TerminalFormatter

        lexer = _lexer(language)
    except ImportError:
        return text
    if lexer is None:
        return text
    painted: str = highlight(text, lexer, TerminalFormatter(bg="dark"))
    return painted.rstrip("\n")


def _lexer(language: str) -> Any:
    """A lexer that keeps blank lines, None for a language it does not know."""
    if language in ("python", "ipython", "python3", ""):
        from pygments.lexers.python import PythonLexer

        return PythonLexer(stripnl=False, ensurenl=False)
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
