"""`pytest --octavo`, by real pytest processes with real kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.kernel

GOOD = """\
# %% [markdown]
# # Good
# %% name="load"
open("ran.txt", "a").write("good\\n")
a = 1
# %%
print(a)
"""
BAD = """\
# %% name="load"
open("ran.txt", "a").write("bad\\n")
a = 1
# %% name="divide"
a / 0
# %% name="later"
print(a)
# %% tags=["nbval-skip"]
raise SystemExit(1)
# %% tags=["raises-exception"]
raise ValueError("expected")
"""


class Project:
    """A folder with notebooks, and pytest in it."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def pytest(self, *arguments: str) -> tuple[int, str]:
        own = ("-p", "octavo.compat.pytest.plugin", "-q", "-rA")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *own, *arguments],
            cwd=self.top,
            env={
                **os.environ,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "OCTAVO_NO_RESIDENT": "1",
                "COLUMNS": "100",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def ran(self) -> list[str]:
        """Which notebooks ran, each time that they did."""
        found = sorted(self.top.rglob("ran.txt"))
        return sorted(line for path in found for line in path.read_text().split())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "notebooks/good.py": GOOD,
            "notebooks/bad.py": BAD,
            "reports/executed.py": BAD,
            "notebooks/test_marked.py": "# %%\ndef test_it():\n    pass\n",
            "plain.py": "raise RuntimeError\n",
            "README.md": "# No notebook\n",
        }
    )
    return made


def outcomes(text: str) -> dict[str, str]:
    """The outcome of every item that `-rA` tells."""
    found = {}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("PASSED", "FAILED", "XFAIL", "ERROR"):
            found[rest.partition(" - ")[0]] = word.lower()
    return found


def test_a_notebook_is_an_item(project: Project) -> None:
    code, text = project.pytest("--octavo")
    assert code == 1
    assert outcomes(text) == {
        "notebooks/bad.py::notebook": "failed",
        "notebooks/good.py::notebook": "passed",
        "notebooks/test_marked.py::test_it": "passed",
    }
    assert "notebooks/bad.py:5  cell divide  ZeroDivisionError: division by zero" in text
    assert "FAILED notebooks/bad.py::notebook - ZeroDivisionError: division by zero" in text
    assert project.ran() == ["bad", "good"]


def test_what_pytest_shows_of_an_item_can_be_typed(project: Project) -> None:
    _, text = project.pytest("--octavo-cells", "-vv", "notebooks/good.py")
    shown = [line.split()[0] for line in text.splitlines() if " PASSED" in line]
    assert shown == [f"notebooks/good.py::{name}" for name in ("findings", "load", "cell-1")]
    code, text = project.pytest("--octavo-cells", shown[-1])
    assert (code, outcomes(text)) == (0, {shown[-1]: "passed"})


def test_cells_are_items_of_one_run_with_the_outcomes_of_nbval(project: Project) -> None:
    code, text = project.pytest("--octavo-cells", "--junitxml", "report.xml")
    assert code == 1
    assert outcomes(text) == {
        "notebooks/bad.py::findings": "passed",
        "notebooks/bad.py::load": "passed",
        "notebooks/bad.py::divide": "failed",
        "notebooks/bad.py::later": "passed",
        "notebooks/bad.py::cell-4": "passed",
        "notebooks/good.py::findings": "passed",
        "notebooks/good.py::load": "passed",
        "notebooks/good.py::cell-1": "passed",
        "notebooks/test_marked.py::test_it": "passed",
    }
    assert "SKIPPED [1] notebooks/bad.py:9: marked NBVAL_SKIP" in text
    assert project.ran() == ["bad", "good"]
    (suite,) = ElementTree.parse(project.top / "report.xml").getroot()
    assert (suite.get("failures"), suite.get("skipped"), suite.get("tests")) == ("1", "1", "10")


def test_workers_share_the_run_of_a_notebook(project: Project) -> None:
    code, text = project.pytest("-p", "xdist.plugin", "-n", "2", "--octavo-cells")
    assert code == 1
    assert outcomes(text)["notebooks/bad.py::divide"] == "failed"
    assert "1 failed, 8 passed, 1 skipped" in text
    assert project.ran() == ["bad", "good"]


