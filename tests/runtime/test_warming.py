"""A warmed interpreter looks like a fresh one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import octavo_runtime

_LOOK = """\
import builtins, gc, json, linecache, os, signal, sys, threading
sys.path.insert(0, {root!r})
from octavo_runtime import early_exit, zygote
shell = zygote.boot([], for_long={warmed})
hidden = ("_i", "_ii", "_iii", "_oh", "_dh", "In", "Out", "_", "__", "___")
print(json.dumps({{
    "names": sorted(name for name in shell.user_ns if name not in hidden),
    "in": shell.user_ns["In"], "out": len(shell.user_ns["Out"]), "dh": len(shell.user_ns["_dh"]),
    "count": shell.execution_count,
    "last": [name for name in ("last_value", "last_exc", "last_traceback") if hasattr(sys, name)],
    "hooks": len(sys.meta_path), "path": sys.path,
    "raw": shell.history_manager.input_hist_raw, "hidden": sorted(shell.user_ns_hidden),
    "numbered": [name for name in shell.user_ns if name.startswith("_i") and name[2:].isdigit()],
    "result": repr(shell.last_execution_result), "succeeded": shell.last_execution_succeeded,
    "heard": {{name: len(each) for name, each in shell.events.callbacks.items()}},
    "lines": [name for name in linecache.cache if "ipython" in name],
    "parent": shell.kernel.parent, "forked": shell.kernel.emitter.forked,
    "interrupted": repr(signal.getsignal(signal.SIGINT)), "collecting": gc.isenabled(),
    "streams": [type(sys.stdout).__name__, type(sys.stderr).__name__], "words": sys.argv,
    "variables": sorted(os.environ), "folder": os.getcwd(),
    "open": len(os.listdir("/proc/self/fd")), "early": early_exit.understood,
    "threads": threading.active_count(), "importing": repr(builtins.__import__),
}}))
"""


def _look(warmed: bool) -> dict[str, object]:
    code = _LOOK.format(root=str(Path(octavo_runtime.__file__).parent.parent), warmed=warmed)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    seen: dict[str, object] = json.loads(ran.stdout)
    return seen


def test_warming_leaves_no_trace() -> None:
    assert _look(warmed=True) == _look(warmed=False)
