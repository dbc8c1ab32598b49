"""Verdicts are those of nbval, cell by cell: the same notebooks go through both."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import nbformat
import pytest

from judged_notebooks import JudgedProject
from octavo.gate.comparing.rules import Rules
from octavo.gate.judging import as_nbval
from octavo.gate.nbval.sanitize import read_sanitizer

pytestmark = pytest.mark.kernel

COMMENTS = (
    *("NBVAL_CHECK_OUTPUT", "NBVAL_IGNORE_OUTPUT", "NBVAL_RAISES_EXCEPTION", "NBVAL_SKIP"),
    "PYTEST_VALIDATE_IGNORE_OUTPUT",
)
TAGS = (
    *("nbval-check-output", "nbval-ignore-output", "nbval-raises-exception", "nbval-skip"),
    *("pytest-validate-ignore-output", "raises-exception"),
)
#: Comments and tags of a cell: none, each alone, and some that contradict each other.
SINGLE = [((), ()), *(((word,), ()) for word in COMMENTS), *(((), (tag,)) for tag in TAGS)]
MIXED = [
    (("NBVAL_CHECK_OUTPUT", "NBVAL_IGNORE_OUTPUT"), ()),
    (("NBVAL_IGNORE_OUTPUT", "NBVAL_CHECK_OUTPUT"), ()),
    (("NBVAL_CHECK_OUTPUT",), ("nbval-ignore-output",)),
    (("NBVAL_IGNORE_OUTPUT",), ("nbval-check-output",)),
    ((), ("nbval-ignore-output", "nbval-check-output")),
    ((), ("nbval-check-output", "nbval-ignore-output")),
    (("NBVAL_CHECK_OUTPUT", "NBVAL_RAISES_EXCEPTION"), ()),
    (("NBVAL_IGNORE_OUTPUT",), ("raises-exception",)),
    (("nbval_check_output", " NBVAL_CHECK_OUTPUT and more"), ("NBVAL-CHECK-OUTPUT",)),
    (("#  NBVAL_CHECK_OUTPUT  ",), ("other",)),
]
#: One for each thing that may be wished of a cell.
SAMPLE = [((), ()), *(((word,), ()) for word in COMMENTS[:4]), ((), ("raises-exception",))]


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data: Any) -> dict[str, Any]:
    bundle = {key.replace("_", "/"): value for key, value in data.items()}
    return {"output_type": "display_data", "data": bundle, "metadata": {}}


def result(text: str) -> dict[str, Any]:
    data = {"text/plain": text}
    return {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 9}


def error(name: str, value: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": ["somewhere"]}


DIVIDED = error("ZeroDivisionError", "division by zero")
DISPLAY = "from IPython.display import display\ndisplay({}, raw=True)"
#: What a cell does, and what its reference says; `None` for one that was never run.
BEHAVIOURS: dict[str, tuple[str, list[dict[str, Any]], int | None]] = {
    "matches": ("print('a')", [stream("a\n")], 1),
    "differs": ("print('a')", [stream("b\n")], 1),
    "result": ("1 + 1", [result("2")], 1),
    "result differs": ("1 + 1", [result("3")], 1),
    "result as display": ("1 + 1", [shown(text_plain="2")], 1),
    "nothing": ("x = 1", [], 1),
    "empty": ("", [], 1),
    "unexpected": ("print('a')", [], 1),
    "missing": ("x = 1", [stream("a\n")], 1),
    "raises": ("1 / 0", [DIVIDED], 1),
    "raises another": ("1 / 0", [error("ValueError", "division by zero")], 1),
    "raises another message": ("1 / 0", [error("ZeroDivisionError", "by none")], 1),
    "raises unexpectedly": ("1 / 0", [], 1),
    "raises after output": ("print('a')\n1 / 0", [DIVIDED], 1),
    "shows an exception": ("x = get_ipython().run_cell('1 / 0')", [DIVIDED], 1),
    "does not raise": ("x = 1", [DIVIDED], 1),
    "unrun": ("print('a')", [], None),
    "unrun with outputs": ("print('a')", [stream("a\n")], None),
    "unrun raises": ("1 / 0", [], None),
    "pieces": ("print('a')\nprint('b')", [stream("a\n"), result("1"), stream("b\n")], 1),
    "both streams": (
        "import sys\nprint('a', file=sys.stderr)\nprint('b')",
        [stream("b\n"), stream("a\n", "stderr")],
        1,
    ),
    "other stream": ("print('a')", [stream("a\n", "stderr")], 1),
    "written over": ("print('10%\\r90%\\r100%')", [stream("100%\n")], 1),
    "images": (
        DISPLAY.format({"image/png": "aaaa", "text/plain": "p"}),
        [shown(image_png="bbbb", text_plain="p")],
        1,
    ),
    "image missing": ("x = 1", [shown(image_jpeg="bbbb")], 1),
    "drawing differs": (
        DISPLAY.format({"image/svg+xml": "<svg/>"}),
        [{**shown(), "data": {"image/svg+xml": "<svg></svg>"}}],
        1,
    ),
    "formula": (DISPLAY.format({"text/latex": "$a$"}), [shown(text_latex="$b$")], 1),
    "page": (DISPLAY.format({"text/html": "<b>1</b>"}), [shown(text_html="<b>1</b>")], 1),
    "widget": (
        DISPLAY.format({"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}),
        [{**shown(), "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "2"}}}],
        1,
    ),
    "data": (
        DISPLAY.format({"application/json": {"b": [1, 2], "a": None}}),
        [shown(application_json={"a": None, "b": [1, 2]})],
        1,
    ),
    "data differs": (
        DISPLAY.format({"application/json": [1, 2]}),
        [shown(application_json=[2, 1])],
        1,
    ),
    "sanitized": ("print('pid 12345 of me')", [stream("pid 777 of me\n")], 1),
    "two displays": (
        "display('a')\ndisplay('b')",
        [shown(text_plain="'a'"), shown(text_plain="'b'")],
        1,
    ),
    "two displays the other way": (
        "display('a')\ndisplay('b')",
        [shown(text_plain="'b'"), shown(text_plain="'a'")],
        1,
    ),
    "one display less": ("display('a')", [shown(text_plain="'a'")] * 2, 1),
}
#: With these a wish shows what is understood by it: to compare, to expect an error, to leave out.
TELLING = (
    *("matches", "differs", "unexpected", "raises", "raises another", "raises unexpectedly"),
    *("does not raise", "unrun", "unrun raises"),
)
SANITIZE = "[processes]\nregex: pid \\d+\nreplace: PID\n\nregex: lonely\n"
FATAL = {
    "times out": ("import time\ntime.sleep(600)", [], 1),
    "times out as expected": ("import time\ntime.sleep(600)", [error("KeyboardInterrupt", "")], 1),
    "dies": ("import os\nos._exit(1)", [], 1),
}
SECONDS = 4


def cell(wish: Any, behaviour: tuple[str, list[dict[str, Any]], int | None]) -> Any:
    comments, tags = wish
    source, outputs, count = behaviour
    written = "\n".join([*(f"# {comment}" for comment in comments), source])
    made = nbformat.v4.new_code_cell(written, execution_count=count)
    made.outputs = [nbformat.from_dict(output) for output in outputs]
    if tags:
        made.metadata["tags"] = list(tags)
    return made


def write(path: Path, cells: Iterable[Any]) -> None:
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=list(cells), metadata={"kernelspec": spec})
    nbformat.write(notebook, path)


def write_running(
    folder: Path, wishes: Sequence[Any], behaviours: Iterable[str] = BEHAVIOURS
) -> list[str]:
    """What a cell can do and live, with each wish."""
    pairs = product(wishes, behaviours)
    cells = [cell(wish, BEHAVIOURS[behaviour]) for wish, behaviour in pairs]
    write(folder / "running.ipynb", cells)
    return ["running.ipynb"]


def write_fatal(folder: Path, wishes: Iterable[Any]) -> list[str]:
    """A notebook for each wish and each end that a kernel or a cell can take."""
    names = []
    for number, (wish, end) in enumerate(product(wishes, FATAL)):
        if end == "times out as expected" and not _may_pass(wish):
            continue
        behaviour = FATAL[end]
        names.append(f"fatal-{number}.ipynb")
        before = cell(((), ()), ("y = 1\nprint(y)", [stream("1\n")], 1))
        after = [cell(((word,), ()), ("print('a')", [stream("a\n")], 1)) for word in COMMENTS]
        plain = cell(((), ()), ("print('a')", [stream("a\n")], 1))
        write(folder / names[-1], [before, cell(wish, behaviour), plain, *after])
    return names


def _may_pass(wish: Any) -> bool:
    return any("raises" in word.lower() for words in wish for word in words)


REPORTER = """
import json

