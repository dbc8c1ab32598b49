"""IPython's own syntax in a Python file: commented out there, and plain in the notebook.

A comment becomes a magic only when it starts like one (`%`, `!`, `?`), assigns from one, or is
a single word with a question mark. Jupytext also takes bare shell words (`# copy the data`);
here a sentence in a comment stays a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo.notebook.formats.percent.markers import escape, unescape
from octavo.notebook.formats.percent.strings import after_line

# Compiled by `re` when a line first needs them.
_MAGIC = r"""(?x)
      \s*(?:\#[ ]?)*%{1,3}[a-zA-Z]                                        # %magic, %%magic
    | \s*(?:(?:\#[ ]?)+\s*)?[?!]\s*[A-Za-z.~$\\/{}]                       # !command, ?help
    | (?:\#[ ]?)*\s*[a-zA-Z_][a-zA-Z_$0-9]*\s*=\s*(?:%{1,3}|!)[a-zA-Z]    # name = %magic
    | \s*(?:\#[ ])*\S*\?\s*$                                              # help?
    """
_PERCENT = r"\s*(?:# ?)*%{1,3}[a-zA-Z]"

#: `%%name` magics whose cells are in another language, so that the body is commented out too.
# fmt: off
LANGUAGES = frozenset((
    "R", "bash", "c#", "c++", "clojure", "coconut", "cs", "csharp", "cython", "f#", "fs",
    "fsharp", "gnuplot", "go", "groovy", "haskell", "html", "idl", "java", "javascript", "jenner",
    "js", "julia", "latex", "logtalk", "lua", "markdown", "matlab", "maxima", "ocaml", "octave",
    "perl", "powershell", "pypy", "python2", "python3", "q", "robotframework", "ruby", "rust",
    "sage", "sas", "scala", "scheme", "script", "sh", "sos", "spark", "sql", "stata", "svg",
    "tcl", "typescript", "xonsh",
))
# fmt: on


def is_magic(line: str, everywhere: bool = True) -> bool:
    """Whether a line is a magic, commented or not. `# escape` and `# noescape` on it decide."""
    if "%" not in line and "!" not in line and "?" not in line:
        return False
    told = re.match(_PERCENT, line)
    if told and re.search(r"#\s*escape", line[told.end() :]):
        return True
    if not everywhere or (told and re.search(r"#\s*noescape", line[told.end() :])):
        return False
    return re.match(_MAGIC, line) is not None


def comment_magics(lines: Sequence[str], everywhere: bool = True) -> list[str]:
    """Comment the magics of a code cell out, and escape what would open another cell."""
    if not any(sign in "".join(lines) for sign in ("%", "!", "?", "In[", "<codecell>")):
        return list(lines)
    written, quote, continued = [], "", False
    for line in lines:
        if quote or not (continued or is_magic(line, everywhere)):
            written.append(line if quote else escape(line))
            quote = after_line(line, quote)
            continue
        indent = "" if continued else line[: len(line) - len(line.lstrip())]
        written.append(f"{indent}# {line[len(indent) :]}")
        continued = line.rstrip().endswith("\\")
    return written


def uncomment_magics(lines: Sequence[str], everywhere: bool = True) -> list[str]:
    """The inverse of `comment_magics`."""
    text = "".join(lines)
    if "%" not in text and "!" not in text and "?" not in text and "# #" not in text:
        return list(lines)
    read, quote, continued = [], "", False
    for line in lines:
        if not quote and (continued or is_magic(line, everywhere)):
            read.append(_without_comment(line))
            continued = line.rstrip().endswith("\\")
        else:
            read.append(line if quote else unescape(line))
        quote = after_line(line, quote)
    return read


def _without_comment(line: str) -> str:
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    if text.startswith("# "):
        return indent + text[2:]
    return indent + text[1:] if text.startswith("#") else line


def split_language(source: str) -> tuple[str, str, str] | None:
    """(language, arguments, body) of a cell that starts with a language magic like `%%bash`."""
    first, newline, body = source.partition("\n")
    if not newline or not first.startswith("%%"):
        return None
    language, space, arguments = first[2:].partition(" ")
    if language not in LANGUAGES or bool(space) != bool(arguments):
        return None
    return language, arguments, body