def test_failed_ones_are_run_again_alone(project: Project) -> None:
    project.pytest("--octavo-cells", "-k", "bad")
    code, text = project.pytest("--octavo-cells", "--lf")
    assert (code, outcomes(text)) == (1, {"notebooks/bad.py::divide": "failed"})
    project.write({"notebooks/bad.py": BAD.replace("a / 0", "a / 1")})
    code, text = project.pytest("--octavo-cells", "--lf")
    assert (code, outcomes(text)) == (0, {"notebooks/bad.py::divide": "passed"})


def test_failed_ones_with_a_set_of_values_are_run_again_alone(project: Project) -> None:
    project.write({"notebooks/grid.py": _GRID})
    _, before = project.pytest("--octavo-cells", "-k", "divide or grid")
    failed = {name: "failed" for name, how in outcomes(before).items() if how == "failed"}
    assert len(failed) == 2
    code, text = project.pytest("--octavo-cells", "--lf")
    assert (code, outcomes(text)) == (1, failed)


def test_what_is_collected_runs_nothing(project: Project) -> None:
    project.write({"notebooks/good.ipynb": "{}", "notebooks/grid.py": _GRID})
    code, text = project.pytest("--octavo-cells", "--collect-only", "notebooks")
    assert code == 0
    assert [line for line in text.splitlines() if "grid" in line or "good" in line] == [
        "notebooks/good.py::findings",
        "notebooks/good.py::load",
        "notebooks/good.py::cell-1",
        "notebooks/grid.py::findings",
        "notebooks/grid.py::cell-0[small]",
        "notebooks/grid.py::cell-1[small]",
        "notebooks/grid.py::cell-0[large]",
        "notebooks/grid.py::cell-1[large]",
    ]
    assert project.ran() == []


_GRID = """\
# %% tags=["parameters"]
# /// check
# [sets.small]
# rows = 1
# [sets.large]
# rows = 9
# ///
rows = 5
# %%
assert rows < 9
"""


def test_sets_of_values_are_items_of_their_own(project: Project) -> None:
    project.write({"grid.py": _GRID})
    code, text = project.pytest("--octavo-cells", "grid.py")
    assert code == 1
    assert outcomes(text) == {
        "grid.py::findings": "passed",
        "grid.py::cell-0[small]": "passed",
        "grid.py::cell-1[small]": "passed",
        "grid.py::cell-0[large]": "passed",
        "grid.py::cell-1[large]": "failed",
    }


def test_the_first_failure_can_end_it(project: Project) -> None:
    code, text = project.pytest("--octavo", "-x", "notebooks/bad.py", "notebooks/good.py")
    assert code == 1
    assert "stopping after 1 failures" in text
    assert project.ran() == ["bad"]


def test_after_a_timeout_later_cells_are_expected_failures(project: Project) -> None:
    block = '# /// check\n# cell_timeout = "300ms"\n# ///\n'
    slow = f"# %%\n{block}import time\ntime.sleep(60)\n# %% name='after'\n1\n"
    project.write({"slow.py": slow})
    code, text = project.pytest("--octavo-cells", "slow.py")
    assert code == 1
    assert outcomes(text)["slow.py::cell-0"] == "failed"
    assert outcomes(text)["slow.py::after"] == "xfail"


def test_a_notebook_that_cannot_be_read_fails(project: Project) -> None:
    project.write({"broken.ipynb": "{"})
    for option in ("--octavo", "--octavo-cells"):
        code, text = project.pytest(option, "broken.ipynb")
        assert code == 1
        assert list(outcomes(text).values()) == ["failed"]
        assert "Traceback" not in text


def test_strictly_outputs_are_compared(project: Project) -> None:
    project.write({"n.py": "# %%\nprint(1)\n"})
    assert project.pytest("--octavo", "n.py")[0] == 0
    code, text = project.pytest("--octavo-strict", "n.py")
    assert code == 1
    assert "next  octavo check n.py --strict --update" in text


def test_without_the_option_nothing_is_collected_or_loaded(project: Project) -> None:
    loaded = "import sys; print(sorted(n for n in sys.modules if n.startswith('octavo')))"
    project.write({"conftest.py": f"def pytest_unconfigure():\n    {loaded}\n"})
    code, text = project.pytest("notebooks")
    assert code == 0
    assert outcomes(text) == {"notebooks/test_marked.py::test_it": "passed"}
    names = "['octavo', 'octavo.compat', 'octavo.compat.pytest', 'octavo.compat.pytest.plugin'"
    assert names in text.replace(", 'octavo.version'", "")
