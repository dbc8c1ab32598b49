"""How a kernel process is to be started, as a value."""

from __future__ import annotations

from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Limits(Value):
    """Bounds that are watched from outside the kernel; None means no bound."""

    memory: int | None = None
    processes: int | None = None
    cpu_seconds: float | None = None
    file_size: int | None = None


class Environment(Value):
    """The interpreter that a notebook runs in, and why it was chosen.

    `kind` is "current", "active", "python", "venv", "project" or "script". `root` is the folder
    of the environment where it has one. `overlay` is a folder that is appended to `sys.path`
    where IPython is not installed. `managed` says that Octavo built it, so that notebooks must
    not install into it.
    """

    python: str
    why: str
    kind: str = "current"
    root: str | None = None
    lock: Mapping[str, str] | None = None
    overlay: str | None = None
    managed: bool = False


class Kernelspec(Value):
    """How Jupyter starts a kernel of some language: the content of a `kernel.json`.

    `argv` has `{connection_file}` (and perhaps `{resource_dir}`, which is `folder`) in it.
    """

    name: str
    argv: tuple[str, ...]
    language: str
    display_name: str = ""
    variables: Mapping[str, str] = {}
    interrupt_mode: str = "signal"
    folder: str = ""


class Launch(Value):
    """Everything an engine needs to start a kernel.

    `variables` is the whole environment of the kernel process, nothing is inherited. Without
    `kernel`, it is Python in `environment`. `start_seconds` bounds the wait for its first answer;
    None leaves that to the engine. `scrapbook_shim` lets the notebook import `scrapbook` where
    it is not installed. With `observe` the kernel tells which files it used, if it can;
    `coverage` is what it needs to measure which lines of the project's code it runs.
    """

    environment: Environment
    cwd: str
    variables: Mapping[str, str] = {}
    preload: tuple[str, ...] = ()
    limits: Limits = Limits()
    uv: str | None = None
    kernel: Kernelspec | None = None
    start_seconds: float | None = None
    scrapbook_shim: bool = False
    observe: bool = False
    coverage: Mapping[str, Any] | None = None
