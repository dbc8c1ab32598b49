"""The table of error kinds in `docs/errors.md`, made from the code.

Run as a program it writes the table anew: PYTHONPATH=tests python -m bad_input.kinds
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from octavo import errors

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errors.md"
BEGIN = "<!-- made by tests/bad_input/kinds.py -->\n"
END = "<!-- end -->\n"
CLASSES = {
    name: each
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, errors.OctavoError)
}


class Raised(NamedTuple):
    """An error that is made somewhere in the code."""

    where: str
    kinds: frozenset[str]
    exit_code: int
    has_hint: bool


@cache
def raised() -> tuple[Raised, ...]:
    """Every place in the code that makes an error."""
    return tuple(_raised())


def _raised() -> Iterator[Raised]:
    for path in sorted((ROOT / "src" / "octavo").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found = CLASSES.get(node.func.id)
                if found is not None and node.args:
                    where = f"{path.relative_to(ROOT)}: {ast.unparse(node)[:60]}"
                    hint = any(word.arg == "hint" for word in node.keywords)
                    yield Raised(where, _literals(node.args[0]), found.exit_code, hint)


def mentioned() -> set[str]:
    """The kinds that the code speaks of anywhere, other than where they are declared."""
    found: set[str] = set()
    for path in (ROOT / "src" / "octavo").rglob("*.py"):
        if path.name != "errors.py":
            found |= _literals(ast.parse(path.read_text(encoding="utf-8")))
    return found & set(errors.KINDS)


def _literals(node: ast.AST) -> frozenset[str]:
    return frozenset(
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


#: Kinds that reach their error through a variable.
_BY_VARIABLE = {
    "notebook-not-found": 2,
    "notebook-unreadable": 2,
    "notebook-encoding": 2,
    "parameter-unknown": 2,
    "parameter-type": 2,
    "parameter-missing": 2,
    "parameter-file": 2,
}


def exit_codes(kind: str) -> list[int]:
    """The exit codes that a command may end with when it meets an error of a kind."""
    codes = {each.exit_code for each in raised() if kind in each.kinds}
    if kind in _BY_VARIABLE:
        codes.add(_BY_VARIABLE[kind])
    return sorted(codes)


def table() -> str:
    """The table as Markdown."""
    lines = ["| kind | what it means | exit code |", "| --- | --- | --- |"]
    for kind, meaning in errors.KINDS.items():
        codes = " or ".join(map(str, exit_codes(kind)))
        lines.append(f"| `{kind}` | {meaning} | {codes} |")
    return "".join(f"{line}\n" for line in lines)


def page_with_table(page: str) -> str:
    """The page with the table of now in place of the one it has."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
