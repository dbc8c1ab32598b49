"""What IPython adds to Python, known well enough to read the Python around it.

Importing IPython costs more than all other work on the way to a run, so the common forms are
recognised here by the look of their lines.
"""

from __future__ import annotations

import re
from textwrap import dedent

#: Cell magics whose body is Python that runs in the notebook.
_PYTHON_BODIES = frozenset(("time", "timeit", "capture", "prun"))
_CELL_MAGIC = re.compile(r"\s*%%(\w+)(?![\w?])")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.:|(?:\[(?:nav|ins)\] )?In \[\d+\]:)", re.MULTILINE)
_ESCAPED = re.compile(r"([ \t]*)[%!?,;/]")
_ASSIGNED = re.compile(r"([ \t]*[^\s=#'\"][^=#'\"]*=)[ \t]*(?:%(?=[^\W\d])|!)")
_HELP = re.compile(r"([ \t]*)[^#'\"]*[\w*\]]\?{1,2}[ \t]*$")


def cell_magic_name(source: str) -> str | None:
    """The name of the cell magic (`%%name`) that a cell begins with."""
    found = _CELL_MAGIC.match(source)
    return found[1] if found else None


def has_prompts(source: str) -> bool:
    """Whether a cell was pasted with its prompts (`>>>`, `In [1]:`), which IPython takes off."""
    return _PROMPT.search(source) is not None


def python_lines(source: str) -> str | None:
    """A cell with IPython's own lines put out of the way, every other line where it was.

    None when no Python is left to read: the body of `%%bash` and its like.
    """
    magic = cell_magic_name(source)
    if magic is not None:
        if magic not in _PYTHON_BODIES:
            return None
        leading, _, body = source.partition("%%" + magic)
        _, _, body = body.partition("\n")
        source = leading + "\n" + body
    return "\n".join(_plain(dedent(source).split("\n")))


def _plain(lines: list[str]) -> list[str]:
    plain: list[str] = []
    continued = False
    for line in lines:
        if continued:
            plain.append("")
            continued = line.endswith("\\")
            continue
        replaced = _placeholder(line)
        continued = replaced is not None and line.endswith("\\")
        plain.append(line if replaced is None else replaced)
    return plain


def _placeholder(line: str) -> str | None:
    """The Python line that stands for one of IPython's; None for a line of Python."""
    if found := _ESCAPED.match(line):
        return f"{found[1]}pass"
    if found := _ASSIGNED.match(line):
        return f"{found[1]} None"
    if found := _HELP.match(line):
        return f"{found[1]}pass"
    return None
