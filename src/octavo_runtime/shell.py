"""The IPython shell of a kernel.

It looks like ipykernel's to the libraries that ask (class and module names, `config`, `kernel`),
and keeps nothing on disk: no history file, no profile folder, no thread.
"""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from octavo_runtime.early_exit import EarlyExit
from octavo_runtime.emitter import Emitter

emitter: Emitter


def json_clean(value: Any) -> Any:
    """A value that JSON can hold: bytes as base64, keys as strings, the rest by its own types."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        from base64 import b64encode

        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {str(key): json_clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [json_clean(item) for item in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return json_clean(value.item())
    return str(value)


class KernelDisplayHook(DisplayHook):  # type: ignore[misc]
    """Sends the value of a cell's last expression."""

    def start_displayhook(self) -> None:
        self._bundle: tuple[dict[str, Any], dict[str, Any]] | None = None

    def write_output_prompt(self) -> None:
        self._count = self.prompt_count

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self._bundle = (json_clean(format_dict), json_clean(md_dict or {}))

    def finish_displayhook(self) -> None:
        if self._bundle is not None and self._bundle[0]:
            data, metadata = self._bundle
            emitter.emit(
                {
                    "type": "execute-result",
                    "execution_count": self._count,
                    "data": data,
                    "metadata": metadata,
                }
            )
        self._bundle = None


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
        if emitter.mute:
            if "text/plain" in data:
                sys.stdout.write(f"{data['text/plain']}\n")
            return
        content = {
            "data": json_clean(data),
            "metadata": json_clean(metadata or {}),
            "transient": json_clean(transient or {}),
        }
        message: Any = {
            "msg_type": "update_display_data" if update else "display_data",
            "content": content,
        }
        for hook in list(self._hooks):
            message = hook(message)
            if message is None:
                return
        emitter.emit(
            {
                "type": "display",
                "data": content["data"],
                "metadata": content["metadata"],
                "display_id": content["transient"].get("display_id"),
                "update": update,
            }
        )

    def clear_output(self, wait: bool = False) -> None:
        emitter.emit({"type": "clear-output", "wait": bool(wait)})

    def register_hook(self, hook: Any) -> None:
        self._hooks.append(hook)

    def unregister_hook(self, hook: Any) -> bool:
        if hook in self._hooks:
            self._hooks.remove(hook)
            return True
        return False


class MemoryHistory(HistoryManager):  # type: ignore[misc]
    """History of this kernel only; `%history`, `In` and `Out` work, nothing is written."""

    def writeout_cache(self, conn: Any = None) -> None:
        self.db_input_cache = []
        self.db_output_cache = []


class KernelFacade:
    """What libraries expect of `get_ipython().kernel`."""

    def __init__(self) -> None:
        self.shell: Any = None
        self.parent: dict[str, Any] = {}
        self.session = types.SimpleNamespace(session="octavo", username="octavo")
        self.comm_manager: Any = None
        self.iopub_socket = None
        self.implementation = "octavo"

    def get_parent(self, channel: str | None = None) -> dict[str, Any]:
        return self.parent

    @property
    def _parent_header(self) -> dict[str, Any]:
        return self.parent


class ZMQInteractiveShell(InteractiveShell):  # type: ignore[misc]
    """Named as ipykernel's, because that is what libraries look for."""

    displayhook_class = Type(KernelDisplayHook)
    display_pub_class = Type(KernelDisplayPublisher)
    kernel: KernelFacade
    _last_traceback: list[str] | None = None
    error_line: int | None = None
    _code_name: str | None = None

    def init_ipython_dir(self, ipython_dir: Any) -> None:
        """The home directory is neither read nor written."""

    def init_profile_dir(self, profile_dir: Any) -> None:
        self.db = {}

    def init_history(self) -> None:
        self.history_manager = MemoryHistory(shell=self, parent=self, enabled=False)
        self.configurables.append(self.history_manager)

    def init_completer(self) -> None:
        """Nobody completes here, and jedi costs as much as all the rest."""

    def init_virtualenv(self) -> None:
        """The interpreter was chosen with care; no second opinion."""

    def init_environment(self) -> None:
        """The launch has said what the variables are."""

    def init_data_pub(self) -> None:
        """Gone from IPython; kept so that older versions do not make one."""

    def enable_gui(self, gui: Any = None) -> None:
        if gui in (None, "inline", "asyncio"):
            return
        from IPython.core.error import UsageError

        raise UsageError(f"no event loop for GUI {gui!r}: this kernel has no screen")

    def get_parent(self) -> dict[str, Any]:
        return self.kernel.parent

    def ask_exit(self) -> None:
        raise EarlyExit()

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        etype = sys.exc_info()[0]
        if etype is not None and issubclass(etype, EarlyExit):
            return
        super().showtraceback(*args, **kwargs)

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        lines = list(stb) if isinstance(stb, (list, tuple)) else str(stb).splitlines()
        try:
            text = str(evalue)
        except Exception:
            text = "<exception str() failed>"
        self._last_traceback = lines
        emitter.emit(
            {
                "type": "error",
                "ename": str(etype.__name__),
                "evalue": text,
                "traceback": lines,
                "line": self._line_of(evalue),
            }
        )

    def _line_of(self, error: Any) -> int | None:
        """The line of the running cell that an error comes from."""
        name = self._code_name
        if isinstance(error, SyntaxError) and error.filename == name:
            return error.lineno
        line = None
        trace = getattr(error, "__traceback__", None)
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == name:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line


# Libraries compare these names; see the conformance suite.
ZMQInteractiveShell.__module__ = "ipykernel.zmqshell"


class _Refused:
    """`input()` and `getpass()`: there is nobody to answer."""

    def __call__(self, prompt: Any = "", *args: Any, **kwargs: Any) -> str:
        from IPython.core.error import StdinNotImplementedError

        raise StdinNotImplementedError(
            "input() was called, but nobody can answer in a run: "
            "make it a parameter of the notebook instead"
        )


def _refuse_input(shell: ZMQInteractiveShell) -> None:
    refused = _Refused()
    builtins.input = refused
    shell.raw_input_original = refused
    import getpass

    getpass.getpass = refused


def create() -> ZMQInteractiveShell:
    """The shell, made once in the zygote, before anything is forked."""
    config = Config()
    config.IPKernelApp.connection_file = ""
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    module = types.ModuleType("__main__")
    facade = KernelFacade()
    ZMQInteractiveShell.kernel = facade
    shell = ZMQInteractiveShell.instance(
        config=config,
        user_module=module,
    )
    facade.shell = shell
    _refuse_input(shell)
    _register_lookalike()
    from octavo_runtime.magics import register

    register(shell)
    return shell


def _register_lookalike() -> None:
    """tqdm and others look for this module name."""
    module = types.ModuleType("ipykernel.zmqshell")
    module.ZMQInteractiveShell = ZMQInteractiveShell  # type: ignore[attr-defined]
    sys.modules.setdefault("ipykernel.zmqshell", module)
