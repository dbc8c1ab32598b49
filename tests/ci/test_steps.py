"""The steps of the workflow, one by one: what is fetched, and what is installed from which lock."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from git_repositories import ENVIRON, cloned, commit_files, git
from octavo.repository.workflows import workflow
from octavo.version import VERSION

STEPS = {
    each["name"]: each["run"] for each in yaml.safe_load(workflow("main"))["jobs"]["check"]["steps"]
}
#: Stands for Python: it makes environments whose programs note how they are called.
PYTHON = """#!/bin/bash
[ "$1" = -c ] && exit {code}
mkdir -p "$4/bin"
for name in python uv; do
  printf '#!/bin/bash\\necho %s "$@" >> "{log}"\\n' "$name" > "$4/bin/$name"
  chmod +x "$4/bin/$name"
done
{more}
"""
PROGRAMS = ("bash", "chmod", "grep", "mkdir", "touch")


def step(
    name: str, folder: Path, path: str = os.environ["PATH"], **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as a runner does."""
    strict = ("--noprofile", "--norc", "-e", "-o", "pipefail")
    return subprocess.run(
        [str(shutil.which("bash")), *strict, "-c", STEPS[name]],
        cwd=folder,
        env={**ENVIRON, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


class Machine:
    """A folder with a project, and the programs of a machine."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        self.project, self.temp, self.bin = (folder / each for each in ("project", "temp", "bin"))
        for each in (self.project, self.temp, self.bin):
            each.mkdir()
        for name in PROGRAMS:
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def install(self, *, code: int = 0, octavo: bool = False, **more: str) -> list[str]:
        """What was called, each line without the folders of the test."""
        there = 'touch "$4/bin/octavo"; chmod +x "$4/bin/octavo"' if octavo else ""
        (self.bin / "python3").write_text(PYTHON.format(code=code, log=self.log, more=there))
        (self.bin / "python3").chmod(0o755)
        told = {"RUNNER_TEMP": str(self.temp), "GITHUB_PATH": str(self.temp / "path")}
        asked = {"OCTAVO": f"octavo=={VERSION}", "UV": "uv==1"}
        self.done = step("Install", self.project, str(self.bin), **told, **asked, **more)
        quiet = "python -m pip --disable-pip-version-check --quiet "
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [each.replace(quiet, "pip ").replace(f"{self.temp}/", "") for each in lines]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_a_lock_octavo_is_of_the_version_that_wrote_the_file(machine: Machine) -> None:
    assert machine.install() == [f"pip install octavo=={VERSION}"]
    assert machine.done.returncode == 0, machine.done.stderr
    assert (machine.temp / "path").read_text() == f"{machine.temp}/octavo-venv/bin\n"


def test_what_to_install_can_be_told(machine: Machine) -> None:
    assert machine.install(OCTAVO_SPEC="a/b c.whl") == ["pip install a/b c.whl"]


@pytest.mark.parametrize(
    ("files", "calls"),
    [
        (
            ("uv.lock", "requirements.txt"),
            [
                "pip install uv==1",
                "uv export --quiet --frozen --no-emit-project --output-file lock.txt",
                "pip install --require-hashes --requirement lock.txt",
            ],
        ),
        (
            ("pylock.toml",),
            [
                "pip install uv==1",
                "uv pip install --quiet --python octavo-venv/bin/python --requirements pylock.toml",
            ],
        ),
        (
            ("requirements.lock", "requirements.txt"),
            ["pip install --requirement requirements.lock"],
        ),
        (("requirements.txt",), ["pip install --requirement requirements.txt"]),
    ],
)
def test_the_lock_of_the_project_decides(
    machine: Machine, files: tuple[str, ...], calls: list[str]
) -> None:
    for name in files:
        (machine.project / name).touch()
    assert machine.install(octavo=True) == calls


def test_a_project_is_installed_without_what_it_depends_on(machine: Machine) -> None:
    (machine.project / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert machine.install(octavo=True) == ["pip install --no-deps --editable ."]
    (machine.project / "pyproject.toml").write_text("[tool.ruff]\n")
    machine.log.unlink()
    assert machine.install(octavo=True) == []


def test_a_machine_without_python_is_told_so(machine: Machine) -> None:
    assert machine.install(code=1) == []
    assert machine.done.returncode == 1
    assert "::error title=Python is missing::This runner has no Python 3.11" in machine.done.stdout


def fetch(
    folder: Path, commit: str, base: str = "", into: str = "job"
) -> subprocess.CompletedProcess[str]:
    (folder / into).mkdir(exist_ok=True)
    return step(
        "Fetch the commit",
        folder / into,
        GITHUB_SERVER_URL=f"file://{folder}/",
        GITHUB_REPOSITORY="origin",
        TOKEN="s3cret-token",
        COMMIT=commit,
        BASE=base,
    )


@pytest.fixture
def branch(tmp_path: Path) -> str:
    """The head of a branch that left `main`, which went on, in `origin.git`."""
    work = cloned(tmp_path).top
    git(work, "switch", "--quiet", "-c", "agent/a")
    head = commit_files(work, {"notebooks/a.py": "# %%\n"}, "a")
    git(work, "push", "--quiet", "origin", "agent/a")
    git(work, "switch", "--quiet", "main")
    commit_files(work, {"b.txt": "b"}, "b")
    git(work, "push", "--quiet", "origin", "main")
    git(tmp_path / "origin.git", "config", "uploadpack.allowAnySHA1InWant", "true")
    return head


def test_a_pull_request_comes_with_where_it_left_its_base(tmp_path: Path, branch: str) -> None:
    done = fetch(tmp_path, branch, "main")
    assert done.returncode == 0, done.stderr
    job = tmp_path / "job"
    assert git(job, "rev-parse", "HEAD") == branch
    assert git(job, "merge-base", "HEAD", "origin/main") == git(job, "rev-parse", "HEAD~1")


def test_a_push_comes_alone(tmp_path: Path, branch: str) -> None:
    assert fetch(tmp_path, branch).returncode == 0
    assert git(tmp_path / "job", "rev-list", "--count", "HEAD") == "1"


def test_a_folder_that_was_used_before_is_cleaned(tmp_path: Path, branch: str) -> None:
    main = git(tmp_path / "work", "rev-parse", "main")
    assert fetch(tmp_path, main).returncode == 0
    job = tmp_path / "job"
    (job / "b.txt").write_text("changed")
    (job / "left.py").write_text("left")
    assert fetch(tmp_path, branch, "main").returncode == 0
    assert sorted(each.name for each in job.iterdir()) == [".git", "README.md", "notebooks"]


def test_the_token_is_in_no_file_and_no_output(tmp_path: Path, branch: str) -> None:
    done = fetch(tmp_path, branch, "main")
    assert "s3cret" not in done.stdout + done.stderr
    held = [path for path in (tmp_path / "job").rglob("*") if path.is_file()]
    assert [path for path in held if b"s3cret" in path.read_bytes()] == []
    assert "extraheader" not in git(tmp_path / "job", "config", "--list").lower()
