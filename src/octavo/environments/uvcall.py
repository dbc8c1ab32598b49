"""Calling `uv`, and saying in one sentence why it failed."""

from __future__ import annotations

import re
import subprocess

from octavo.errors import EnvironmentFailure, NotebookError, OctavoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NOT_FOR_UV = (
    *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT"),
    *("UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_FROZEN", "UV_LOCKED", "UV_NO_SYNC"),
)
PROGRESS = ("Resolved", "Downloading", "Building", "Built", "Prepared", "Installed", "Bytecode")
NO_NETWORK = (
    *("network was disabled", "offline mode", "error sending request", "connect error"),
    *("dns error", "connection refused", "operation timed out", "network is unreachable"),
)
LONGEST = 400
#: Lines that say where `uv` is rather than what is wrong.
_ABOUT = re.compile(r"hint:|warning:|\||TOML parse error at|\d+ \||\^+$")


class UvFailed(Exception):
    """What `uv` said when it failed."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


def call_uv(
    command: Sequence[str],
    environ: Mapping[str, str],
    *,
    cwd: str,
    target: str | None = None,
    keep: Sequence[int] = (),
    say: Callable[[str], None] = lambda line: None,
) -> str:
    """What `uv` writes to its output; its progress is told line by line.

    `target` is the environment that it works on; `keep` are descriptors that it inherits.
    UvFailed has what it said.
    """
    variables = {name: value for name, value in environ.items() if name not in NOT_FOR_UV}
    variables |= {"NO_COLOR": "1", "UV_NO_PROGRESS": "1"}
    if target:
        variables["VIRTUAL_ENV"] = target
    said: list[str] = []
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=keep,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            _follow(process, said, say)
            output = process.stdout.read() if process.stdout else ""
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise UvFailed("".join(said))
    return output


def failure(said: str, subject: str, place: str) -> OctavoError:
    """The error for what `uv` said about `subject`: no network, no interpreter, no solution."""
    reason = shortened(said)
    if "TOML parse error" in said:
        return NotebookError(
            "environment-block",
            f"the script block cannot be read: {reason}",
            place=place,
            hint='write a requirement such as "pandas>=2" or "octavo @ file:///home/me/octavo"',
        )
    if any(sign in said.lower() for sign in NO_NETWORK):
        error = EnvironmentFailure(
            "environment-offline",
            f"{subject} is not built yet, and its packages cannot be fetched: {reason}",
            place=place,
            hint="connect to the network once; afterwards no network is needed",
        )
        error.retryable = True
        return error
    if "No interpreter found" in said:
        return EnvironmentFailure(
            "interpreter-missing",
            f"{subject} needs a Python that is not here: {reason}",
            place=place,
            hint="install it with `uv python install VERSION`, or change requires-python",
        )
    return EnvironmentFailure(
        "environment-unresolved",
        f"{subject} cannot be built: {reason}",
        place=place,
        hint="change the dependencies or requires-python",
    )


def shortened(said: str) -> str:
    """The reason in what `uv` said, in one line and without logins."""
    lines = [line.strip() for line in said.splitlines()]
    start = next((i for i, line in enumerate(lines) if line.startswith("error:")), 0)
    reasons = [line.removeprefix("error:").removeprefix("cause:").strip() for line in lines[start:]]
    useful = [line for line in reasons if line and not _ABOUT.match(line)]
    text = re.sub(r"//[^/\s@]*@", "//", " ".join(useful))
    text = re.sub(r"(, )?we can conclude that your requirements are unsatisfiable\.?", "", text)
    text = text.replace("No solution found when resolving dependencies ", "")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _follow(process: subprocess.Popen[str], said: list[str], say: Callable[[str], None]) -> None:
    for line in process.stderr or ():
        said.append(line)
        if line.strip().startswith(PROGRESS):
            say(line.strip())
