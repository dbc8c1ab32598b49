"""What IPython adds to Python, known well enough to read the Python around it.

Importing IPython costs more than all other work on the way to a run, so the common forms are
recognised here by the look of their lines.
"""

from __future__ import annotations

import re
from textwrap import dedent

#: Cell magics whose body runs in the notebook like any other cell.
_PYTHON_BODIES = frozenset(("time", "capture"))
_CELL_MAGIC = re.compile(r"\s*%%(\w+)(?![\w?])[^\n]*")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.:|(?:\[(?:nav|ins)\] )?In \[\d+\]:)", re.MULTILINE)
_ESCAPED = re.compile(r"([ \t]*)[%!?,;/]")
_ASSIGNED = re.compile(r"([ \t]*[^\s=#'\"][^=#'\"]*=)[ \t]*(?:%(?=[^\W\d])|!)")
_HELP = re.compile(r"([ \t]*)[^#'\"]*[\w*\]]\?{1,2}[ \t]*$")
_BARE_COMMAND = re.compile(r"\s*([^\W\d]\w*)[ \t]*(?![ \t=])[^\n]*\s*")

_MAGIC_NAMES = """
alias alias_magic autoawait autocall automagic autosave bookmark cat cd clear code_wrap colors conda
config connect_info copy cp ddir debug dhist dirs doctest_mode echo ed edit env gui hist history
killbgscripts ldir less lf lk ll load load_ext loadpy logoff logon logstart logstate logstop ls
lsmagic lx macro magic mamba man matplotlib micromamba mkdir more mv notebook page pastebin pdb pdef
pdoc pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd pwd pycat pylab
qtconsole quickref recall rehashx reload_ext ren rep rerun reset reset_selective rm rmdir run save
sc set_env store subshell sx system tb time timeit unalias unload_ext uv who who_ls whos xdel xmode
"""
#: Line magics that IPython and ipykernel bring: a cell of one line may leave out their `%`.
LINE_MAGICS = frozenset(_MAGIC_NAMES.split())


def python_body(source: str) -> str | None:
    """A cell without the line of its cell magic, which is left blank.

    None where the body is not Python for this notebook: `%%bash` and its like.
    """
    while found := _CELL_MAGIC.match(source):
        if found[1] not in _PYTHON_BODIES:
            return None
        source = "\n" * found[0].count("\n") + source[found.end() :]
    return source


def has_prompts(source: str) -> bool:
    """Whether a cell was pasted with its prompts (`>>>`, `In [1]:`), which IPython takes off."""
    return _PROMPT.search(source) is not None


def bare_command(source: str) -> str | None:
    """The first word of a cell of one line such as `pip install x`, which may be a magic's name."""
    found = _BARE_COMMAND.fullmatch(source)
    return found[1] if found else None


def python_lines(source: str) -> str | None:
    """A cell with IPython's own lines put out of the way, every other line where it was.

    None when no Python is left to read.
    """
    body = python_body(source)
    return None if body is None else "\n".join(_plain(dedent(body).split("\n")))


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
