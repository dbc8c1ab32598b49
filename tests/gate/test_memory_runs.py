"""Real runs are remembered with what they used, and forgotten when that changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.gate.memory import Entry, Memory, Passed
from runs.conftest import Project

pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "data").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / "data" / name).write_text("x\n1\n")
    (tmp_path / "own.py").write_text("import deeper\n")
    (tmp_path / "deeper.py").write_text("VALUE = 1\n")
    return Project(tmp_path)


def remembered(project: Project, source: str, **options: Any) -> Callable[[], bool]:
    """Run a notebook, remember it, and give what tells whether it is still known."""
    result = project.run(source, observe=True, **options)
    assert result.ok, result.failed_cell
    memory = Memory.open(project.root)
    inputs = memory.inputs_of_record(project.record(result))
    assert inputs is not None
    memory.remember("nb.py", "key", Entry({"": Passed(result.run_id)}, inputs))
    assert memory.save()
    assert Memory.open(project.root).recall("nb.py", "key") is not None
    return lambda: Memory.open(project.root).recall("nb.py", "key") is not None


def test_data_and_local_code_count_and_other_files_do_not(project: Project) -> None:
    source = "# %%\nimport own\nopen('data/a.csv').read()\nopen('out', 'w').write('1')\n"
    known = remembered(project, source)
    for name in ("data/b.csv", "out", "new.txt"):
        (project.root / name).write_text("2\n")
        assert known()
    for name in ("data/a.csv", "own.py", "deeper.py"):
        before = (project.root / name).read_text()
        (project.root / name).write_text(f"{before}# more\n")
        assert not known(), name
        (project.root / name).write_text(before)
        assert known()


@pytest.mark.parametrize(
    ("code", "parameters"),
    [
        ("polars.read_csv('data/a.csv')", {}),
        ('polars.read_csv("data/a.csv").write_csv("data/out.csv")', {}),
        ("polars.scan_csv('data/*.csv').collect()", {}),
        ("polars.read_csv(where)", {"where": "data/a.csv"}),
    ],
)
def test_what_a_native_reader_opens_counts_where_it_is_named(
    project: Project, code: str, parameters: dict[str, Any]
) -> None:
    source = f"# %% tags=['parameters']\nwhere = ''\n# %%\nimport polars\n{code}\n"
    known = remembered(project, source, values=parameters)
    (project.root / "data" / "a.csv").write_text("x\n2\n")
    assert not known()


def test_a_notebook_that_changes_what_it_reads_is_not_remembered(project: Project) -> None:
    source = "# %%\nopen('data/a.csv').read()\nopen('data/a.csv', 'w').write('2')\n"
    record = project.record(project.run(source, observe=True))
    assert Memory.open(project.root).inputs_of_record(record) is None


def test_a_notebook_that_takes_away_what_it_reads_is_not_remembered(project: Project) -> None:
    source = "# %%\nimport os\nopen('data/a.csv').read()\nos.remove('data/a.csv')\n"
    record = project.record(project.run(source, observe=True))
    assert Memory.open(project.root).inputs_of_record(record) is None


@pytest.mark.parametrize("code", ["open(b'\\xff/a').read()", "import os; os.listdir(b'\\xff')"])
def test_files_whose_names_are_no_text_are_not_taken_for_others(
    project: Project, code: str
) -> None:
    folder = project.root / "\udcff"
    folder.mkdir()
    (folder / "a").write_text("1\n")
    record = project.record(project.run(f"# %%\n{code}\n", observe=True))
    assert Memory.open(project.root).inputs_of_record(record) is None
