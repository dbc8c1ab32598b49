"""Costly modules that come along with others and that most notebooks never use: loaded when asked.

`ssl` comes with asyncio, `logging.config` with traitlets. Code of a notebook never meets a
stand-in: `import ssl` gives the real module, and asyncio then has it too.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any


class AfterImport:
    """Calls back once a module has been imported, by whomever."""

    def __init__(self, name: str, connect: Callable[[Any], None]) -> None:
        self.name = name
        self.connect = connect
        self._looking = False

    def install(self) -> None:
        """From now on; at once where the module is there already."""
        if self.name in sys.modules:
            self.connect(sys.modules[self.name])
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.name or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            self._wrap(spec.loader)
        return spec

    def _wrap(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            self.connect(module)

        loader.exec_module = exec_module


class _Sslproto:
    """Stands for `asyncio.sslproto` inside asyncio until somebody wants a secure connection."""

    def __getattr__(self, name: str) -> Any:
        __import__("ssl")
        return getattr(importlib.import_module("asyncio.sslproto"), name)


def import_asyncio() -> None:
    """Import asyncio without `ssl`, which joins when it is first imported."""
    if "asyncio" in sys.modules or "ssl" in sys.modules:
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]
    try:
        import asyncio
    finally:
        del sys.modules["ssl"]
    sslproto = sys.modules.pop("asyncio.sslproto")
    delattr(asyncio, "sslproto")
    users = [
        module
        for name, module in sys.modules.items()
        if name.startswith("asyncio.") and module.__dict__.get("sslproto") is sslproto
    ]
    for module in users:
        module.__dict__["sslproto"] = _Sslproto()
    AfterImport("ssl", lambda ssl: _join(ssl, users)).install()


def _join(ssl: Any, users: list[types.ModuleType]) -> None:
    sslproto = importlib.import_module("asyncio.sslproto")
    for module in users:
        module.__dict__.update(ssl=ssl, sslproto=sslproto)


def import_traitlets() -> None:
    """Import traitlets without `logging.config`, which only its applications use."""
    if "traitlets" in sys.modules or "logging.config" in sys.modules:
        return
    stand_in = types.ModuleType("logging.config")
    stand_in.dictConfig = _dict_config  # type: ignore[attr-defined]
    sys.modules["logging.config"] = stand_in
    try:
        import traitlets.config  # noqa: F401
    finally:
        del sys.modules["logging.config"]


def _dict_config(config: Any) -> None:
    from logging.config import dictConfig

    dictConfig(config)
