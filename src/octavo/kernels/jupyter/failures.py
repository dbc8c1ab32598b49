"""What can be wrong with a kernel before it has run anything."""

from __future__ import annotations

from octavo.errors import EnvironmentFailure, InfrastructureError, KernelFailure
from octavo.kernels.jupyter.command import Command

_TAIL_LINES = 8


def not_installed() -> EnvironmentFailure:
    return EnvironmentFailure(
        "extra-missing",
        "Jupyter kernels need the package jupyter_client, which is not installed",
        hint="pip install 'octavo[jupyter]'",
    )


def ended(command: Command, how: str, words: str) -> InfrastructureError:
    """The program ended before it had answered."""
    if command.is_ipykernel and "No module named" in words and "ipykernel" in words:
        return KernelFailure(
            "kernel-missing",
            f"{command.program} has no ipykernel, so it cannot run notebooks as a Jupyter kernel",
            place=_place(command),
            hint=f"try: {command.program} -m pip install ipykernel",
        )
    return KernelFailure(
        "kernel-start",
        f"the kernel {command.spec.name!r} ended before it was ready: {how}{_quoted(words)}",
        place=_place(command),
        hint=_by_hand(command),
        details={"stderr": words[-2000:]},
    )


def not_executed(command: Command, step: str, reason: str) -> KernelFailure:
    what = "its folder cannot be entered" if step == "folder" else f"{command.program} does not run"
    return KernelFailure(
        "kernel-broken" if step == "program" else "kernel-start",
        f"the kernel {command.spec.name!r} cannot be started: {what}: {reason}",
        place=_place(command),
        hint=_by_hand(command) if step != "folder" else "look at the folder of the notebook",
    )


def never_ready(command: Command, seconds: float, words: str) -> KernelFailure:
    return KernelFailure(
        "kernel-start",
        f"the kernel {command.spec.name!r} did not answer within {seconds:g} s{_quoted(words)}",
        place=_place(command),
        hint="allow it more time with --start-timeout, or start it by hand to see what it does",
        details={"stderr": words[-2000:]},
    )


def nonsense(command: Command, why: str, words: str) -> KernelFailure:
    return KernelFailure(
        "kernel-nonsense",
        f"the kernel {command.spec.name!r} does not speak Jupyter's protocol: {why}",
        place=_place(command),
        hint="install a newer version of the kernel, or choose another one (octavo kernels)",
        details={"stderr": words[-2000:]},
    )


def _place(command: Command) -> str:
    return command.spec.folder or command.program


def _by_hand(command: Command) -> str:
    return f"start it by hand to see what is wrong: {' '.join(command.spec.argv)}"


def _quoted(words: str) -> str:
    lines = words.strip().splitlines()[-_TAIL_LINES:]
    return "\n" + "\n".join(f"  {line}" for line in lines) if lines else ""
