"""`import scrapbook` in an environment without scrapbook: its `glue`, and nothing else.

The finder stands behind all others, so a scrapbook that is installed is the one that is used.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from typing import Any, NoReturn

from octavo_runtime.scraps import glue

NAME = "scrapbook"
_READERS = ("read_notebook", "read_notebooks")


class _Finder:
    """Finds `scrapbook` when nobody else does."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, _Loader(), origin="octavo") if name == NAME else None


class _Loader(Loader):
    """Makes the module."""

    def exec_module(self, module: Any) -> None:
        module.__doc__ = "Octavo's stand-in for scrapbook: it has glue, and nothing else."
        module.glue = glue
        module.__getattr__ = _missing
        for name in _READERS:
            setattr(module, name, _refusing(name))


def install() -> None:
    """Let the notebook import `scrapbook`."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)


def _refusing(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"scrapbook.{name}: this is Octavo's stand-in, which only has glue. Install scrapbook "
            f"in this environment, or read with octavo.{name}"
        )

    refuse.__name__ = name
    return refuse


def _missing(name: str) -> NoReturn:
    raise AttributeError(
        f"scrapbook.{name}: this is Octavo's stand-in, which only has glue; "
        "install scrapbook in this environment for the rest"
    )
