"""Standard streams that are closed, full or no longer read, and homes that are not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cli.calling import Answer, variables

NOTEBOOK = "# %%\nimport os, sys\n\nprint('hello', file=sys.stderr)\n\n# %%\n!echo shell\n"

Shell = Callable[..., Answer]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """`octavo` with the words and redirections of a shell command, in a project."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "octavo.toml").touch()
    (project / "nb.py").write_text(NOTEBOOK)

    def call(line: str, environ: Mapping[str, str] | None = None) -> Answer:
        script = f"octavo() {{ '{sys.executable}' -m octavo \"$@\"; }}; {line}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=project,
            env=variables(tmp_path) if environ is None else environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)

    return call


@pytest.mark.kernel
@pytest.mark.parametrize(
    "redirection",
    [
        "<&-",
        ">&-",
        "2>&-",
        ">&- 2>&-",
        "<&- >&- 2>&-",
    ],
)
def test_a_run_with_closed_streams(shell: Shell, redirection: str) -> None:
    assert shell(f"octavo run nb.py {redirection}").code == 0
    [row] = shell("octavo runs --json").json["runs"]
    assert (row["status"], row["cells_executed"]) == ("success", 2)
    assert "│ shell" in shell("octavo show last").out
    assert "│ hello" in shell("octavo show last").out


@pytest.mark.parametrize(
    "line",
    [
        "octavo runs >&-",
        "octavo runs --json >&-",
        "octavo inspect nb.py >&-",
        "octavo run --help >&-",
        "octavo --help >&-",
        "octavo --version >&-",
        "octavo runs | true; exit ${PIPESTATUS[0]}",
        "octavo --help | head -1 > /dev/null; exit ${PIPESTATUS[0]}",
    ],
)
def test_nobody_reads(shell: Shell, line: str) -> None:
    answer = shell(line)
    assert (answer.code, answer.err) == (0, "")


@pytest.mark.parametrize("more", ["", "2>&-", ">&-", ">&- 2>&-"])
def test_a_refusal_that_nobody_reads_keeps_its_exit_code(shell: Shell, more: str) -> None:
    assert shell(f"octavo run missing.py {more}").code == 2
    assert shell(f"octavo run missing.py --json {more}").code == 2


@pytest.mark.parametrize(
    "words",
    [
        "runs",
        "runs --json",
        "inspect nb.py",
        "run --help",
        "--help",
        "--version",
    ],
)
def test_standard_output_on_a_full_disk(shell: Shell, words: str) -> None:
    answer = shell(f"octavo {words} > /dev/full")
    assert answer.code == 3
    assert answer.err == "octavo: standard output cannot be written: No space left on device\n"


@pytest.mark.kernel
def test_a_run_whose_narration_cannot_be_written_goes_on(shell: Shell) -> None:
    answer = shell("octavo run nb.py --json 2> /dev/full")
    assert (answer.code, answer.json["status"]) == (0, "success")


@pytest.mark.kernel
@pytest.mark.parametrize("home", [None, "", "/proc/nowhere"])
def test_a_home_that_is_not_there(shell: Shell, home: str | None) -> None:
    environ = {"PATH": os.environ["PATH"], "OCTAVO_NO_RESIDENT": "1"}
    if home is not None:
        environ["HOME"] = home
    answer = shell("octavo run nb.py --json", environ)
    assert (answer.code, answer.json["status"]) == (0, "success")
    assert shell("octavo runs --json", environ).json["runs"][0]["status"] == "success"


@pytest.mark.parametrize("line", ["octavo convert - </dev/null", "octavo convert - <&-"])
def test_a_notebook_from_an_empty_standard_input(shell: Shell, line: str) -> None:
    answer = shell(f"{line.replace('convert -', 'convert - --json')}")
    assert (answer.code, answer.json["error"]["kind"]) == (2, "notebook-empty")


def test_a_notebook_from_a_standard_input_that_is_no_text(shell: Shell) -> None:
    answer = shell("printf '\\xff' | octavo convert - --json")
    assert (answer.code, json.loads(answer.out)["error"]["kind"]) == (2, "notebook-encoding")
