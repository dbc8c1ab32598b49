"""What IPython's own lines of a cell mean for names."""

from __future__ import annotations

import ast
import re
from itertools import pairwise

from octavo.notebook.ipython_syntax import LINE_MAGICS, bare_command, has_prompts, python_lines
from octavo.notebook.names.known import words
from octavo.notebook.syntax import parse_cell
from octavo.value import Value

_MAGIC = re.compile(r"\s*(?:([\w.,\s\[\]'\"*]+?)=\s*)?(%%?)(\w[\w.]*)[ \t]*(.*)", re.DOTALL)
_SHELL = re.compile(r"\s*(?:[\w.,\s]+=\s*)?!")
_AUTOCALL = re.compile(r"\s*[,;/]\s*\w")
_EXPANDED = re.compile(r"\{([^\W\d]\w*)|(?<![\w$])\$([^\W\d]\w*)")
_TIMEIT_OPTIONS = re.compile(r"^(?:\s*-(?:[nr]\s*\d+|[tcpvqo]+\d*)(?=\s|$))*\s*")
_NAME = re.compile(r"[^\W\d]\w*")

#: Cell magics whose body is no Python of this notebook, and which touch no names by themselves.
_FOREIGN = words(
    """
    ! HTML SVG bash cmd file html javascript js latex markdown perl pypy python python2 python3 ruby
    script sh svg sx system writefile
    """
)
#: Those whose body is run to measure it: what it binds is gone afterwards.
_MEASURED = frozenset(("timeit", "memit", "prun", "mprun", "lprun", "snakeviz", "scalene"))
#: Those whose body is run as it is.
_RUN_AS_IT_IS = frozenset(("capture", "time", "debug", "prun"))
#: Line magics that may bind anything.
_OPENING = {
    "run": "runs another file",
    "pylab": "imports all of pylab",
    "reset": "removes names",
    "reset_selective": "removes names",
    "store": "may bring back names",
    "macro": "makes a macro",
    "rerun": "runs earlier cells again",
    "recall": "brings back earlier cells",
    "rep": "brings back earlier cells",
    "xdel": "removes a name",
    "edit": "runs what is edited",
    "ed": "runs what is edited",
    "sc": "binds a name",
}
#: Line magics of extensions that come with many notebooks and touch no names.
_HARMLESS = words("aimport autoreload lprun mprun memit snakeviz tensorboard watermark")


class Reading(Value):
    """A cell as Python. `mentioned` are names that its other lines use where they are bound.

    `unknown` says why the cell may read or bind anything; its tree is None where it has none.
    `kept` is false when what the cell binds is gone at its end.
    """

    tree: ast.Module | None
    mentioned: tuple[str, ...] = ()
    unknown: str = ""
    kept: bool = True
    defined: tuple[str, ...] = ()


_NOTHING = ast.Module([], [])


def read_cell(source: str) -> Reading:
    """A code cell as Python, and what its other lines say."""
    first = source.lstrip()
    if first.startswith("%%"):
        return _cell_magic(source)
    if first.startswith("!!"):
        return Reading(_NOTHING, _expanded(source))
    return _plain(source)


def _cell_magic(source: str) -> Reading:
    line, _, body = source.lstrip("\n").partition("\n")
    above = source.count("\n") - body.count("\n") if body else 0
    found = _MAGIC.match(line)
    name, rest = (found[3], found[4]) if found else ("", "")
    if line.rstrip().endswith("?"):
        return Reading(_NOTHING)
    if name in _FOREIGN:
        return Reading(_NOTHING, _expanded(line), defined=_options(rest, ("--out", "--err")))
    text = "\n" * above + body
    if name in _RUN_AS_IT_IS and name != "prun":
        bound = _captured(rest) if name == "capture" else ()
        if name == "time" and rest.strip():
            text = "\n" * (above - 1) + rest + "\n" + body if above else body
        inner = read_cell(text)
        return inner.replace(defined=(*inner.defined, *bound))
    if name in _MEASURED:
        setup = _TIMEIT_OPTIONS.sub("", rest) if name == "timeit" else ""
        if setup.strip() and above:
            text = "\n" * (above - 1) + setup + "\n" + body
        return read_cell(text).replace(kept=name == "prun")
    return Reading(None, unknown=f"the magic %%{name} may do anything")


