"""What needs somebody at the keyboard is refused with a clear error."""

from __future__ import annotations

import builtins
import sys
from typing import Any

from IPython.core.error import StdinNotImplementedError


def install(shell: Any) -> None:
    """Replace `input`, `getpass` and `breakpoint`."""
    builtins.input = refuse_input
    shell.raw_input_original = refuse_input
    import getpass

    getpass.getpass = refuse_getpass
    sys.breakpointhook = refuse_breakpoint


def refuse_input(prompt: Any = "", /) -> str:
    """`input()`: there is nobody to answer."""
    raise StdinNotImplementedError(
        "input() was called, but nobody can answer in a run: "
        "make it a parameter of the notebook instead"
    )


def refuse_getpass(prompt: Any = "", stream: Any = None, **keys: Any) -> str:
    """`getpass.getpass()`: there is nobody to answer."""
    raise StdinNotImplementedError(
        "getpass() was called, but nobody can answer in a run: "
        "hand the secret over as an environment variable instead"
    )


def refuse_breakpoint(*args: Any, **kwargs: Any) -> None:
    """`breakpoint()`: there is nobody to debug."""
    raise StdinNotImplementedError(
        "breakpoint() was called, but nobody can answer in a run: "
        "remove it, or open the notebook in Jupyter to debug it"
    )
