"""What Python and its libraries do in a child after a fork, and how little of it a kernel needs.

A zygote has one thread and holds no lock, and so have those it forks. The hooks of the standard
library and of IPython put locks and threads in order; here they are. They would write to a few
hundred pages in each kernel. Where anybody else has a hook, or a thread, all are run.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from octavo_runtime import process

#: Modules whose hooks see to locks and threads only, and to random numbers.
_HISTORY = "IPython.core.history"
_KNOWN = (_HISTORY, "logging", "octavo_runtime.turns", "random", "threading")
_HOOKS = ("before", "after_in_parent", "after_in_child")

_register = os.register_at_fork
_strangers = True
_seed: Any = None
_main_thread: Any = None
_before: Any = None
_after: Any = None


def watch() -> None:
    """From now on, see who registers hooks; to be called before anybody can have done so."""
    global _strangers
    _strangers = not _is_bare()
    os.register_at_fork = _registering


def _is_bare() -> bool:
    """Whether nothing has been loaded that has hooks."""
    own = {*sys.stdlib_module_names} if sys.version_info >= (3, 10) else set()
    own |= {"__main__", "octavo_runtime", "_virtualenv", "_distutils_hack"}
    tops = {name.partition(".")[0] for name in sys.modules}
    return all(top in own or top.startswith("__editable__") for top in tops)


def _registering(**hooks: Any) -> None:
    global _strangers
    modules = {_module_of(hooks[name]) for name in _HOOKS if hooks.get(name)}
    _strangers = _strangers or not modules <= set(_KNOWN)
    if modules == {_HISTORY} and hooks.get("before"):
        hooks = {**hooks, "before": _when_history_is_saved(hooks["before"])}
    _register(**hooks)


def _when_history_is_saved(stop: Any) -> Any:
    """IPython stops the threads that save histories; the one that a kernel has is not saved."""
    histories = getattr(getattr(stop, "__self__", None), "_instances", None)
    known = getattr(histories, "data", None)
    if known is None:
        return stop

    def before() -> None:
        if len(known) > 1:
            stop()

    return before


def _module_of(hook: Any) -> str:
    """Where a hook is defined, also if it is a method."""
    owner = getattr(hook, "__self__", None)
    if owner is not None and not isinstance(owner, type(sys)):
        owner = owner if isinstance(owner, type) else type(owner)
        return str(owner.__module__)
    return str(getattr(hook, "__module__", ""))


def settle() -> None:
    """Nothing more will be loaded: find what has to be done after a fork."""
    global _seed, _main_thread, _before, _after
    os.register_at_fork = _register
    if process.libc() is None:
        return
    import ctypes
    import random
    import threading

    _seed, _main_thread = random.seed, threading.main_thread()
    if _strangers or len(os.listdir("/proc/self/task")) > 1:
        _before, _after = ctypes.pythonapi.PyOS_BeforeFork, ctypes.pythonapi.PyOS_AfterFork_Child


def run() -> None:
    """In a child of `process.fork_plainly`."""
    if _before is not None:
        _before()
        _after()
    elif _seed is not None:
        _seed()
        _main_thread._set_native_id()
