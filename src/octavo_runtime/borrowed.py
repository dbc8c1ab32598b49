"""Imports that only work because Octavo lent its own packages to the environment.

An environment without IPython gets an overlay at the end of `sys.path`. A notebook that imports
something from there works here and nowhere else: that is said, once for each name. IPython
itself is what every notebook may count on.
"""

from __future__ import annotations

import builtins
import sys
from typing import Any

#: The folder of the overlay, empty where the environment has its own IPython. Set at boot.
overlay = ""


def install() -> None:
    """Watch the imports of the notebook itself; those of libraries are their own business."""
    if not overlay:
        return
    original = builtins.__import__
    told = {"IPython"}

    def watched(name: str, *args: Any, **kwargs: Any) -> Any:
        module = original(name, *args, **kwargs)
        top = name.partition(".")[0]
        if top and top not in told and _is_notebook(args, kwargs) and _is_lent(top):
            told.add(top)
            sys.stderr.write(
                f"octavo: {top} is Octavo's own copy, this environment has none: install it\n"
            )
        return module

    builtins.__import__ = watched


def _is_notebook(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    importing = args[0] if args else kwargs.get("globals")
    return isinstance(importing, dict) and importing.get("__name__") == "__main__"


def _is_lent(name: str) -> bool:
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", [])), "")
    return bool(file) and str(file).startswith(f"{overlay}/")
