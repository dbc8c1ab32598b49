"""The comments beside and above an assignment, as help for a parameter."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping

from octavo.value import Value

_TYPE = re.compile(r"type:\s*(?!ignore\b)(?P<type>\S+)\s*(?P<help>.*)", re.DOTALL)
_DIRECTIVE = re.compile(
    r"(?:noqa|nosec|type:\s*ignore|fmt:|isort:|mypy:|pyright:|ruff:|pylint:|pragma:|%%|NBVAL_)\S*"
)
_HEADING = re.compile(r"parameters:?", re.IGNORECASE)


class Comment(Value):
    """What the comments of an assignment say: a type (Papermill's `# type: int`), and help."""

    help: str = ""
    type: str = ""


class Comments(Value):
    """The comments of a cell by line: behind code, and on lines of their own."""

    trailing: Mapping[int, str]
    own_line: Mapping[int, str]

    def of(self, statement: ast.stmt) -> Comment:
        """Help from behind the statement, else from the lines directly above it."""
        last = statement.end_lineno or statement.lineno
        behind = self.trailing.get(last) or self.trailing.get(statement.lineno) or ""
        typed = _TYPE.fullmatch(behind)
        if typed:
            return Comment(typed["help"].strip() or self._above(statement.lineno), typed["type"])
        return Comment(_without_directives(behind) or self._above(statement.lineno))

    def _above(self, line: int) -> str:
        texts: list[str] = []
        while (line := line - 1) in self.own_line:
            texts.insert(0, self.own_line[line])
        text = " ".join(filter(None, map(_without_directives, texts)))
        return "" if _HEADING.fullmatch(text) else text


def read_comments(source: str) -> Comments:
    """The comments of a cell that parses; none when it cannot be split into tokens."""
    trailing: dict[int, str] = {}
    own_line: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                stands_alone = not token.line[: token.start[1]].strip()
                lines = own_line if stands_alone else trailing
                lines[token.start[0]] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return Comments(trailing, own_line)


def _without_directives(text: str) -> str:
    return "" if _DIRECTIVE.match(text) else text
