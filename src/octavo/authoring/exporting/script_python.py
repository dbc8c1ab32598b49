"""A cell of Python and IPython as Python alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from octavo.notebook.formats.percent.strings import after_line
from octavo.notebook.ipython_syntax import LINE_MAGICS, bare_command
from octavo.value import Value

#: Cell magics whose body is code of the notebook; of others the whole cell is a comment.
_PYTHON_BODIES = frozenset(("time", "timeit", "capture", "prun", "python", "python3", "pypy"))
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_LINE = re.compile(r"([ \t]*)([%!?][^\n]*|[\w.\[\]]+\?{1,2}[ \t]*)$")
_ASSIGNED = re.compile(r"([ \t]*)([^\s=#'\"][^=#'\"]*?)[ \t]*=[ \t]*([%!](?=\S)[^\n]*)$")
_SUPPLIED = {
    "display": "from IPython.display import display",
    "get_ipython": "from IPython import get_ipython",
}


class PythonCell(Value):
    """The text, how many lines of it were commented out, and what keeps it from running."""

    text: str
    commented: int = 0
    problems: tuple[str, ...] = ()


def python_cell(source: str) -> PythonCell:
    """A cell as Python; what is Python already stays as it is."""
    tree = _tree(source)
    if tree is not None:
        return PythonCell(source, 0, tuple(_problems(tree)))
    found = _CELL_MAGIC.match(source)
    if found and found[1] not in _PYTHON_BODIES:
        return _all_commented(source)
    lines = source.split("\n")
    if (command := bare_command(source)) and command in LINE_MAGICS:
        return _all_commented(source)
    written = list(_without_magics(lines))
    text = "\n".join(line for line, _ in written)
    commented = sum(changed for _, changed in written)
    tree = _tree(text)
    if tree is None:
        return PythonCell(text, commented, ("does not parse",))
    return PythonCell(text, commented, tuple(_problems(tree)))


def _tree(source: str) -> ast.Module | None:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _all_commented(source: str) -> PythonCell:
    lines = source.split("\n")
    return PythonCell("\n".join(f"# {line}".rstrip() for line in lines), len(lines))


def _without_magics(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    quote, continued = "", False
    for line in lines:
        changed = None
        if continued:
            changed = f"# {line}"
        elif not quote:
            changed = _as_comment(line)
        yield (line, False) if changed is None else (changed, True)
        continued = changed is not None and line.rstrip().endswith("\\")
        if changed is None:
            quote = after_line(line, quote)


def _as_comment(line: str) -> str | None:
    """The line of Python that stands for one of IPython's; None for a line of Python."""
    if found := _LINE.match(line):
        # In a block a comment alone would leave nothing to do.
        return f"{found[1]}pass  # {found[2]}" if found[1] else f"# {found[2]}"
    if found := _ASSIGNED.match(line):
        return f"{found[1]}{found[2]} = None  # {found[3]}"
    return None


def _problems(tree: ast.Module) -> Iterator[str]:
    if _awaits(tree):
        yield "awaits outside of a function, which only IPython allows"


def _awaits(node: ast.AST) -> bool:
    if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
        return True
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return any(
        _awaits(child) for child in ast.iter_child_nodes(node) if not isinstance(child, inner)
    )


def needed_imports(sources: Sequence[str]) -> list[str]:
    """Imports of what IPython puts into every notebook, as far as it is used and not defined."""
    text = "\n".join(sources)
    used = [name for name in _SUPPLIED if re.search(rf"(?<![\w.]){name}\s*\(", text)]
    defined = {
        name for name in used
        if re.search(rf"(?m)^\s*(?:def {name}\b|{name}\s*=|from .* import .*\b{name}\b)", text)
    }  # fmt: skip
    return [_SUPPLIED[name] for name in used if name not in defined]
