"""From a record to verdicts: what is said of each cell, and nothing that was not recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from judged_notebooks import Judged, JudgedProject
from octavo.gate.judging import as_nbval
from octavo.gate.verdicts import CellVerdict

pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> JudgedProject:
    return JudgedProject(tmp_path)


def lax(judged: Judged) -> tuple[CellVerdict, ...]:
    return judged.verdicts(strict=False)


def outcomes(judged: Judged) -> list[tuple[str, str]]:
    return [(each.outcome, each.cause) for each in lax(judged)]


def test_each_failing_cell_names_its_line_and_its_error(project: JudgedProject) -> None:
    source = """\
# %% [markdown]
# A title

# %% name="first"
1 / 0

# %%
def f():
    return [][1]

# %%
x = 1
f()
"""
    first, second, third = lax(project.run(source))
    assert (first.index, first.number, first.name, first.line) == (1, 0, "first", 5)
    assert (first.outcome, first.cause, first.failed_line) == ("failed", "error", 5)
    assert first.message == "ZeroDivisionError: division by zero"
    assert (second.outcome, second.name) == ("passed", "2")
    assert (third.outcome, third.failed_line) == ("failed", 13)
    assert third.message == "IndexError: list index out of range"
    assert third.traceback[-1] == "IndexError: list index out of range"
    assert "\x1b" not in "".join((*first.traceback, *third.traceback))
    assert third.duration_seconds is not None


def test_a_cell_that_runs_out_of_time(project: JudgedProject) -> None:
    source = """\
# %%
import time
time.sleep(60)

# %%
print(1)

# %%
# NBVAL_SKIP
print(2)
"""
    judged = project.run(source, cell_timeout=0.3)
    assert outcomes(judged) == [("failed", "timeout"), ("not-run", "earlier"), ("skipped", "")]
    assert [as_nbval(each) for each in lax(judged)] == ["failed", "xfailed", "skipped"]
    assert "0.3" in lax(judged)[0].message


def test_a_kernel_that_dies(project: JudgedProject) -> None:
    judged = project.run("# %%\nimport os\nos._exit(3)\n\n# %%\nprint(1)\n")
    assert outcomes(judged) == [("failed", "died"), ("not-run", "earlier")]
    assert "3" in lax(judged)[0].message


def test_a_limit(project: JudgedProject) -> None:
    source = "# %%\nkept = [bytearray(10**8) for _ in range(20)]\n\n# %%\nprint(1)\n"
    judged = project.run(source, memory=400_000_000)
    assert outcomes(judged)[1] == ("not-run", "earlier")
    assert lax(judged)[0].outcome == "failed"
    assert lax(judged)[0].cause in ("limit", "error")


def test_a_notebook_that_ends_itself_leaves_cells_that_nobody_checked(
    project: JudgedProject,
) -> None:
    judged = project.run("# %%\nprint(1)\nexit()\n\n# %%\nprint(2)\n")
    assert outcomes(judged) == [("passed", ""), ("not-run", "")]
    assert [as_nbval(each) for each in lax(judged)] == ["passed", "failed"]
    assert "ended the notebook" in lax(judged)[1].message


def test_cells_that_their_author_leaves_out(project: JudgedProject) -> None:
    judged = project.run('# %% tags=["skip"]\n1 / 0\n\n# %% tags=["skip-execution"]\n1 / 0\n')
    assert [each.outcome for each in lax(judged)] == ["skipped", "skipped"]
    assert lax(judged)[0].message == "tagged `skip`"


def test_an_injected_cell_is_none_of_the_authors(project: JudgedProject) -> None:
    source = '# %% tags=["parameters"]\nn = 1\n\n# %%\n# NBVAL_CHECK_OUTPUT\nprint(n)\n'
    judged = project.run(source, values={"n": 5})
    assert [(each.index, each.number) for each in lax(judged)] == [(0, 0), (1, 1)]
    judged.accept(strict=False)
    assert "5" in (project.root / "nb.expected.toml").read_text()


def test_a_syntax_error_that_is_expected(project: JudgedProject) -> None:
    judged = project.run("# %%\n# NBVAL_RAISES_EXCEPTION\n(\n\n# %%\nprint(1)\n")
    assert [each.outcome for each in lax(judged)] == ["passed", "passed"]


def test_an_output_that_is_too_long_is_compared_as_far_as_it_was_kept(
    project: JudgedProject,
) -> None:
    source = "# %%\nfor n in range(20_000):\n    print(n)\n"
    project.run(source).accept()
    (verdict,) = project.run(source, output_cap=2000).verdicts()
    assert verdict.outcome == "failed"
    assert "kept only a part" in verdict.message
    shown = verdict.differences[0]
    assert len(shown.expected or "") + len(shown.got or "") < 5000


def test_a_secret_in_an_output_is_not_in_a_reference(project: JudgedProject) -> None:
    (project.root / ".env").write_text("API_TOKEN=hunter2-hunter2\n")
    source = "# %%\nimport os\nprint(os.environ['API_TOKEN'])\n"
    judged = project.run(source, env_files=(".env",))
    judged.accept()
    assert "hunter2" not in (project.root / "nb.expected.toml").read_text()
    assert "hunter2" not in repr(judged.verdicts())
    assert judged.outcomes() == ["passed"]
