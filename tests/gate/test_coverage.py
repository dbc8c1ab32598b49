"""`--cov` counts the lines of the project's own modules, over all kernels."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import InfrastructureError
from octavo.gate.coverage import Coverage
from runs.conftest import Project

pytestmark = pytest.mark.kernel

MODULE = """\
def one():
    return 1


def two():
    return 2


def never():
    a = 1
    b = 2
    return a + b
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "own.py").write_text(MODULE)
    return Project(tmp_path)


def coverage_of(project: Project) -> Coverage:
    return Coverage(project.root, project.environ, [project.root / "nb.py"])


def measured(project: Project) -> dict[str, Any]:
    """What `coverage` itself reads from the project."""
    command = [sys.executable, "-m", "coverage", "json", "-q", "-o", "-", "--fail-under=0"]
    done = subprocess.run(command, cwd=project.root, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_lines_of_all_kernels_are_put_together(project: Project) -> None:
    coverage = coverage_of(project)
    for name in ("one", "two"):
        fields = coverage.launch_fields()
        assert project.run(f"# %%\nimport own\nown.{name}()\n", **fields).ok
    share = coverage.combine()
    report = measured(project)
    assert list(report["files"]) == ["own.py"]
    assert report["files"]["own.py"]["missing_lines"] == [10, 11, 12]
    assert share == pytest.approx(report["totals"]["percent_covered"], abs=0.01)
    assert share == pytest.approx(100 * 5 / 8, abs=0.01)
    assert not list((project.root / ".octavo" / "gate").glob("coverage-*"))


def test_a_failed_run_counts_and_says_no_word_about_it(project: Project) -> None:
    coverage = coverage_of(project)
    source = "# %%\nimport own\nown.one()\n1 / 0\n"
    result = project.run(source, **coverage.launch_fields())
    assert result.reason == "cell-error"
    assert "overage" not in Path(result.notebook_path).read_text()
    assert coverage.combine() > 0
    assert 2 in measured(project)["files"]["own.py"]["executed_lines"]


@pytest.mark.slow
def test_the_jupyter_engine_measures_too(project: Project) -> None:
    coverage = coverage_of(project)
    source = "# %%\nimport own\nown.one()\n"
    assert project.run(source, engine="jupyter", **coverage.launch_fields()).ok
    assert coverage.combine() == pytest.approx(50.0)


def test_the_projects_configuration_is_followed(project: Project) -> None:
    (project.root / "pyproject.toml").write_text(
        '[tool.coverage.run]\nbranch = true\nsource = ["lib"]\nomit = ["lib/left.py"]\n'
        "[tool.coverage.report]\nfail_under = 100\n"
    )
    (project.root / "lib").mkdir()
    for name in ("used", "left", "unused"):
        (project.root / "lib" / f"{name}.py").write_text(MODULE)
    coverage = coverage_of(project)
    source = "# %%\nimport sys\nsys.path.insert(0, 'lib')\nimport used, left, own\nused.one()\n"
    assert project.run(source, **coverage.launch_fields()).ok
    assert 0 < coverage.combine() < 100
    report = measured(project)
    assert set(report["files"]) == {"lib/used.py", "lib/unused.py"}
    assert report["meta"]["branch_coverage"] is True


def test_packages_in_src_that_nothing_imports_are_not_forgotten(project: Project) -> None:
    package = project.root / "src" / "mine"
    package.mkdir(parents=True)
    for name in ("__init__", "core"):
        (package / f"{name}.py").write_text(MODULE)
    coverage = coverage_of(project)
    assert project.run("# %%\nimport own\n", **coverage.launch_fields()).ok
    assert coverage.combine() < 50
    assert "src/mine/core.py" in measured(project)["files"]


def test_a_notebook_without_modules_covers_nothing(project: Project) -> None:
    (project.root / "own.py").unlink()
    coverage = coverage_of(project)
    assert project.run("# %%\n1\n", **coverage.launch_fields()).ok
    assert coverage.combine() == 0.0


def test_modules_that_were_loaded_before_are_measured_from_there_on(project: Project) -> None:
    coverage = coverage_of(project)
    project.environ["PYTHONPATH"] = str(project.root)
    source = "# %%\nimport own\nown.one()\n"
    assert project.run(source, preload=("own",), **coverage.launch_fields()).ok
    coverage.combine()
    assert measured(project)["files"]["own.py"]["executed_lines"] == [2]


@pytest.mark.parametrize(
    ("words", "kind", "hint"),
    [
        ("missing\n/env/bin/python\nNo module named 'coverage'", "extra-missing", "uv pip install"),
        ("failed\n/env/bin/python\nConfigError: bad", "coverage", "configuration"),
    ],
)
def test_what_kept_a_kernel_from_measuring_is_told(
    project: Project, words: str, kind: str, hint: str
) -> None:
    coverage = coverage_of(project)
    data = Path(coverage.launch_fields()["coverage"]["data_file"])
    data.with_name("data-failure-1").write_text(words)
    with pytest.raises(InfrastructureError) as raised:
        coverage.combine()
    assert raised.value.kind == kind
    assert hint in raised.value.hint
    assert not data.parent.exists()


def test_an_environment_without_the_package_is_told_and_its_notebook_runs(
    project: Project,
) -> None:
    (project.root / "shadow").mkdir()
    (project.root / "shadow" / "coverage.py").write_text("raise ImportError('none here')\n")
    project.environ["PYTHONPATH"] = str(project.root / "shadow")
    coverage = coverage_of(project)
    assert project.run("# %%\nimport own\n", **coverage.launch_fields()).ok
    with pytest.raises(InfrastructureError, match="none here") as raised:
        coverage.combine()
    assert raised.value.kind == "extra-missing"


def test_a_configuration_that_cannot_be_read_is_told(project: Project) -> None:
    (project.root / ".coveragerc").write_text("[run]\nbranch = perhaps\n")
    coverage = coverage_of(project)
    assert project.run("# %%\nimport own\n", **coverage.launch_fields()).ok
    with pytest.raises(InfrastructureError) as raised:
        coverage.combine()
    assert raised.value.kind == "coverage"


def test_without_the_package_the_extra_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.gate.coverage.find_spec", lambda name: None)
    with pytest.raises(InfrastructureError) as raised:
        coverage_of(project)
    assert raised.value.kind == "extra-missing"
    assert "octavo[cov]" in raised.value.hint
