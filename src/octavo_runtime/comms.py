"""Widgets: the comm protocol, so that ipywidgets' state is kept in the record."""

from __future__ import annotations

from typing import Any

from octavo_runtime.emitter import Emitter
from octavo_runtime.later import AfterImport


def install(shell: Any, emitter: Emitter) -> None:
    """Wait for the `comm` package; it is set up when a notebook imports it."""
    AfterImport("comm", lambda module: _connect(module, shell, emitter)).install()


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