def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xfailed"
        with open(OUT, "a") as file:
            file.write(json.dumps([report.nodeid, outcome]) + "\\n")
"""


def outcomes_of_nbval(folder: Path, *, strict: bool, workers: int) -> dict[str, list[str]]:
    """What nbval says of every cell of every notebook in a folder."""
    out = folder / f"outcomes-{strict}.jsonl"
    reporter = folder / f"reporter_{strict}.py"
    reporter.write_text(f"OUT = {str(out)!r}\n{REPORTER}")
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "nbval.plugin", "-p", "no:cacheprovider"),
        *("-p", reporter.stem, "--nbval-current-env", f"--nbval-cell-timeout={SECONDS}"),
        "--nbval-kernel-startup-timeout=300",
        *("--nbval-sanitize-with", str(folder / "sanitize.cfg"), "-c", str(folder / "none.ini")),
        "--nbval" if strict else "--nbval-lax",
        *(("-n", str(workers), "--dist", "loadfile") if workers else ()),
    ]
    (folder / "none.ini").write_text("[pytest]\naddopts = -p no:nbval\n")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    found: dict[str, dict[int, str]] = {}
    for line in out.read_text().splitlines():
        nodeid, outcome = json.loads(line)
        name, _, cell = nodeid.partition("::Cell ")
        found.setdefault(name, {})[int(cell)] = outcome
    return {name: [cells[at] for at in sorted(cells)] for name, cells in found.items()}


def our_outcomes(folder: Path, names: list[str]) -> dict[tuple[bool, str], list[str]]:
    rules = Rules(sanitizer=read_sanitizer(folder / "sanitize.cfg"))
    judged = JudgedProject(folder).run_all(names, cell_timeout=SECONDS)
    return {
        (strict, name): [as_nbval(each) for each in ours.verdicts(rules, strict=strict)]
        for strict in (True, False)
        for name, ours in zip(names, judged, strict=True)
    }


def told_apart(
    folder: Path, names: list[str], ours: Mapping[Any, list[str]], workers: int
) -> list[str]:
    """Where the two do not agree, in words."""
    wrong = []
    for strict in (True, False):
        theirs = outcomes_of_nbval(folder, strict=strict, workers=workers)
        assert set(theirs) == set(names)
        for name in names:
            cells = nbformat.read(folder / name, as_version=4).cells
            both = zip(cells, theirs[name], ours[strict, name], strict=True)
            for at, (each, nbval, octavo) in enumerate(both):
                if nbval != octavo:
                    mode = "strict" if strict else "lax"
                    tags = each.metadata.get("tags")
                    told = f"{name} cell {at}: nbval {nbval}, octavo {octavo} ({mode})"
                    wrong.append(f"{told}\n{tags} {each.source}\n{each.outputs}")
    return wrong


def compare_both(folder: Path, names: list[str], workers: int = 0) -> None:
    (folder / "sanitize.cfg").write_text(SANITIZE)
    ours = our_outcomes(folder, names)
    wrong = told_apart(folder, names, ours, workers)
    assert not wrong, "\n\n".join(wrong[:10])


def test_everything_that_a_cell_can_do_with_every_wish(tmp_path: Path) -> None:
    compare_both(tmp_path, write_running(tmp_path, SAMPLE))


@pytest.mark.thorough
@pytest.mark.slow
def test_every_marker_and_tag_and_those_that_contradict_each_other(tmp_path: Path) -> None:
    compare_both(tmp_path, write_running(tmp_path, [*SINGLE, *MIXED], TELLING))


@pytest.mark.thorough
@pytest.mark.slow
def test_when_time_runs_out_and_when_the_kernel_dies(tmp_path: Path) -> None:
    """Whether outputs are compared says the mode where no wish does."""
    wishes = [((), ()), (("NBVAL_RAISES_EXCEPTION",), ()), (("NBVAL_SKIP",), ())]
    compare_both(tmp_path, write_fatal(tmp_path, wishes), workers=2)


def test_both_modes_disagree_somewhere(tmp_path: Path) -> None:
    """Else equal verdicts would say nothing."""
    names = write_running(tmp_path, SAMPLE[:1])
    (tmp_path / "sanitize.cfg").write_text(SANITIZE)
    ours = our_outcomes(tmp_path, names)
    assert ours[True, names[0]].count("failed") > ours[False, names[0]].count("failed") > 0
