"""What stands for a notebook in a request: a file, `-` for standard input, or an address."""

from __future__ import annotations

import os

from octavo.errors import NotebookError
from octavo.notebook import formats
from octavo.sources import SourceFile, read_source

STANDARD = "-"


def read_input(word: str, cwd: str) -> SourceFile:
    """The notebook that a word of the command line stands for."""
    if word == STANDARD:
        return _made(_standard_input(), STANDARD, "stdin", cwd)
    if not is_elsewhere(word):
        return read_source(os.path.normpath(os.path.join(cwd, word)))
    from octavo.runs.download import download, file_name, public, refuse_other_stores

    refuse_other_stores(word, "read")
    return _made(download(word), public(word), file_name(word) or "notebook", cwd)


def is_elsewhere(word: str) -> bool:
    """Whether a word stands for something that is not a file here."""
    if "://" not in word:
        return word == STANDARD
    from octavo.runs.download import scheme_of

    return bool(scheme_of(word))


def _standard_input() -> bytes:
    import sys

    return sys.stdin.buffer.read() if sys.stdin else b""


def _made(content: bytes, named: str, file: str, cwd: str) -> SourceFile:
    """A source that lies nowhere; it is run as if it lay in the current folder."""
    text = _decoded(content, named)
    if not formats.is_notebook_name(file):
        file += _suffix(text)
    path = os.path.join(cwd, file)
    _refuse_page(text, named)
    try:
        notebook = formats.read(text, path)
    except NotebookError as error:
        error.place = error.place.replace(path, named)
        raise
    return SourceFile(path, text, notebook, named)


def _decoded(content: bytes, named: str) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotebookError(
            "notebook-encoding",
            "it is not UTF-8 text",
            place=named,
            hint="convert it first, for example with `iconv -f LATIN1 -t UTF-8`",
        ) from error
    if not text.removeprefix("\ufeff").strip():
        raise NotebookError(
            "notebook-empty",
            "there is no content",
            place=named,
            hint=_full(named),
        )
    return text


def _full(named: str) -> str:
    if named == STANDARD:
        return "hand a notebook in: octavo run - < notebook.ipynb"
    return "give the address of the file itself; on GitHub and Gitea that is `Raw`"


def _suffix(text: str) -> str:
    """The format of a text that has no name."""
    lines = text.lstrip("\ufeff \t\r\n").splitlines()
    if lines[0].startswith("{"):
        return ".ipynb"
    if any(line.startswith(("# %%", "#%%")) for line in lines):
        return ".py"
    if any(line.startswith(("```", "~~~")) for line in lines):
        return ".md"
    return ".py"


def _refuse_page(text: str, named: str) -> None:
    if _is_page(text):
        raise NotebookError(
            "notebook-invalid",
            "this is a web page, not a notebook",
            place=named,
            hint="give the address of the file itself; on GitHub and Gitea that is `Raw`",
        )


def _is_page(text: str) -> bool:
    """Whether a text is HTML; comments may stand before its first element."""
    start = text.lstrip("\ufeff \t\r\n")
    while start.startswith("<!--"):
        start = start.partition("-->")[2].lstrip()
    return start[:15].lower().startswith(("<!doctype html", "<html"))
