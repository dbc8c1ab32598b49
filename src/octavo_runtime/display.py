"""What a cell shows: the value of its last expression, and what it displays."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher

#: Showing a value, and returning nothing; a call after that would take more.
_LAST_BYTES = 8


def json_clean(value: Any) -> Any:
    """A value that JSON can hold: bytes as base64, keys as strings, the rest by its own types."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else repr(value)
    if isinstance(value, dict):
        return {str(key): json_clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [json_clean(item) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        from base64 import b64encode

        return b64encode(value).decode("ascii")
    return _from_library(value)


def _from_library(value: Any) -> Any:
    """Dates, and numbers and arrays of libraries that we do not know."""
    for convert in ("isoformat", "tolist", "item"):
        method = getattr(value, convert, None)
        if callable(method):
            return json_clean(method())
    return str(value)


class KernelDisplayHook(DisplayHook):  # type: ignore[misc]
    """Sends the value of a cell's last expression."""

    _bundle: tuple[Any, Any] | None = None
    _is_last = False
    displaying = False
    exec_result: Any = None  # IPython would announce it whenever it is set

    def __call__(self, result: Any = None) -> None:
        self._is_last = _ends(sys._getframe(1), self.shell.running)
        super().__call__(result)

    def quiet(self) -> bool:
        """Whether the cell ends in a semicolon, for which IPython looks at every token."""
        inputs = self.shell.history_manager.input_hist_parsed
        return bool(inputs) and ";" in inputs[-1] and bool(super().quiet())

    def start_displayhook(self) -> None:
        self._bundle = None
        self.displaying = True

    def write_output_prompt(self) -> None:
        self._count = self.prompt_count

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self._bundle = (json_clean(format_dict), json_clean(md_dict or {}))

    def finish_displayhook(self) -> None:
        self.displaying = False
        bundle, self._bundle = self._bundle, None
        if bundle is None or not bundle[0]:
            return
        emitter = self.shell.kernel.emitter
        (emitter.emit_last if self._is_last else emitter.emit)(
            {
                "type": "execute-result",
                "execution_count": self._count,
                "data": bundle[0],
                "metadata": bundle[1],
            }
        )


def _ends(frame: FrameType, code: CodeType | None) -> bool:
    """Whether this code of a cell shows a value as the last thing that it does."""
    return frame.f_code is code and len(code.co_code) - frame.f_lasti <= _LAST_BYTES


class KernelDisplayPublisher(DisplayPublisher):  # type: ignore[misc]
    """Sends what is displayed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._hooks: list[Any] = []

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **kwargs: Any,
    ) -> None:
        self._validate_data(data, metadata)
        content = {
            "data": json_clean(data),
            "metadata": json_clean(metadata or {}),
            "transient": json_clean(transient or {}),
        }
        kind = "update_display_data" if update else "display_data"
        if self._pass_hooks({"msg_type": kind, "content": content}):
            self.shell.kernel.emitter.emit(
                {
                    "type": "display",
                    "data": content["data"],
                    "metadata": content["metadata"],
                    "display_id": content["transient"].get("display_id"),
                    "update": update,
                }
            )

    def _pass_hooks(self, message: Any) -> bool:
        for hook in list(self._hooks):
            message = hook(message)
            if message is None:
                return False
        return True

    def clear_output(self, wait: bool = False) -> None:
        self.shell.kernel.emitter.emit({"type": "clear-output", "wait": bool(wait)})

    def register_hook(self, hook: Any) -> None:
        """A function that is shown every message, and may swallow it by returning None."""
        self._hooks.append(hook)

    def unregister_hook(self, hook: Any) -> bool:
        if hook in self._hooks:
            self._hooks.remove(hook)
            return True
        return False


def show_in_fork(traceback: list[str]) -> None:
    """A traceback in a process that the cell has forked: its own affair, so plain text."""
    sys.stderr.write("\n".join(traceback) + "\n")
