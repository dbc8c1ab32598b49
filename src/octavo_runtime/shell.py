"""The IPython shell of a kernel.

It looks like ipykernel's to the libraries that ask (class and module names, `config`, `kernel`),
and keeps nothing on disk: no history file, no profile folder, no thread.
"""

from __future__ import annotations

import asyncio
import builtins
import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from IPython.core import interactiveshell
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from octavo_runtime import leaving, refusals
from octavo_runtime.display import KernelDisplayHook, KernelDisplayPublisher, show_in_fork
from octavo_runtime.early_exit import EarlyExit, requested_by
from octavo_runtime.formatting import KernelFormatter
from octavo_runtime.transform import KernelCompiler, QuickTransformer

#: The folder of this package.
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: So many errors that led to one another are looked at.
_MOST_CHAINED = 20


class MemoryHistory(HistoryManager):  # type: ignore[misc]
    """History of this kernel only; `%history`, `In` and `Out` work, nothing is written."""

    # Texts that IPython would check and announce each time that it sets them.
    _i00 = _i = _ii = _iii = ""

    def writeout_cache(self, conn: Any = None) -> None:
        self.db_input_cache: list[Any] = []
        self.db_output_cache: list[Any] = []


class MemoryDatabase(dict):  # type: ignore[type-arg]
    """What `%store` and `%bookmark` keep, for the life of the kernel."""

    def keys(self, pattern: str = "*") -> Any:
        from fnmatch import fnmatchcase

        return [key for key in self if fnmatchcase(key, pattern)]


class NoTranscript:
    """Stands for IPython's logger until `%logstart` wants it."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._real: Any = None

    def log(self, *args: Any) -> None:
        """No transcript is kept."""

    def __getattr__(self, name: str) -> Any:
        from IPython.core.logger import Logger

        if self._real is None:
            self._real = Logger("", logfname="ipython_log.py", logmode="rotate")
            self._shell.logger = self._real
        return getattr(self._real, name)


class KernelFacade:
    """What libraries expect of `get_ipython().kernel`, and where this kernel's own parts hang."""

    implementation = "octavo"
    iopub_socket = None

    def __init__(self) -> None:
        self.shell: Any = None
        self.emitter: Any = None
        self.interrupts: Any = None
        self.pipes: tuple[int, int] = (1, 2)
        self.comm_manager: Any = None
        self.parent: dict[str, Any] = {}
        self.session = types.SimpleNamespace(session="octavo", username="octavo")

    def set_parent(self, request: str) -> None:
        self.parent = {
            "header": {"msg_id": request, "msg_type": "execute_request", "session": "octavo"},
            "msg_id": request,
        }

    def get_parent(self, channel: str | None = None) -> dict[str, Any]:
        return self.parent

    @property
    def _parent_header(self) -> dict[str, Any]:
        return self.parent


