"""Real runs are remembered with what they used, and forgotten when that changes."""

from __future__ import annotations

import sqlite3
import zipfile
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


@pytest.mark.parametrize(
    "code",
    [
        "import pkgutil\npkgutil.get_data('package', 'a.txt')",
        "import importlib.util as u\ns = u.spec_from_file_location('m', 'package/a.txt.py')\n"
        "s.loader.exec_module(u.module_from_spec(s))",
        "import sys, package.code\ndel sys.modules['package.code']",
        "import sys\nsys.path.insert(0, 'a.zip')\nimport zipped",
        "import multiprocessing as m\ndef f(): import package.code\n"
        "p = m.get_context('fork').Process(target=f); p.start(); p.join()",
        "open('data/a.csv', 'a').close()\nopen('data/a.csv').read()",
        "try:\n    open('data/a.csv', 'x')\nexcept FileExistsError:\n    open('data/a.csv').read()",
        "import os\nos.symlink('data/a.csv', 'l')\nopen('l').read()\nos.remove('l')",
        "open('link/../a.csv').read()",
        "import sqlite3\nsqlite3.connect(':memory:').execute(\"attach 'a.db' as a\")",
    ],
)
def test_every_way_to_data_and_code_is_seen(project: Project, code: str) -> None:
    files = {
        "package/__init__.py": "",
        "package/code.py": "VALUE = 1\n",
        "package/a.txt": "1",
        "package/a.txt.py": "VALUE = 1\n",
        "a.db": "",
        "data/inner/x": "",
    }
    for name, text in files.items():
        (project.root / name).parent.mkdir(exist_ok=True)
        (project.root / name).write_text(text)
    with zipfile.ZipFile(project.root / "a.zip", "w") as archive:
        archive.writestr("zipped.py", "VALUE = 1\n")
    (project.root / "link").symlink_to("data/inner")
    known = remembered(project, f"# %%\n{code}\n")
    for name in ("package/code.py", "package/a.txt", "package/a.txt.py", "a.db", "data/a.csv"):
        with open(project.root / name, "a") as file:
            file.write("# more\n")
    with zipfile.ZipFile(project.root / "a.zip", "w") as archive:
        archive.writestr("zipped.py", "VALUE = 2\n")
    assert not known()


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.remove('data/a.csv')",
        "import os\nos.rename('data/a.csv', 'other.csv')",
        "import os\nos.rename('data/a.csv', 'b')\nos.rename('b', 'data/a.csv')\nopen('data/a.csv')",
        "import shutil\nshutil.rmtree('data')",
        "import os\nos.open('a.csv', os.O_RDONLY, dir_fd=os.open('data', os.O_RDONLY))",
    ],
)
def test_what_could_not_run_twice_or_cannot_be_told_is_not_remembered(
    project: Project, code: str
) -> None:
    record = project.record(project.run(f"# %%\n{code}\n", observe=True))
    assert Memory.open(project.root).inputs_of_record(record) is None


@pytest.mark.parametrize("folder", ["work/.cache/act", "work"])
def test_a_project_in_a_place_of_caches_is_a_project(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "work"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "work"))
    (tmp_path / folder).mkdir(parents=True)
    for name, text in {"octavo.toml": "", "own.py": "VALUE = 1\n", "a.csv": "1"}.items():
        (tmp_path / folder / name).write_text(text)
    project = Project(tmp_path / folder)
    for changed in ("own.py", "a.csv"):
        known = remembered(project, "# %%\nimport own\nopen('a.csv').read()\n")
        (project.root / changed).write_text("VALUE = 2\n")
        assert not known()


def test_what_was_written_to_a_database_and_waits_in_its_log_counts(project: Project) -> None:
    writer = sqlite3.connect(project.root / "a.db")
    writer.execute("pragma journal_mode=wal")
    writer.execute("create table rows (x)")
    writer.commit()
    source = "# %%\nimport sqlite3\nsqlite3.connect('a.db').execute('select * from rows')\n"
    files = project.record(project.run(source, observe=True)).files
    writer.close()
    assert files is not None
    assert str(project.root / "a.db-wal") in files["read"]
