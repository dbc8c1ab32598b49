"""Imports that the environment of a notebook cannot serve."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.environments.launch import Environment
from octavo.gate.preflight.examine import examine
from octavo.sources import read_source


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """An environment with a few modules, none of which anybody starts."""
    root = tmp_path / "venv"
    site = root / "lib" / "python3.11" / "site-packages"
    for name in ("package/__init__.py", "single.py", "native.cpython-311.so", "ns/part/x.py"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("")
    (root / "pyvenv.cfg").write_text("version = 3.11.1\nhome = /nowhere\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "added.py").write_text("")
    (site / "added.pth").write_text(f"{tmp_path / 'elsewhere'}\nimport sys\n")
    (site / "__editable___mine_finder.py").write_text("MAPPING = {'mine': '/x/mine'}\n")
    (site / "_built_editable_loader.py").write_text('install({"built"}, "/x/build")\n')
    return Environment(str(root / "bin" / "python"), "for the test", "venv", str(root))


def missing(tmp_path: Path, environment: Environment, *cells: str) -> list[tuple[str, str]]:
    path = tmp_path / "work" / "nb.py"
    path.parent.mkdir(exist_ok=True)
    (path.parent / "beside.py").write_text("")
    path.write_text("\n".join(f"# %%\n{cell}" for cell in cells))
    return [
        (found.message.split("`")[1], found.severity)
        for found in examine(read_source(path), "nb.py", environment)
        if found.rule == "missing-import"
    ]


FINE = (
    "import os, json.decoder",
    "import package.sub as p",
    "from single import x",
    "import native",
    "import ns.part",
    "import added",
    "import mine",
    "import beside",
    "import IPython",
    "try:\n    import nowhere\nexcept ImportError:\n    nowhere = None",
    "try:\n    import nowhere\nexcept ModuleNotFoundError:\n    pass",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import nowhere",
    "import contextlib\nwith contextlib.suppress(ImportError):\n    import nowhere",
    "from single import raises\nwith raises(ImportError):\n    import nowhere",
    "import sys\nsys.path.append('x')\nimport nowhere",
    "%%writefile nowhere.py\nx = 1\n# %%\nimport nowhere",
    "%%bash\necho x=1 > nowhere.py\n# %%\nimport nowhere",
    "!echo x=1 > nowhere.py\nimport nowhere",
    "with open('nowhere.py', 'w') as f:\n    f.write('')\nimport nowhere",
    "import os\nos.makedirs('nowhere')\nimport nowhere",
    "import os\nos.makedirs('lib/nowhere')\n# %%\ncd lib\n# %%\nimport nowhere",
    "!git clone https://example.org/x.git\nimport nowhere",
    "import nowhere  # in a cell that is skipped\n# NBVAL_SKIP",
    "# NBVAL_RAISES_EXCEPTION\nimport nowhere",
    "import sys\nsys.exit()\nimport nowhere",
    "import built",
    "import distutils",
    "%pip install nowhere\nimport nowhere",
    "from . import nowhere",
    '# /// script\n# dependencies = ["nowhere>=2"]\n# ///\nimport nowhere',
)


@pytest.mark.parametrize("cell", FINE)
def test_imports_that_may_be_served(tmp_path: Path, environment: Environment, cell: str) -> None:
    assert missing(tmp_path, environment, cell) == []


@pytest.mark.parametrize(
    ("cell", "severity"),
    [
        ("import nowhere", "error"),
        ("from nowhere.sub import x", "error"),
        ("with open('x'):\n    import nowhere", "error"),
        ("def f():\n    import nowhere", "warning"),
        ("import sys\nif sys.argv:\n    import nowhere", "warning"),
        (
            "try:\n    import os\nexcept ImportError:\n    pass\nelse:\n    import nowhere",
            "warning",
        ),
    ],
)
def test_imports_that_cannot_be_served(
    tmp_path: Path, environment: Environment, cell: str, severity: str
) -> None:
    assert missing(tmp_path, environment, cell) == [("nowhere", severity)]


def test_a_module_of_the_project_that_is_not_installed_is_a_warning(
    tmp_path: Path, environment: Environment
) -> None:
    (tmp_path / "work" / "src" / "ours").mkdir(parents=True)
    (tmp_path / "work" / "pyproject.toml").write_text("")
    assert missing(tmp_path, environment, "import ours") == [("ours", "warning")]
    assert environment.root is not None
    site = Path(environment.root, "lib", "python3.11", "site-packages")
    (site / "ours.pth").write_text(f"{tmp_path / 'work' / 'src'}\n")
    assert missing(tmp_path, environment, "import ours") == []


def test_an_environment_that_is_still_to_be_built_says_nothing(
    tmp_path: Path, environment: Environment
) -> None:
    later = environment.replace(kind="script", root=str(tmp_path / "not-yet"))
    assert missing(tmp_path, later, "import nowhere") == []


def test_a_module_that_was_installed_meanwhile_is_seen(
    tmp_path: Path, environment: Environment
) -> None:
    assert missing(tmp_path, environment, "import fresh") == [("fresh", "error")]
    assert environment.root is not None
    site = Path(environment.root, "lib", "python3.11", "site-packages")
    (site / "fresh.py").write_text("")
    assert missing(tmp_path, environment, "import fresh") == []


def test_words_of_prose_and_texts_do_not_hide_a_missing_module(
    tmp_path: Path, environment: Environment
) -> None:
    found = missing(
        tmp_path,
        environment,
        "import nowhere\nprint('uses nowhere a lot')",
        "x = 1\n# %% [markdown]\n# First install all, then cd into it",
    )
    assert found == [("nowhere", "error")]


def test_where_the_run_may_be_over_a_missing_module_is_a_warning(
    tmp_path: Path, environment: Environment
) -> None:
    cells = ("import sys\nif sys.argv:\n    sys.exit()", "import nowhere")
    assert missing(tmp_path, environment, *cells) == [("nowhere", "warning")]


def test_the_standard_library_is_that_of_the_notebooks_own_python(tmp_path: Path) -> None:
    root, home = tmp_path / "venv", tmp_path / "other"
    for name in ("os.py", "brandnew/__init__.py", "lib-dynload/_fast.cpython-399.so"):
        (home / "lib" / "python3.99" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "lib" / "python3.99" / name).write_text("")
    root.mkdir()
    (root / "pyvenv.cfg").write_text(f"version = 3.99.1\nhome = {home / 'bin'}\n")
    environment = Environment(str(root / "bin" / "python"), "for the test", "venv", str(root))
    cell = "import brandnew, os, sys, _fast, asyncore"
    assert missing(tmp_path, environment, cell) == [("asyncore", "error")]


def test_syntax_of_a_newer_python_is_not_refused(tmp_path: Path, environment: Environment) -> None:
    text = "# %%\nmatch = 1 := 2\n"
    (tmp_path / "nb.py").write_text(text)
    source = read_source(tmp_path / "nb.py")
    assert [found.rule for found in examine(source, "nb.py", environment)] == ["syntax"]
    assert environment.root is not None
    Path(environment.root, "pyvenv.cfg").write_text("version = 3.99.1\nhome = /nowhere\n")
    assert examine(source, "nb.py", environment) == ()
