"""Papermill's exceptions, and those of nbclient that reach its users.

Where the other package has been imported, what is raised is an instance of its class too, so that
an `except` clause that names that one catches ours. The other package is never imported for it:
who has not imported it has no such clause.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

_COLOUR = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
_RULE = "-" * 75


class PapermillException(Exception):
    """Something went wrong with a notebook."""


class PapermillMissingParameterException(PapermillException):
    """A path asks for a parameter that was given no value."""


class PapermillExecutionError(PapermillException):
    """A cell raised; `cell_index` counts in the executed notebook."""

    def __init__(
        self,
        cell_index: int,
        exec_count: int | None,
        source: str,
        ename: str,
        evalue: str,
        traceback: Sequence[str],
    ) -> None:
        super().__init__(cell_index, exec_count, source, ename, evalue, traceback)
        self.cell_index = cell_index
        self.exec_count = exec_count
        self.source = source
        self.ename = ename
        self.evalue = evalue
        self.traceback = traceback

    def __str__(self) -> str:
        told = _COLOUR.sub("", "\n".join(self.traceback))
        return f'\n{_RULE}\nException encountered at "In [{self.exec_count}]":\n{told}\n'


class CellTimeoutError(TimeoutError):
    """A cell took longer than it may."""


class DeadKernelError(RuntimeError):
    """The kernel is gone although nobody asked for it."""


#: The class that another package has for each of ours.
_THEIRS = {
    PapermillException: "papermill.exceptions",
    PapermillMissingParameterException: "papermill.exceptions",
    PapermillExecutionError: "papermill.exceptions",
    CellTimeoutError: "nbclient.exceptions",
    DeadKernelError: "nbclient.exceptions",
}


def made(kind: type[Exception], *arguments: Any) -> Exception:
    """An exception of ours that is one of theirs as well."""
    module = sys.modules.get(_THEIRS[kind])
    theirs = getattr(module, kind.__name__, None)
    if theirs is None:
        return kind(*arguments)

    def reduced(self: Exception) -> tuple[Any, ...]:
        return made, (kind, *arguments)

    both = type(kind.__name__, (kind, theirs), {"__module__": __name__, "__reduce__": reduced})
    error: Exception = both(*arguments)
    return error
