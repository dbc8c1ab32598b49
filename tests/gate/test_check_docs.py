"""What `docs/check.md` and `docs/outputs.md` show works as it is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gate.project import Project
from git_repositories import git
from octavo.gate.block import CheckBlock
from octavo.gate.nbval.sanitize import read_sanitizer

DOCS = Path(__file__).parents[2] / "docs"
CHECK = (DOCS / "check.md").read_text(encoding="utf-8")
OUTPUTS = (DOCS / "outputs.md").read_text(encoding="utf-8")


def fenced(page: str, language: str) -> str:
    """The first block of a language that a page shows."""
    found = re.search(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_every_key_of_a_block_is_explained() -> None:
    table = CHECK.partition("| key | meaning |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(CheckBlock._fields)


@pytest.mark.kernel
def test_the_block_is_checked_as_often_as_is_said(project: Project) -> None:
    parameters = 'rows: int = 1\nthreshold: float = 0.1\nregion: str = "us"'
    path = project.folder / "notebooks/report.py"
    uses = 'assert region == "eu"; print(rows, threshold)'
    path.write_text(
        f'{fenced(CHECK, "python")}\n# %% tags=["parameters"]\n{parameters}\n# %%\n{uses}\n'
    )
    _, out, _ = project.octavo("check", "--junit", "report.xml")
    assert "✓ 4 checks passed" in out
    [told] = re.findall(r"\(`(report\.py \[.*?\])`\)", CHECK)
    assert f"✓ notebooks/{told}" in out


@pytest.mark.kernel
def test_the_first_commands_do_what_their_remarks_say(project: Project) -> None:
    project.write("report.py", "print(1)")
    project.write("other.py", "print(2)")
    git(project.folder, "init", "-q")
    git(project.folder, "add", ".")
    git(project.folder, "commit", "-q", "-m", "notebooks")
    git(project.folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    project.write("other.py", "print(3)")
    commands = [shlex.split(line, comments=True) for line in fenced(CHECK, "bash").splitlines()]
    checked = [project.check(*words[2:]).outcomes for words in commands]
    assert [set(each) for each in checked] == [
        {"other.py", "report.py"},
        {"report.py"},
        {"other.py"},
    ]


@pytest.mark.kernel
def test_the_reference_is_held_against_the_cell_of_its_name(project: Project) -> None:
    path = project.folder / "notebooks/report.py"
    path.write_text(
        '# %% name="totals"\n# NBVAL_CHECK_OUTPUT\nprint("north  12.5")\nprint("south  11.0")\n'
    )
    path.with_suffix(".expected.toml").write_text(fenced(OUTPUTS, "toml"))
    assert project.check().only["outcome"] == "passed"
    path.write_text(path.read_text().replace("11.0", "11.5"))
    assert project.check().only["reason"] == "outputs"
    assert project.check("--tolerance", "0.1").only["outcome"] == "passed"


def test_the_file_of_replacements_is_read(tmp_path: Path) -> None:
    (tmp_path / "sanitize.cfg").write_text(fenced(OUTPUTS, "ini"))
    assert read_sanitizer(tmp_path / "sanitize.cfg")("pid 4711\n") == "PID\n"
