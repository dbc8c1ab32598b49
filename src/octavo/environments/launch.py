"""How a kernel process is to be started, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that are watched from outside the kernel; None means no bound."""

    memory: int | None = None
    processes: int | None = None
    cpu_seconds: float | None = None
    file_size: int | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """The interpreter that a notebook runs in, and why it was chosen.

    `overlay` is a folder that is appended to `sys.path` where IPython is not installed.
    `managed` says that Octavo built it, so that notebooks must not install into it.
    """

    python: str
    why: str
    kind: str = "current"
    root: str | None = None
    lock: Mapping[str, str] | None = None
    overlay: str | None = None
    managed: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything an engine needs to start a kernel.

    `variables` is the whole environment of the kernel process, nothing is inherited.
    """

    environment: Environment
    cwd: str
    variables: Mapping[str, str] = field(default_factory=dict)
    preload: tuple[str, ...] = ()
    limits: Limits = Limits()
    uv: str | None = None
