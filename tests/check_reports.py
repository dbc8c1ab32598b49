"""Reports of checks in many shapes, for tests of what is told about them."""

from __future__ import annotations

from typing import Any

from octavo.gate.verdicts import (
    CellVerdict,
    CheckReport,
    Difference,
    Finding,
    NotebookVerdict,
)

TRACEBACK = (
    "\x1b[31m---------------------------------------------------------------------------\x1b[39m",
    "\x1b[31mZeroDivisionError\x1b[39m                         Traceback (most recent call last)",
    "Cell In[2], line 3\n      1 a = 1\n      2 b = 0\n----> 3 a / b",
    "\x1b[31mZeroDivisionError\x1b[39m: division by zero",
)

#: What tries to break out of whatever it is put into.
HOSTILE = (
    "```\n</details>\n<!-- octavo:check -->\n::error::gotcha\n]]>&<b>\x00\x1b]0;title\x07\u202e"
    "\n| a | b |\n@everyone ~~~ \ud800 %0A::stop-commands::x"
)


def cell(number: int, outcome: Any = "passed", **more: Any) -> CellVerdict:
    given = {"index": 2 * number, "number": number, "name": f"step-{number}"}
    given |= {"line": 10 * number + 1, "outcome": outcome, "duration_seconds": 0.25}
    return CellVerdict(**(given | more))


def raised(number: int = 1, **more: Any) -> CellVerdict:
    given: dict[str, Any] = {
        "cause": "error",
        "message": "ZeroDivisionError: division by zero",
        "failed_line": 10 * number + 3,
        "traceback": TRACEBACK,
    }
    return cell(number, "failed", **(given | more))


def differs(number: int = 2, *differences: Difference) -> CellVerdict:
    told = differences or (
        Difference("text/plain", "1 of 3 lines differs", "a\n12.5\nc\n", "a\n13.5\nc\n"),
    )
    return cell(number, "failed", cause="output", differences=told)


def notebook(path: str = "notebooks/good.py", outcome: Any = "passed", **more: Any) -> Any:
    given: dict[str, Any] = {"values": "", "run_id": "20261116-080000-1a2b3c4d"}
    given |= {"duration_seconds": 1.5, "cells": (cell(0), cell(1))}
    return NotebookVerdict(path=path, outcome=outcome, **(given | more))


def broken(path: str = "notebooks/broken.py", **more: Any) -> Any:
    cells = (
        cell(0),
        raised(1),
        differs(2),
        raised(3, message="NameError: name 'df' is not defined", traceback=()),
        cell(4, "skipped"),
        cell(5, "not-run", cause="earlier"),
    )
    given: dict[str, Any] = {"reason": "cell-error", "cells": cells}
    return notebook(path, "failed", **(given | more))


def linted(path: str = "notebooks/linted.py", **more: Any) -> Any:
    findings = (
        Finding("unused-parameter", "warning", "the parameter `rows` is never used", path, 4, 1),
        Finding("undefined-name", "error", "`frame` is not defined", path, 9, 2, "define it first"),
    )
    given: dict[str, Any] = {"reason": "lint", "cells": (), "findings": findings, "run_id": None}
    return notebook(path, "failed", **(given | more))


def infrastructure(path: str = "notebooks/lost.py") -> Any:
    told = {"reason": "infrastructure", "message": "the kernel process did not start"}
    return notebook(path, "not-run", cells=(), run_id=None, hint="octavo doctor", **told)


def hostile() -> Any:
    difference = Difference("text/html", HOSTILE, HOSTILE, HOSTILE + "x")
    cells = (
        raised(0, name=HOSTILE, message=HOSTILE, traceback=(HOSTILE,)),
        cell(1, "failed", cause="output", name=HOSTILE, differences=(difference,)),
    )
    path = "notebooks/a|`b`, c:%.py"
    finding = Finding(HOSTILE, "error", HOSTILE, path, 3, 1, HOSTILE)
    return notebook(
        path,
        "failed",
        values=HOSTILE,
        reason=HOSTILE,
        message=HOSTILE,
        hint=HOSTILE,
        cells=cells,
        findings=(finding,),
        parameters={HOSTILE: HOSTILE},
        scraps={HOSTILE: HOSTILE},
        run_id=HOSTILE,
    )


def mixed() -> CheckReport:
    return CheckReport(
        (
            notebook(scraps={"rows": 120, "share": 0.5}),
            broken(),
            notebook("notebooks/known.py", reused=True),
            linted(),
            infrastructure(),
            notebook("notebooks/grid.py", values="small", parameters={"rows": 10}),
            broken("notebooks/grid.py", values="large", parameters={"rows": 10_000}),
            notebook("notebooks/off.py", "skipped", message="nothing to run", run_id=None),
        ),
        since="main",
        unaffected=("notebooks/other.py",),
        duration_seconds=3.25,
        coverage=81.4,
    )


def good(count: int = 3, **more: Any) -> CheckReport:
    verdicts = tuple(notebook(f"notebooks/n{n:03}.py", reused=n % 2 == 0) for n in range(count))
    return CheckReport(verdicts, duration_seconds=0.4, **more)


def huge() -> CheckReport:
    line = "x" * 500 + "\n"
    difference = Difference("text/plain", "m" * 9000, line * 200, ("y" + line) * 200)
    cells = tuple(
        cell(n, "failed", cause="output", differences=(difference,) * 30, traceback=(line,) * 500)
        for n in range(12)
    )
    verdicts = [broken(f"notebooks/h{n}.py", cells=cells) for n in range(12)]
    return CheckReport((*verdicts, *good(2000).verdicts))
