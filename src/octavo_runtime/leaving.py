"""What a kernel does at its end: what an interpreter does, but for taking itself apart.

Threads are waited for, exit handlers run, objects of the notebook are let go, and what was
written to files that nobody has closed gets there. Handlers of C libraries do not run.
"""

from __future__ import annotations

import gc
import io
import sys
from typing import Any

from octavo_runtime import process

_FILES = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
_LAST_ERROR = ("last_type", "last_value", "last_traceback", "last_exc")


def finish(shell: Any) -> None:
    """Bring everything that the notebook has begun to its end."""
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if shell.tempfiles or shell.tempdirs:
        shell.atexit_operations()
    _flush_files()
    _let_go(shell)
    process.flush_c_streams()


def take_over_exit(shell: Any) -> None:
    """IPython's own exit handler costs more than all that it would do here."""
    import atexit

    atexit.unregister(shell.atexit_operations)


def _let_go(shell: Any) -> None:
    """Drop the names of the notebook, so that objects that clean up after themselves do."""
    shell.last_execution_result = None
    shell.history_manager.output_hist.clear()
    for name in _LAST_ERROR:
        sys.__dict__.pop(name, None)
    for name in [each for each in shell.user_ns if not each.startswith("__")]:
        shell.user_ns.pop(name, None)
    gc.collect()


def _flush_files() -> None:
    """Before anything is let go: the garbage collector may close a file before its buffer."""
    # The type is asked, not the object: some pretend to be others, and do things when asked.
    for thing in [each for each in gc.get_objects() if issubclass(type(each), _FILES)]:
        try:
            thing.flush()
        except (OSError, ValueError):
            continue
