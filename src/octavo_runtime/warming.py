"""What a resident zygote loads ahead, so that the first cell and the first error are quick.

Nothing of it can be seen in a kernel: no cell is run, and what is formatted is thrown away.
"""

from __future__ import annotations

import sys
from typing import Any

from octavo_runtime.transform import QuickTransformer

_USED_BY_CELLS = ("bdb", "glob", "hashlib", "json", "shlex", "tempfile")


def warm(shell: Any) -> None:
    """Load what running cells, displaying values and showing errors need."""
    for name in _USED_BY_CELLS:
        __import__(name)
    QuickTransformer().transform_cell("%pwd\n")
    shell.display_formatter.format(1)
    _show_an_error(shell)


def _show_an_error(shell: Any) -> None:
    formatter = shell.InteractiveTB
    try:
        exec(compile("1 / 0\n", "<warming>", "exec"), {})
    except ZeroDivisionError:
        formatter.structured_traceback(*sys.exc_info(), tb_offset=1)
    formatter.tb = None
