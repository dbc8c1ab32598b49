"""`python -m bench.agents [--write] [TASK...]`: the table of docs/agents.md.

Figures are kept, so that a few tasks can be measured anew and the page has the others as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.agents import arms
from bench.agents.material import project
from bench.agents.tasks import TASKS, Task

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "agents.md"
FIGURES = Path(__file__).with_name("figures.json")
BEGIN, END = "<!-- bench begin -->", "<!-- bench end -->"
TITLES = {"octavo": "Octavo", "shell": "shell + nbconvert", "jupyter": "jupyter-mcp-server"}
#: Its bytes are most of all; sums are told without it too.
FLOOD = "flood"
#: Nothing here takes as long, unless it hangs.
LONGEST = 300.0


@dataclass(frozen=True)
class Measured:
    """What one task cost with one set of tools."""

    calls: int
    bytes: int
    seconds: float
    right: bool
    problem: str = ""
    written: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.agents")
    parser.add_argument("tasks", nargs="*", help="only these")
    parser.add_argument("--write", action="store_true", help="write the table to docs/agents.md")
    parser.add_argument("--with", dest="tools", action="append", choices=list(TITLES))
    options = parser.parse_args()
    chosen = [task for task in TASKS if not options.tasks or task.name in options.tasks]
    measured: dict[tuple[str, str], Measured] = {}
    for task in chosen:
        for tools in options.tools or TITLES:
            each = asyncio.run(measure(task, tools))
            measured[task.name, tools] = each
            verdict = "right" if each.right else f"WRONG {each.problem}"
            print(
                f"{task.name:<13} {tools:<8} {each.calls:>3} calls {each.bytes:>7} bytes "
                f"{each.written:>5} written {each.seconds:6.1f} s  {verdict}",
                flush=True,
            )
            if options.write:
                keep({(task.name, tools): each})
    if options.write:
        write(kept())
    return 0 if all(each.right for (_, tools), each in measured.items() if tools == "octavo") else 1


async def measure(task: Task, tools: str) -> Measured:
    """One task in a new project. The clock runs while the agent works, not while servers start."""
    with tempfile.TemporaryDirectory(prefix="octavo-agents-", ignore_cleanup_errors=True) as at:
        folder = Path(at).resolve() / "project"
        project(folder, text=tools == "octavo", changed=task.changed)
        async with _arm(tools, folder) as arm:
            began = time.monotonic()
            problem, right = "", False
            try:
                answer = await asyncio.wait_for(task.policy(tools)(arm), LONGEST)
                seconds = time.monotonic() - began
                right = await _settled(task, answer, folder)
                problem = "" if right else str(answer)[:200]
            except Exception as error:
                seconds = time.monotonic() - began
                problem = f"{type(error).__name__}: {error}"[:300]
            return Measured(arm.calls, arm.bytes, seconds, right, problem, arm.written)


async def _settled(task: Task, answer: object, folder: Path) -> bool:
    """Whether it is right; a shared document reaches its file a moment later."""
    for _ in range(20):
        if task.right(answer, folder):
            return True
        await asyncio.sleep(0.5)
    return False


def _arm(tools: str, folder: Path) -> AbstractAsyncContextManager[arms.Tools]:
    if tools == "octavo":
        return arms.octavo(folder)
    if tools == "shell":
        return arms.shell(folder)
    # What installs programs of others is part of the tests, and found only with their folder.
    sys.path.insert(0, str(ROOT / "tests"))
    build: Any = import_module("agents.build")
    if not build.JUPYTER_MCP.is_here:
        build.bring(build.JUPYTER_MCP)
    return arms.jupyter(folder, build.JUPYTER_MCP.program.parent)


def kept() -> dict[tuple[str, str], Measured]:
    """All figures that are known."""
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    return {
        (task, tools): Measured(**each)
        for task, by_tools in known.items()
        for tools, each in by_tools.items()
    }


def keep(measured: dict[tuple[str, str], Measured]) -> None:
    """Put figures into the place of older ones."""
    every = {**kept(), **measured}
    plain: dict[str, dict[str, object]] = {}
    for (task, tools), each in sorted(every.items()):
        plain.setdefault(task, {})[tools] = {**asdict(each), "seconds": round(each.seconds, 1)}
    FIGURES.write_text(json.dumps(plain, indent=1) + "\n")


def write(measured: dict[tuple[str, str], Measured]) -> None:
    """The table, between its marks on the page."""
    missing = [t.name for t in TASKS for tools in TITLES if (t.name, tools) not in measured]
    if missing:
        sys.exit(f"not measured yet: {', '.join(sorted(set(missing)))}")
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table(measured)}\n{END}{after}")


def table(measured: dict[tuple[str, str], Measured]) -> str:
    """Calls, bytes that come back, seconds of each; what went wrong is marked."""
    head = " | ".join(TITLES.values())
    lines = [f"| task | {head} |", f"| --- |{' --- |' * len(TITLES)}"]
    for task in TASKS:
        row = " | ".join(_cell(measured[task.name, tools]) for tools in TITLES)
        lines.append(f"| {task.title} | {row} |")
    sums = [_sum([measured[t.name, tools] for t in TASKS]) for tools in TITLES]
    lines.append(f"| **all ten** | {' | '.join(_cell(each) for each in sums)} |")
    rest = [_sum([measured[t.name, tools] for t in TASKS if t.name != FLOOD]) for tools in TITLES]
    lines.append(f"| without the flood | {' | '.join(_cell(each) for each in rest)} |")
    lines.append(f"| the agent writes | {' | '.join(f'{each.written:,} B' for each in sums)} |")
    return "\n".join(lines) + "\n"


def _sum(each: list[Measured]) -> Measured:
    return Measured(
        sum(one.calls for one in each),
        sum(one.bytes for one in each),
        sum(one.seconds for one in each),
        all(one.right for one in each),
        written=sum(one.written for one in each),
    )


def _cell(one: Measured) -> str:
    calls = "1 call" if one.calls == 1 else f"{one.calls} calls"
    wrong = "" if one.right else ", **wrong**"
    return f"{calls}, {one.bytes:,} B, {one.seconds:.1f} s{wrong}"


if __name__ == "__main__":
    sys.exit(main())
