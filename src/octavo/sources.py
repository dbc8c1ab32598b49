"""Reading notebook files: the one place where a path becomes a notebook, or a clear error."""

from __future__ import annotations

import os
import stat

from octavo.errors import NotebookError, OctavoError, ParameterError
from octavo.notebook import formats
from octavo.notebook.model import Notebook
from octavo.value import Value


class SourceFile(Value):
    """A file that was read. `text` has its line ends and byte order mark as they were.

    `named` is what people call a source that is no file here, such as an address; `path` then
    only says in which folder it is run, and in which format it was read.
    """

    path: str
    text: str
    notebook: Notebook
    named: str = ""

    @property
    def format(self) -> str:
        """`py`, `md` or `ipynb`: the suffix that decided how the file was read."""
        return formats.suffix_of(self.path)[1:]

    @property
    def name(self) -> str:
        """Where it was read from, for people and records."""
        return self.named or self.path

    @property
    def own_path(self) -> str:
        """The file that it was read from; empty if it was none here."""
        return "" if self.named else self.path

    @property
    def sha256(self) -> str:
        """The hash of the file's bytes."""
        from hashlib import sha256

        return sha256(self.text.encode("utf-8")).hexdigest()


def read_source(path: str | os.PathLike[str]) -> SourceFile:
    """Read the notebook at a path; every way in which that can fail is a NotebookError."""
    name = os.fspath(path)
    if not os.path.isdir(name):
        formats.format_for(name)
    text = read_text(name)
    if not text.removeprefix("\ufeff").strip():
        hint = _first_cell(name)
        raise NotebookError("notebook-empty", "the file has no content", place=name, hint=hint)
    return SourceFile(name, text, formats.read(text, name))


def read_text(path: str | os.PathLike[str], kind: str = "") -> str:
    """The UTF-8 text of a file. With `kind`, whatever fails is a ParameterError of that kind."""
    name = os.fspath(path)
    if not kind and _never_ends(name):
        hint = "copy what comes from it into a file, and name that"
        message = "this is a pipe or a device, not a file"
        raise NotebookError("notebook-unreadable", message, place=name, hint=hint)
    try:
        with open(name, "rb") as file:
            return file.read().decode("utf-8")
    except FileNotFoundError as error:
        raise _told(kind, "notebook-not-found", *_missing(name), name) from error
    except IsADirectoryError as error:
        raise _told(kind, "notebook-unreadable", *_folder(name, kind), name) from error
    except UnicodeDecodeError as error:
        raise _told(kind, "notebook-encoding", *_not_utf8(error), name) from error
    except (OSError, ValueError) as error:
        message = (getattr(error, "strerror", None) or str(error)).lower()
        raise _told(kind, "notebook-unreadable", message, _access_hint(error), name) from error


def _never_ends(path: str) -> bool:
    """Whether reading may wait for ever: nobody has to write to a pipe."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False  # opening it tells why
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _first_cell(path: str) -> str:
    if path.endswith(".ipynb"):
        return "restore it from git or a backup, or save a notebook there from Jupyter"
    if path.endswith(".md"):
        return "write a first cell: a line of code between a line ```python and a line ```"
    return "write a first cell, for example `# %%` and a line of code below it"


def _access_hint(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "check the permissions of the file and of the folders above it"
    return "check the path, and where its links lead"


def _told(kind: str, usual: str, message: str, hint: str, place: str) -> OctavoError:
    if kind:
        return ParameterError(kind, message, place=place, hint=hint)
    return NotebookError(usual, message, place=place, hint=hint)


def _missing(path: str) -> tuple[str, str]:
    """What to say about a path where nothing is, with the names that may have been meant."""
    folder, name = os.path.split(path)
    if folder and not os.path.isdir(folder):
        return "there is no such file", f"the folder {folder} does not exist"
    if os.path.islink(path):
        return "this is a link to a file that is gone", f"it leads to {os.readlink(path)}"
    names = _names_in(folder or ".")
    twin = [
        other
        for other in names
        if os.path.splitext(other)[0] == os.path.splitext(name)[0]
        and formats.is_notebook_name(other)
    ]
    if twin:
        return "there is no such file", f"did you mean {os.path.join(folder, twin[0])}?"
    from difflib import get_close_matches

    close = get_close_matches(name, names, 3, 0.6)
    shown = " or ".join(os.path.join(folder, other) for other in close)
    return "there is no such file", f"did you mean {shown}?" if close else "check the path"


def _folder(path: str, kind: str) -> tuple[str, str]:
    if kind:
        return "this is a folder, not a file", "name a file"
    inside = [name for name in _names_in(path) if formats.is_notebook_name(name)]
    if not inside:
        return "this is a folder, not a notebook", "name a file that ends in .py, .md or .ipynb"
    shown = ", ".join(inside[:3]) + (" …" if len(inside) > 3 else "")
    return "this is a folder, not a notebook", f"name a notebook in it: {shown}"


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _not_utf8(error: UnicodeDecodeError) -> tuple[str, str]:
    data = error.object
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "the file is UTF-16, not UTF-8", "convert it with `iconv -f UTF-16 -t UTF-8`"
    if b"\0" in data[:4096]:
        return "the file is not text", "it looks like a binary file; name a notebook"
    line = data.count(b"\n", 0, error.start) + 1
    message = f"the file is not UTF-8: byte 0x{data[error.start]:02x} in line {line}"
    return message, "save it as UTF-8; `iconv -f LATIN1 -t UTF-8` converts most old files"
