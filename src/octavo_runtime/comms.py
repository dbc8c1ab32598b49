"""Widgets: the comm protocol, so that ipywidgets' state is kept in the record."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from typing import Any

from octavo_runtime.emitter import Emitter


def install(shell: Any, emitter: Emitter) -> None:
    """Wait for the `comm` package; it is set up when a notebook imports it."""
    hook = _AfterImport(lambda module: _connect(module, shell, emitter))
    if "comm" in sys.modules:
        hook.connect(sys.modules["comm"])
    else:
        sys.meta_path.insert(0, hook)


def _connect(comm: Any, shell: Any, emitter: Emitter) -> None:
    from octavo_runtime.display import json_clean

    base: Any = comm.base_comm.BaseComm
    manager = comm.base_comm.CommManager()
    shell.kernel.comm_manager = manager

    class KernelComm(base):  # type: ignore[misc]
        """A comm whose messages become events."""

        kernel = shell.kernel

        def publish_msg(
            self,
            msg_type: str,
            data: Any = None,
            metadata: Any = None,
            buffers: Any = None,
            **keys: Any,
        ) -> None:
            emitter.emit(
                {
                    "type": "comm",
                    "action": msg_type.rpartition("_")[2],
                    "comm_id": self.comm_id,
                    "target_name": keys.get("target_name") or "",
                    "data": json_clean(data or {}),
                    "metadata": json_clean(metadata or {}),
                    "buffers": [json_clean(buffer) for buffer in buffers or ()],
                }
            )

    def create(*args: Any, **kwargs: Any) -> Any:
        return KernelComm(*args, **kwargs)

    comm.create_comm = create
    comm.get_comm_manager = lambda: manager


class _AfterImport(importlib.abc.MetaPathFinder):
    """Calls back once the `comm` package has been imported."""

    def __init__(self, connect: Any) -> None:
        self.connect = connect
        self._looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "comm" or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
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
