"""`octavo check`: what a user gets from it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import octavo
from cli.calling import variables
from gate.project import Project
from git_repositories import commit_files, git

pytestmark = pytest.mark.kernel

COUNTS = 'with open("ran.txt", "a") as file:\n    _ = file.write("x")'


def runs_of(project: Project) -> int:
    """How many runs have left a record."""
    return len(list((project.folder / ".octavo" / "runs").glob("*/*/record.json")))


def test_every_notebook_gets_its_verdict(project: Project) -> None:
    project.write("good.py", "x = 1", "print(x)")
    project.write("bad.py", "y = 1", "1 / 0")
    checked = project.check()
    assert checked.code == 1
    assert checked.outcomes == {"bad.py": "failed", "good.py": "passed"}
    bad = checked.verdicts[0]
    assert (bad["reason"], bad["path"]) == ("cell-error", "notebooks/bad.py")
    assert bad["cells"][1]["message"] == "ZeroDivisionError: division by zero"
    assert bad["cells"][1]["failed_line"] == 5


def test_all_of_them_pass(project: Project) -> None:
    project.write("good.py", "x = 1")
    code, out, _ = project.octavo("check")
    assert code == 0
    assert "1 notebook passed" in out


def test_failures_are_told_first(project: Project) -> None:
    project.write("a.py", "x = 1")
    project.write("b.py", "1 / 0")
    _, out, _ = project.octavo("check")
    assert out.index("notebooks/b.py") < out.index("notebooks/a.py")
    assert "notebooks/b.py:2" in out


def test_cells_after_a_failure_are_judged_too(project: Project) -> None:
    project.write("nb.py", "1 / 0", "x = 1", "# NBVAL_RAISES_EXCEPTION\nint('no')", "len(1)")
    outcomes = [cell["outcome"] for cell in project.check().only["cells"]]
    assert outcomes == ["failed", "passed", "passed", "failed"]


def test_what_takes_too_long_is_one_failure(project: Project) -> None:
    project.write("nb.py", "import time", "while True: time.sleep(0.01)", "x = 1", "y = 2")
    verdict = project.check("--cell-timeout", "500ms").only
    assert [(cell["outcome"], cell["cause"]) for cell in verdict["cells"]] == [
        ("passed", ""),
        ("failed", "timeout"),
        ("not-run", "earlier"),
        ("not-run", "earlier"),
    ]
    assert verdict["reason"] == "cell-timeout"


def test_a_notebook_bounds_itself(project: Project) -> None:
    block = '# /// check\n# timeout = "1s"\n# ///\nimport time'
    project.write("nb.py", block, "while True: time.sleep(0.01)")
    assert project.check().only["reason"] == "run-timeout"


def test_too_much_memory(project: Project) -> None:
    project.write("nb.py", "kept = [bytearray(1 << 20) for _ in range(4000)]", "x = 1")
    verdict = project.check("--memory", "500MB").only
    assert verdict["reason"] == "out-of-memory"
    assert verdict["cells"][0]["cause"] == "limit"


def test_a_kernel_that_dies(project: Project) -> None:
    project.write("nb.py", "import os; os._exit(3)", "x = 1")
    verdict = project.check().only
    assert (verdict["outcome"], verdict["reason"]) == ("failed", "kernel-died")
    assert [cell["outcome"] for cell in verdict["cells"]] == ["failed", "not-run"]


def test_a_notebook_that_ends_itself_early_does_not_pass(project: Project) -> None:
    project.write("nb.py", "exit()", "x = 1")
    verdict = project.check().only
    assert (verdict["outcome"], verdict["reason"]) == ("failed", "exited-early")
    assert "before 1 cell had run" in verdict["message"]
    assert "early_exit = true" in verdict["hint"]


@pytest.mark.parametrize(
    "cells", [("x = 1", "exit()"), ("# /// check\n# early_exit = true\n# ///\nexit()", "x = 1")]
)
def test_a_notebook_may_end_itself_at_its_end_or_when_it_says_so(
    project: Project, cells: tuple[str, ...]
) -> None:
    project.write("nb.py", *cells)
    assert project.check().only["outcome"] == "passed"


def test_a_notebook_that_deletes_itself_does_not_pass_and_is_not_lost(project: Project) -> None:
    path = project.write("nb.py", 'import os; os.remove("nb.py")', "print(1)")
    text = path.read_text()
    verdict = project.check().only
    assert (verdict["outcome"], verdict["reason"]) == ("failed", "source-changed")
    assert [cell["outcome"] for cell in verdict["cells"]] == ["passed", "passed"]
    [kept] = project.folder.glob(".octavo/runs/*/*/source.py")
    assert kept.read_text() == text
    assert str(kept.parent) in verdict["findings"][0]["hint"]


def test_a_notebook_that_is_edited_while_it_runs_is_said_to_be(project: Project) -> None:
    project.write("nb.py", 'with open("nb.py", "a") as file:\n    _ = file.write("# more\\n")')
    verdict = project.check().only
    assert verdict["outcome"] == "passed"
    assert [each["rule"] for each in verdict["findings"]] == ["source-changed"]
    assert project.check().only["reused"] is False


def test_sets_of_values_are_checked_each(project: Project) -> None:
    block = "# /// check\n# [matrix]\n# n = [1, 0]\n# ///"
    (project.folder / "notebooks/nb.py").write_text(
        f'# %%\n{block}\n\n# %% tags=["parameters"]\nn = 5\n\n# %%\n1 / n\n'
    )
    checked = project.check()
    told = {each["values"]: each["outcome"] for each in checked.verdicts}
    assert told == {"n=1": "passed", "n=0": "failed"}
    assert checked.verdicts[0]["parameters"] == {"n": 1}


def test_only_the_set_that_failed_runs_again(project: Project) -> None:
    block = "# /// check\n# [matrix]\n# n = [1, 0]\n# ///"
    (project.folder / "notebooks/nb.py").write_text(
        f'# %%\n{block}\n\n# %% tags=["parameters"]\nn = 5\n\n# %%\n1 / n\n'
    )
    project.check()
    assert {each["values"]: each["reused"] for each in project.check().verdicts} == {
        "n=1": True,
        "n=0": False,
    }


def test_a_wrong_value_in_the_block_is_a_verdict(project: Project) -> None:
    (project.folder / "notebooks/nb.py").write_text(
        "# %%\n# /// check\n# parameters = {nope = 1}\n# ///\n\n"
        '# %% tags=["parameters"]\nn: int = 5\n'
    )
    verdict = project.check().only
    assert (verdict["outcome"], verdict["reason"]) == ("failed", "parameter-unknown")


def test_a_block_that_does_not_parse_is_a_verdict_and_the_others_are_checked(
    project: Project,
) -> None:
    project.write("bad.py", "# /// check\n# timeout =\n# ///\nx = 1")
    project.write("good.py", "x = 1")
    checked = project.check()
    assert checked.code == 1
    assert checked.outcomes == {"bad.py": "failed", "good.py": "passed"}
    assert checked.verdicts[0]["reason"] == "check-block"
    assert checked.verdicts[0]["hint"]


def test_a_notebook_can_say_that_it_is_not_checked(project: Project) -> None:
    project.write("nb.py", '# /// check\n# skip = "needs a GPU"\n# ///\n1 / 0')
    verdict = project.check().only
    assert (verdict["outcome"], verdict["message"]) == ("skipped", "needs a GPU")


def test_declared_scraps_are_kept_to(project: Project) -> None:
    (project.folder / "notebooks/nb.py").write_text(
        '# %% tags=["scraps"]\nscore: float\n\n'
        '# %%\nfrom octavo_runtime import glue\nglue("score", "high")\n'
    )
    verdict = project.check().only
    assert (verdict["outcome"], verdict["reason"]) == ("failed", "scraps")


def test_the_same_from_python(project: Project) -> None:
    project.write("good.py", "x = 1")
    project.write("bad.py", "1 / 0")
    report = octavo.check()
    assert {each.path: each.outcome for each in report.verdicts} == {
        "notebooks/bad.py": "failed",
        "notebooks/good.py": "passed",
    }
    assert (report.passed, report.exit_code) == (False, 1)
    assert octavo.check("notebooks/good.py").passed
    with pytest.raises(octavo.UsageError):
        octavo.check("notebooks/none.py")


# What has not changed


def test_what_passed_is_not_run_again(project: Project) -> None:
    project.write("nb.py", "x = 1")
    first = project.check().only
    second = project.check().only
    assert (first["reused"], second["reused"]) == (False, True)
    assert second["run_id"] == first["run_id"]
    assert runs_of(project) == 1


def test_what_failed_is_run_again(project: Project) -> None:
    project.write("nb.py", "1 / 0")
    project.check()
    assert project.check().only["reused"] is False


@pytest.mark.parametrize("words", [("--no-cache",), ("--strict",), ("--cell-timeout", "1m")])
def test_what_was_asked_otherwise_is_run(project: Project, words: tuple[str, ...]) -> None:
    project.write("nb.py", "x = 1")
    project.check()
    assert project.check(*words).only["reused"] is False


def test_a_changed_source_is_run(project: Project) -> None:
    project.write("nb.py", "x = 1")
    project.check()
    project.write("nb.py", "x = 2")
    assert project.check().only["reused"] is False


def test_a_changed_data_file_is_noticed(project: Project) -> None:
    data = project.folder / "notebooks/data.csv"
    data.write_text("1")
    project.write("nb.py", 'print(open("data.csv").read())')
    project.check()
    assert project.check().only["reused"] is True
    data.write_text("2")
    assert project.check().only["reused"] is False


def test_a_changed_module_is_noticed(project: Project) -> None:
    module = project.folder / "notebooks/mine.py"
    module.write_text("value = 1\n")
    project.write("nb.py", "import mine", "print(mine.value)")
    project.check()
    assert project.check("notebooks/nb.py").only["reused"] is True
    module.write_text("value = 2\n")
    assert project.check("notebooks/nb.py").only["reused"] is False


def test_on_ci_only_the_runs_of_ci_count(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("nb.py", "x = 1")
    project.check()
    monkeypatch.setenv("CI", "true")
    assert project.check().only["reused"] is False
    assert project.check().only["reused"] is True


# Since a base


def test_only_what_a_change_reaches_is_checked(project: Project) -> None:
    for name in ("a.py", "b.py"):
        project.write(name, "x = 1")
    git(project.folder, "init", "-q")
    commit_files(project.folder, {".gitignore": ".octavo/\n"})
    git(project.folder, "switch", "-q", "-c", "work")
    commit_files(project.folder, {"notebooks/b.py": "# %%\nx = 2\n"})
    checked = project.check("--since", "main")
    assert checked.outcomes == {"b.py": "passed"}
    assert checked.report["unaffected"] == ["notebooks/a.py"]
    assert checked.report["base"] == git(project.folder, "rev-parse", "main").strip()


def test_nothing_that_matters_changed(project: Project) -> None:
    project.write("a.py", "x = 1")
    git(project.folder, "init", "-q")
    commit_files(project.folder, {".gitignore": ".octavo/\n"})
    code, out, _ = project.octavo("check", "--since", "HEAD")
    assert code == 0
    assert "nothing" in out.lower() or "no notebook" in out.lower()


# References


def test_outputs_are_accepted_and_held_against_from_then_on(project: Project) -> None:
    path = project.write("nb.py", "# NBVAL_CHECK_OUTPUT\nprint(1)")
    assert project.check().only["reason"] == "outputs"
    assert project.check("--update").only["updated"] == [0]
    assert project.check().only["outcome"] == "passed"
    path.write_text(path.read_text().replace("print(1)", "print(2)"))
    verdict = project.check().only
    assert (verdict["outcome"], verdict["reason"]) == ("failed", "outputs")
    assert verdict["cells"][0]["differences"][0]["key"] == "stdout"


def test_a_notebook_with_outputs_is_its_own_reference(project: Project) -> None:
    output = {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "id": "a",
        "metadata": {},
        "outputs": [output],
        "source": "print(2)",
    }
    document = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = project.folder / "notebooks/nb.ipynb"
    path.write_text(json.dumps(document))
    assert project.check("--strict").only["outcome"] == "failed"
    assert project.check("--strict", "--update").only["outcome"] == "passed"
    assert json.loads(path.read_text())["cells"][0]["outputs"][0]["text"] == ["2\n"]
    assert project.check("--strict").only["outcome"] == "passed"


def test_a_marked_cell_without_an_output_to_compare_passes_with_a_warning(
    project: Project,
) -> None:
    project.write("nb.py", "# NBVAL_CHECK_OUTPUT\nprint(1)", "print(2)", "# NBVAL_CHECK_OUTPUT")
    project.octavo("convert", "notebooks/nb.py", "-o", "notebooks/nb.ipynb")
    (project.folder / "notebooks/nb.py").unlink()
    verdict = project.check().only
    assert verdict["outcome"] == "passed"
    assert [(each["rule"], each["cell"]) for each in verdict["findings"]] == [("no-reference", 0)]
    assert project.check("--update").only["updated"] == [0]
    assert project.check().only["findings"] == []


def test_numbers_may_differ_within_a_tolerance(project: Project) -> None:
    path = project.write("nb.py", "# NBVAL_CHECK_OUTPUT\nprint(0.5000001)")
    project.check("--update")
    path.write_text(path.read_text().replace("0.5000001", "0.5000002"))
    assert project.check().only["outcome"] == "failed"
    assert project.check("--tolerance", "1e-5").only["outcome"] == "passed"


def test_a_broken_reference_is_told_and_left_alone(project: Project) -> None:
    project.write("nb.py", "# NBVAL_CHECK_OUTPUT\nprint(1)")
    reference = project.folder / "notebooks/nb.expected.toml"
    reference.write_text("version = 99\n")
    for words in ((), ("--update",)):
        verdict = project.check(*words).only
        assert (verdict["outcome"], verdict["reason"]) == ("failed", "reference")
        assert verdict["hint"]
    assert reference.read_text() == "version = 99\n"


# Reports


def test_reports_are_written(project: Project) -> None:
    project.write("nb.py", "1 / 0")
    names = ("junit", "sarif", "markdown", "report")
    words = [word for name in names for word in (f"--{name}", f"{name}.out")]
    project.check(*words)
    assert "<testsuite" in Path("junit.out").read_text()
    assert json.loads(Path("sarif.out").read_text())["version"] == "2.1.0"
    assert "ZeroDivisionError" in Path("markdown.out").read_text()
    assert json.loads(Path("report.out").read_text())["passed"] is False


def test_a_report_that_cannot_be_written_is_told_before_anything_runs(project: Project) -> None:
    project.write("nb.py", COUNTS)
    code, _, err = project.octavo("check", "--junit", "nowhere/report.xml")
    assert code == 2
    assert "in a folder that is not there" in err
    assert not (project.folder / "notebooks/ran.txt").exists()


def test_the_step_summary_keeps_what_others_wrote(project: Project) -> None:
    project.write("nb.py", "x = 1")
    Path("summary.md").write_text("before\n")
    project.check("--markdown", "summary.md")
    assert Path("summary.md").read_text().startswith("before\n")


def test_replacements_that_cannot_be_read_are_told_once_before_anything_runs(
    project: Project,
) -> None:
    project.write("a.py", "open('ran', 'w')")
    code, out, err = project.octavo("check", "--sanitize-with", "nowhere.cfg")
    assert (code, out) == (2, "")
    assert "nowhere.cfg: there is no such file" in err
    assert not (project.folder / "notebooks/ran").exists()


def test_a_wrong_number_of_jobs(project: Project) -> None:
    project.write("nb.py", "x = 1")
    code, _, err = project.octavo("check", "-j", "-2")
    assert (code, "at least one" in err) == (2, True)


def test_a_project_without_notebooks(project: Project) -> None:
    os.rmdir("notebooks")
    code, _, err = project.octavo("check")
    assert code == 2
    assert "no notebooks" in err


@pytest.mark.slow
def test_a_gigabyte_of_output_is_a_verdict_like_any_other(project: Project) -> None:
    project.write(
        "nb.py",
        "line = 'x' * 999_999 + '\\n'\nfor _ in range(1000):\n    print(line, end='')",
        "# NBVAL_CHECK_OUTPUT\nprint(1)",
    )
    verdict = project.check().only
    assert [cell["outcome"] for cell in verdict["cells"]] == ["passed", "failed"]


def test_two_checks_at_once_both_tell_the_truth(project: Project, tmp_path: Path) -> None:
    for number in range(4):
        project.write(f"nb{number}.py", f"x = {number}", "print(x)")
    project.write("bad.py", "1 / 0")
    words = [sys.executable, "-m", "octavo", "check", "--json"]
    both = [
        subprocess.Popen(words, cwd=project.folder, env=variables(tmp_path), stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    answers = [json.loads(each.communicate(timeout=120)[0]) for each in both]
    for answer in answers:
        told = {Path(each["path"]).name: each["outcome"] for each in answer["verdicts"]}
        assert told.pop("bad.py") == "failed"
        assert set(told.values()) == {"passed"}
    third = project.check()
    reused = {Path(each["path"]).name: each["reused"] for each in third.verdicts}
    assert reused.pop("bad.py") is False
    assert set(reused.values()) == {True}


def test_ctrl_c_stops_all_of_them_and_leaves_nothing_running(
    project: Project, tmp_path: Path
) -> None:
    for number in range(3):
        project.write(
            f"nb{number}.py",
            f"open('started{number}', 'w').close()\nimport time\ntime.sleep(600)",
            "x = 1",
        )
    words = [sys.executable, "-m", "octavo", "check", "--json", "-j", "2"]
    checking = subprocess.Popen(
        words, cwd=project.folder, env=variables(tmp_path), stdout=subprocess.PIPE
    )
    waiting = 0
    while len(list((project.folder / "notebooks").glob("started*"))) < 2:
        waiting += 1
        assert waiting < 6000 and checking.poll() is None
        time.sleep(0.01)
    checking.send_signal(signal.SIGINT)
    out, _ = checking.communicate(timeout=60)
    assert checking.returncode == 130
    told = json.loads(out)["verdicts"]
    assert {each["reason"] for each in told} == {"interrupted"}
    assert [each["outcome"] for each in told] == ["not-run"] * 3


def test_what_reads_the_product_of_another_is_not_recalled_after_that_has_changed(
    project: Project,
) -> None:
    project.write("a.py", "open('made', 'w').write('1')")
    project.write("b.py", "assert open('made').read() == '1'")
    for _ in range(3):
        assert project.check("-j", "1").code == 0
    assert [each["reused"] for each in project.check("-j", "1").verdicts] == [True, True]
    project.write("a.py", "open('made', 'w').write('2')")
    checked = project.check("-j", "1")
    assert checked.outcomes == {"a.py": "passed", "b.py": "failed"}


def test_a_reference_that_changes_during_the_run_is_not_taken_for_the_one_before(
    project: Project,
) -> None:
    text = "# NBVAL_CHECK_OUTPUT\nprint(1)"
    project.write("nb.py", text)
    assert project.check("--update").code == 0
    reference = project.folder / "notebooks/nb.expected.toml"
    right = reference.read_text()
    wrong = right.replace("\n1\n", "\n2\n")
    write = f"open('nb.expected.toml', 'w').write({right!r})"
    project.write("nb.py", text, write)
    reference.write_text(wrong)
    assert project.check().code == 0
    reference.write_text(wrong)
    assert not project.check().only["reused"]


def test_more_at_once_than_files_may_be_open_is_no_failure(
    project: Project, tmp_path: Path
) -> None:
    for number in range(12):
        project.write(f"nb{number}.py", "x = 1")
    command = f"ulimit -n 100; exec {sys.executable} -m octavo check -j 50"
    done = subprocess.run(["sh", "-c", command], cwd=project.folder, env=variables(tmp_path))
    assert done.returncode == 0