class ZMQInteractiveShell(InteractiveShell):  # type: ignore[misc]
    """Named as ipykernel's, because that is what libraries look for."""

    displayhook_class = Type(KernelDisplayHook)
    display_pub_class = Type(KernelDisplayPublisher)
    compiler_class = KernelCompiler
    profile_dir: Any = None
    kernel: KernelFacade
    display_failed = False
    _last_traceback: list[str] | None = None
    _code_name: str | None = None
    #: The code of a cell that is executed now, and not by other code of that cell.
    running: types.CodeType | None = None
    _depth = 0

    # What a kernel does not need at its start

    def init_ipython_dir(self, ipython_dir: Any) -> None:
        """The home directory is neither read nor written."""

    def init_profile_dir(self, profile_dir: Any) -> None:
        self.db = MemoryDatabase()
        self.profile_dir = types.SimpleNamespace(location=os.devnull)

    def init_history(self) -> None:
        self.history_manager = MemoryHistory(shell=self, parent=self, enabled=False)
        self.configurables.append(self.history_manager)

    def init_display_formatter(self) -> None:
        self.display_formatter = KernelFormatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_completer(self) -> None:
        """Nobody completes here, and jedi costs as much as all the rest."""

    def init_virtualenv(self) -> None:
        """The interpreter was chosen with care; no second opinion."""

    def init_environment(self) -> None:
        """The launch has said what the variables are."""

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", print_page, 99)

    def enable_gui(self, gui: Any = None) -> None:
        if gui in (None, "inline", "asyncio"):
            return
        from IPython.core.error import UsageError

        raise UsageError(f"no event loop for GUI {gui!r}: this kernel has no screen")

    # Who asks, and what for

    def get_parent(self) -> dict[str, Any]:
        return self.kernel.parent

    @property
    def parent_header(self) -> dict[str, Any]:
        return self.kernel.parent

    def ask_exit(self) -> None:
        raise EarlyExit()

    def begin_cell(self, code: str, transformed: str) -> None:
        """Forget what was known of the cell before."""
        self.display_failed = False
        self._last_traceback = None
        self._code_name = self.compile.get_code_name(code, transformed, self.execution_count)

    async def run_code(self, code_obj: Any, result: Any = None, *, async_: bool = False) -> Any:
        """Code is executed once the value of the code before it has been written down."""
        self.kernel.emitter.settle()
        self._depth += 1
        self.running = code_obj if self._depth == 1 else None
        try:
            return await super().run_code(code_obj, result, async_=async_)
        finally:
            self._depth -= 1
            self.running = None

    def end_cell(self) -> None:
        self.payload_manager.clear_payload()

    # How errors are told

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if requested_by(error):
            return
        interrupts = self.kernel.interrupts
        if isinstance(error, asyncio.CancelledError) and interrupts and interrupts.cancelled:
            error = KeyboardInterrupt().with_traceback(error.__traceback__)
            exc_tuple = (KeyboardInterrupt, error, error.__traceback__)
        _leave_us_out(error)
        if _contains_group(error):
            self._show_group(error)
            return
        super().showtraceback(exc_tuple, *args, **kwargs)

    def _show_group(self, error: Any) -> None:
        """IPython prints groups of exceptions; a failed cell should say what failed it."""
        import traceback

        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_name == "run_code":
            trace = trace.tb_next
        text = "".join(traceback.format_exception(type(error), error, trace))
        self._showtraceback(type(error), error, text.splitlines())

    def show_interrupt(self) -> None:
        """Tell an interrupt that did not come through the code of the cell."""
        self.showtraceback((KeyboardInterrupt, KeyboardInterrupt(), None), exception_only=True)

    def show_usage_error(self, exc: Any) -> None:
        """An error output, where ipykernel prints: a failed cell should say what failed it."""
        self._showtraceback(type(exc), exc, [f"{type(exc).__name__}: {exc}"])

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        lines = list(stb) if isinstance(stb, (list, tuple)) else str(stb).splitlines()
        self._last_traceback = lines
        self.display_failed = self.display_failed or self.displayhook.displaying
        self.displayhook.displaying = False
        if self.kernel.emitter.forked:
            show_in_fork(lines)
            return
        self.kernel.emitter.emit(
            {
                "type": "error",
                "ename": str(etype.__name__),
                "evalue": _text_of(evalue),
                "traceback": lines,
                "line": self._line_of(evalue),
            }
        )

    def _format_exception_for_storage(self, exception: Any, *args: Any, **kw: Any) -> Any:
        """IPython would make every traceback a second time, for a notebook that it writes."""
        lines = self._last_traceback or []
        ename = type(exception).__name__
        return {"ename": ename, "evalue": _text_of(exception), "traceback": lines}

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


def print_page(shell: Any, data: Any, start: int = 0, screen_lines: int = 0) -> None:
    """What `name?` and other magics would page is part of what the cell shows."""
    text = data["text/plain"] if isinstance(data, dict) else data
    print("\n".join(text.split("\n")[max(0, start) :]))  # noqa: T201


def _contains_group(error: Any) -> bool:
    if not hasattr(builtins, "BaseExceptionGroup"):  # Python 3.10 and older
        return False
    while error is not None:
        if isinstance(error, BaseExceptionGroup):
            return True
        error = error.__context__
    return False


def _leave_us_out(error: Any) -> None:
    """Frames of ours below the author's are no part of what failed: an interrupt is raised in our
    handler, a wrong value is refused by our function.
    """
    for _ in range(_MOST_CHAINED):
        if error is None:
            return
        last, trace = None, error.__traceback__
        while trace is not None:
            last = last if trace.tb_frame.f_code.co_filename.startswith(_OURS) else trace
            trace = trace.tb_next
        if last is not None:
            last.tb_next = None
        error = error.__context__


def _text_of(error: Any) -> str:
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"


def create() -> ZMQInteractiveShell:
    """The shell, made once in the zygote, before anything is forked."""
    config = Config()
    config.IPKernelApp.connection_file = ""
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    facade = KernelFacade()
    ZMQInteractiveShell.kernel = facade
    module = types.ModuleType("__main__")
    with _database_in_memory():
        shell: ZMQInteractiveShell = ZMQInteractiveShell.instance(config=config, user_module=module)
    facade.shell = shell
    shell.input_transformer_manager = QuickTransformer()
    shell.logger = NoTranscript(shell)
    leaving.take_over_exit(shell)
    refusals.install(shell)
    _register_lookalike()
    from octavo_runtime.magics import register

    register(shell)
    return shell


@contextmanager
def _database_in_memory() -> Iterator[None]:
    """IPython 8 makes its database while the shell is made."""
    names = interactiveshell.__dict__
    kept = names.get("PickleShareDB")
    if kept is not None:
        names["PickleShareDB"] = lambda root: MemoryDatabase()
    try:
        yield
    finally:
        if kept is not None:
            names["PickleShareDB"] = kept


def _register_lookalike() -> None:
    """tqdm and others look for this module name."""
    module = types.ModuleType("ipykernel.zmqshell")
    module.ZMQInteractiveShell = ZMQInteractiveShell  # type: ignore[attr-defined]
    sys.modules.setdefault("ipykernel.zmqshell", module)
