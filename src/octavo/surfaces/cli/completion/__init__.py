"""`octavo completion`: scripts that complete commands in a shell, made from their shapes."""

from __future__ import annotations

from itertools import islice
from typing import Any

from octavo.app.context import Context
from octavo.app.table import load
from octavo.errors import UsageError
from octavo.requests import Request, argument, option
from octavo.value import Value

SHELLS = ("bash", "zsh", "fish")
MOST_RUNS = 30


class CompletionRequest(Request):
    """The shell to complete in. The hidden options are what its script asks for by itself."""

    shell: str = argument("bash, zsh or fish", metavar="SHELL", default="")
    list_runs: bool = option("--list-runs", help="ids of runs", default=False, hidden=True)
    list_kernels: bool = option("--list-kernels", help="kernels", default=False, hidden=True)
    list_engines: bool = option("--list-engines", help="engines", default=False, hidden=True)


class CompletionResult(Value):
    """A script, or what it asked for."""

    text: str

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text}


async def completion(request: CompletionRequest, context: Context) -> CompletionResult:
    """The script for a shell."""
    if request.list_runs:
        return CompletionResult(_runs(context))
    if request.list_kernels or request.list_engines:
        return CompletionResult(await _kernels(context, engines=request.list_engines))
    if request.shell not in SHELLS:
        raise UsageError(
            "wrong-argument",
            f"no script for {request.shell!r}" if request.shell else "SHELL is missing",
            place="octavo completion",
            hint=f"there is one for {', '.join(SHELLS)}: octavo completion bash",
        )
    script: Any = load(f"octavo.surfaces.cli.completion.{request.shell}:script")
    return CompletionResult(script())


def _runs(context: Context) -> str:
    """Ids and what they are, a line each, the newest first."""
    from octavo.runs.looking.listing import row_of

    lines = ["last\tthe newest run\n"]
    for run in islice(context.store(context.cwd).runs(), MOST_RUNS):
        row = row_of(run)
        name = (row.notebook or "?").rpartition("/")[2]
        lines.append(f"{row.run_id}\t{name}, {row.reason or row.status}\n")
    return "".join(lines)


async def _kernels(context: Context, *, engines: bool) -> str:
    """Names of kernels or engines and what they are, a line each."""
    from octavo.app.kernels import KernelsRequest, kernels

    found: dict[str, str] = {"fork": "Python", "jupyter": "any kernel"} if engines else {}
    for row in (await kernels(KernelsRequest(), context)).kernels:
        named = row.engine if engines else row.name
        if not row.problem and (engines or row.language):
            found.setdefault(named, row.display_name)
    return "".join(f"{name}\t{about}\n" for name, about in found.items())