def _captured(rest: str) -> tuple[str, ...]:
    """The name that `%%capture` gives to what it has caught: the word that is no option."""
    said = [word for word in rest.split() if not word.startswith("-")]
    return tuple(word for word in said[:1] if word.isidentifier())


def _options(rest: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    said = rest.replace("=", " ").split()
    return tuple(after for word, after in pairwise(said) if word in wanted)


def _expanded(text: str) -> tuple[str, ...]:
    """Names that a line for the shell puts in, such as `{path}` and `$path`."""
    return tuple(one or other for one, other in _EXPANDED.findall(text))


def _plain(source: str) -> Reading:
    parsed = parse_cell(source)
    if parsed is None:
        return _unparsed(source)
    tree, text = parsed
    if text == source:
        return Reading(tree)
    return _with_lines(source, tree, text)


def _unparsed(source: str) -> Reading:
    command = bare_command(source)
    if has_prompts(source):
        return Reading(None, unknown="it was pasted with its prompts")
    if command in LINE_MAGICS:
        return _plain(f"%{source.strip()}") if command not in ("time",) else Reading(_NOTHING)
    if python_lines(source) is None:
        return Reading(None, unknown="its text is not Python")
    return Reading(None, unknown="it does not parse")


def _with_lines(source: str, tree: ast.Module, text: str) -> Reading:
    """A cell in which lines of IPython were put out of the way: what these say."""
    lines = text.split("\n")
    mentioned: list[str] = []
    unknown = ""
    for at, line in enumerate(source.split("\n")[: len(lines)]):
        if line.strip() == lines[at].strip():
            continue
        told = _line(line)
        unknown = unknown or told.unknown
        mentioned.extend(told.mentioned)
        if told.python:
            lines[at] = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + told.python
    if lines != text.split("\n"):
        again = parse_cell("\n".join(lines))
        tree = again[0] if again else tree
    return Reading(tree, tuple(mentioned), unknown)


class _Line(Value):
    """What one line of IPython says; `python` is what it runs."""

    mentioned: tuple[str, ...] = ()
    unknown: str = ""
    python: str = ""


def _line(line: str) -> _Line:
    if _SHELL.match(line):
        return _Line(_expanded(line))
    if line.rstrip().endswith("?") or line.lstrip().startswith("?"):
        return _Line(tuple(_NAME.findall(line)[:1]))
    if _AUTOCALL.match(line):
        return _Line(unknown="a line calls a function in IPython's own way")
    found = _MAGIC.match(line)
    return _line_magic(found[3], found[4]) if found else _Line(tuple(_NAME.findall(line)))


def _line_magic(name: str, rest: str) -> _Line:
    if name == "time":
        return _Line(python=rest) if _parses(rest) else _Line(tuple(_NAME.findall(rest)))
    if name in _MEASURED:
        return _Line(tuple(_NAME.findall(rest)))
    if name == "store" and "-r" not in rest.split():
        return _Line(tuple(_NAME.findall(rest)))
    if name in _OPENING:
        return _Line(unknown=f"%{name} {_OPENING[name]}")
    if name in LINE_MAGICS or name in _HARMLESS:
        return _Line(_expanded(rest))
    return _Line(unknown=f"the magic %{name} may do anything")


def magic_unknown(name: str, rest: str = "") -> str:
    """Why a line magic may bind anything; empty when it cannot."""
    return _line_magic(name, rest).unknown


def _parses(text: str) -> bool:
    return bool(text.strip()) and parse_cell(text) is not None
