"""A run tells which files it used: those of the notebook, not those of its environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runs.conftest import Project

pytestmark = pytest.mark.kernel

ENGINES = ["fork", pytest.param("jupyter", marks=pytest.mark.slow)]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("x\n1\n")
    return Project(tmp_path)


def seen(project: Project, source: str, status: str = "success", **options: Any) -> dict[str, Any]:
    """The files of a run, relative to the project where they lie in it."""
    result = project.run(source, observe=True, **options)
    assert result.status == status, result.failed_cell or result.message
    files = project.record(result).files
    assert files is not None
    root = f"{project.root}/"
    return {
        name: [each.removeprefix(root) for each in value] if isinstance(value, list) else value
        for name, value in files.items()
    }


def test_a_run_that_nobody_asked_to_observe_tells_nothing(project: Project) -> None:
    assert project.record(project.run("# %%\nopen('data/a.csv').read()\n")).files is None


@pytest.mark.parametrize("engine", ENGINES)
def test_reads_listings_modules_and_own_products(project: Project, engine: str) -> None:
    (project.root / "local.py").write_text("VALUE = 1\n")
    files = seen(
        project,
        "# %%\nimport glob, json, os, local\n"
        "open('data/a.csv').read(); open('data/a.csv').read()\n"
        "glob.glob('data/*.csv')\n"
        "# %%\nopen('made.txt', 'w').write('1'); open('made.txt').read()\n"
        "os.mkdir('made'); open('made/x', 'w').write('1'); open('made/x').read()\n"
        "os.listdir('made')\n",
        engine=engine,
    )
    assert files == {
        "read": ["data/a.csv"],
        "missing": [],
        "written": ["made", "made.txt"],
        "listed": ["data"],
        "modules": ["local.py"],
        "facts": [],
        "complete": True,
    }


def test_a_file_that_was_looked_for_in_vain_is_told(project: Project) -> None:
    source = "# %%\ntry:\n    open('local.toml')\nexcept OSError:\n    pass\n"
    files = seen(project, source)
    assert (files["read"], files["missing"]) == ([], ["local.toml"])


def test_a_failed_run_tells_too(project: Project) -> None:
    files = seen(project, "# %%\nopen('data/a.csv').read()\n1 / 0\n", "error")
    assert (files["read"], files["complete"]) == (["data/a.csv"], True)


def test_what_a_run_read_before_it_wrote_is_both(project: Project) -> None:
    files = seen(project, "# %%\nwith open('data/a.csv', 'r+') as f:\n    f.write('y')\n")
    assert files["read"] == files["written"] == ["data/a.csv"]


def test_paths_are_those_of_the_moment(project: Project) -> None:
    source = "# %%\nimport os, pathlib\nos.chdir('data')\npathlib.Path('a.csv').read_bytes()\n"
    assert seen(project, source)["read"] == ["data/a.csv"]


def test_what_libraries_open_that_are_frozen_into_the_interpreter_is_told(project: Project) -> None:
    """`os` and `codecs` are, as the machinery of imports is, which does not count."""
    (project.root / "data/below").mkdir()
    files = seen(
        project,
        "# %%\nimport codecs, os\nlist(os.walk('data'))\n"
        "codecs.open('data/a.csv').read(); codecs.open('made', 'w').close()\n"
        "try:\n    codecs.open('none')\nexcept OSError:\n    pass\n",
    )
    assert files["listed"] == ["data", "data/below"]
    assert (files["read"], files["written"], files["missing"]) == (
        ["data/a.csv"],
        ["made"],
        ["none"],
    )


def test_a_script_that_a_magic_runs_is_told(project: Project) -> None:
    (project.root / "script.py").write_text("x = 1\n")
    files = seen(project, "# %%\n%run script.py\n")
    assert files["read"] == ["script.py"]


def test_installed_packages_and_their_data_are_no_files_of_the_notebook(project: Project) -> None:
    files = seen(
        project,
        "# %%\nimport pandas, matplotlib.pyplot as plt, importlib.metadata as m\n"
        "pandas.read_csv('data/a.csv'); plt.plot([1]); m.version('pandas'); m.entry_points()\n",
    )
    assert files["read"] == ["data/a.csv"]
    assert files["listed"] == files["modules"] == []


@pytest.mark.parametrize(
    ("code", "fact"),
    [
        ("import subprocess; subprocess.run(['true'])", "subprocess"),
        ("import os; os.system('true')", "subprocess"),
        ("!true", "subprocess"),
        ("import polars", "native:polars"),
        (
            "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 1), 1)\n"
            "except OSError:\n    pass",
            "network",
        ),
    ],
)
def test_what_nobody_can_see_is_told_as_a_fact(project: Project, code: str, fact: str) -> None:
    assert seen(project, f"# %%\n{code}\n")["facts"] == [fact]


def test_databases_are_inputs_if_they_were_there(project: Project) -> None:
    source = (
        "# %%\nimport sqlite3\nfor name in ('old.db', 'new.db', ':memory:'):\n"
        "    sqlite3.connect(name).close()\n"
        "sqlite3.connect('file:old.db?mode=ro', uri=True).close()\n"
    )
    (project.root / "old.db").write_bytes(b"")
    files = seen(project, source)
    assert (files["read"], files["written"]) == (["old.db"], ["new.db"])


def test_forked_processes_tell_their_own(project: Project) -> None:
    files = seen(
        project,
        "# %%\nimport multiprocessing\n"
        "def read(_):\n    return open('data/a.csv').read()\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n    pool.map(read, range(4))\n",
    )
    assert (files["read"], files["complete"]) == (["data/a.csv"], True)


def test_a_kernel_that_dies_at_its_end_leaves_no_complete_list(project: Project) -> None:
    files = project.record(
        project.run(
            "# %%\nimport atexit, multiprocessing, os\natexit.register(os._exit, 0)\n"
            "def read(_):\n    return open('data/a.csv').read()\n"
            "with multiprocessing.get_context('fork').Pool(1) as pool:\n    pool.map(read, [1])\n",
            observe=True,
        )
    ).files
    assert files is not None
    assert files["complete"] is False


def test_more_than_is_kept_count_of_is_said(project: Project) -> None:
    files = seen(
        project,
        "# %%\nfrom octavo_runtime import observe\nobserve._current._left = 3\n"
        "for number in range(5):\n    open(f'made{number}', 'w').close()\n",
    )
    assert len(files["written"]) == 3
    assert files["complete"] is False


@pytest.mark.parametrize(
    "name", ["b'data/a.csv'", "'data/\\udcff'", "'x' * 100_000", "'\\0'", "[]"]
)
def test_odd_names_do_what_they_always_do(project: Project, name: str) -> None:
    expected = "FileNotFoundError OSError ValueError TypeError None"
    source = (
        f"# %%\ntry:\n    open({name}).read()\n    what = 'None'\nexcept Exception as error:\n"
        "    what = type(error).__name__\nprint(what)\n"
    )
    plain, observed = (project.run(source, observe=each) for each in (False, True))
    texts = [Path(each.notebook_path).read_text() for each in (plain, observed)]
    outputs = [text[text.index('"text": ') :][:60] for text in texts]
    assert outputs[0] == outputs[1]
    assert any(word in outputs[0] for word in expected.split())


def test_what_a_hostile_kernel_says_breaks_no_record(project: Project) -> None:
    result = project.run(
        "# %%\nsay = get_ipython().kernel.emitter.report\n"
        "say({'type': 'files-seen', 'read': 'abc', 'written': [[1], {'a': 2}, None]})\n"
        "say({'type': 'files-seen', 'read': 5})\n"
        "say({'type': 'files-seen', 'facts': [1, 'x'], 'complete': 'yes', 'final': 'no'})\n",
        observe=True,
    )
    files = project.record(result).files
    assert files is not None
    assert files["complete"] is False
