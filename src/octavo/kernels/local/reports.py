"""What a kernel and its keeper say, as the values that the port speaks of."""

from __future__ import annotations

import signal
from typing import Any, Literal

from octavo.events.codec import from_dict
from octavo.events.types import KernelEvent, Stream
from octavo.kernels.port import Death, Outcome, Usage

_EMITTED = {
    *("display", "execute-result", "error", "clear-output", "comm", "exit-requested"),
    "files-seen",
}

_WORDS = {
    "SIGSEGV": "it crashed (segmentation fault)",
    "SIGBUS": "it crashed (bus error)",
    "SIGFPE": "it crashed (arithmetic error)",
    "SIGILL": "it crashed (illegal instruction)",
    "SIGABRT": "it aborted itself",
}


def event(message: dict[str, Any], cell: int) -> KernelEvent:
    """The event in a message; what is not one that a kernel may emit becomes a complaint."""
    try:
        if message.get("type") not in _EMITTED:
            raise ValueError(f"type {message.get('type')!r}")
        return from_dict({**message, "cell": cell})  # type: ignore[return-value]
    except (TypeError, ValueError, KeyError) as error:
        return complaint(cell, str(error))


def complaint(cell: int, why: str) -> Stream:
    return Stream(cell, "stderr", f"[octavo: a malformed event was dropped: {why}]\n")


def outcome(message: dict[str, Any]) -> Outcome:
    usage = Usage(message.get("memory_peak"), message.get("cpu_seconds"))
    status: Literal["ok", "error"] = "error" if message.get("status") == "error" else "ok"
    return Outcome(status, message.get("execution_count"), usage)


def death(report: dict[str, Any] | None) -> Death:
    """How a kernel ended, from its keeper's last report; None when there was none."""
    if report is None:
        return Death(None, None, "the process that keeps the kernel is gone", "lost")
    number, code = report.get("signal"), report.get("exit_code")
    if report.get("exceeded"):
        name = None if number is None else _signal_name(number)
        return Death(code, name, _limit_words(report["exceeded"]), "killed")
    if number is None:
        return Death(code, None, f"the kernel ended with exit code {code}", "exit")
    name = _signal_name(number)
    if report.get("oom"):
        return Death(None, name, "the system ran out of memory and ended the kernel", "oom")
    if report.get("killed"):
        return Death(None, name, f"the kernel was ended by {name}", "killed")
    words = f": {_WORDS[name]}" if name in _WORDS else ""
    return Death(None, name, f"the kernel was ended by {name}{words}", "signal")


def _limit_words(exceeded: dict[str, Any]) -> str:
    name = str(exceeded["limit"]).replace("_", " ")
    return f"the {name} limit was passed: {exceeded['used']:g} of {exceeded['allowed']:g}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
