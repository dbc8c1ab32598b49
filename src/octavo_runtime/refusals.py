"""What needs somebody at the keyboard is refused with a clear error."""

from __future__ import annotations

import builtins
import sys
from typing import Any, NoReturn


def install(shell: Any) -> None:
    """Replace `input`, `getpass` and `breakpoint`."""
    builtins.input = refuse_input
    shell.raw_input_original = refuse_input
    import getpass

    getpass.getpass = refuse_getpass
    sys.breakpointhook = refuse_breakpoint


def _refuse(what: str, instead: str) -> NoReturn:
    __tracebackhide__ = True
    from IPython.core.error import StdinNotImplementedError

    raise StdinNotImplementedError(f"{what} was called, but nobody can answer in a run: {instead}")


def refuse_input(prompt: Any = "", /) -> str:
    """`input()`: there is nobody to answer."""
    __tracebackhide__ = True
    _refuse("input()", "make it a parameter of the notebook instead")


def refuse_getpass(prompt: Any = "", stream: Any = None, **keys: Any) -> str:
    """`getpass.getpass()`: there is nobody to answer."""
    __tracebackhide__ = True
    _refuse("getpass()", "hand the secret over as an environment variable instead")


def refuse_breakpoint(*args: Any, **kwargs: Any) -> None:
    """`breakpoint()`: there is nobody to debug."""
    __tracebackhide__ = True
    _refuse("breakpoint()", "remove it, or open the notebook in Jupyter to debug it")
