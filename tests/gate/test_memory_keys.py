"""The key of a notebook changes with what a verdict depends on, and with nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.app.context import Context
from octavo.gate.memory import Keys
from octavo.gate.memory.keys import _kernel_names

SOURCE = b"# %%\nprint(1)\n"


class Tree:
    """A project with a notebook and an environment of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notebook = root / "notebooks" / "nb.py"
        self.notebook.parent.mkdir()
        self.notebook.write_bytes(SOURCE)
        (root / "octavo.toml").write_text("")
        self.site = make_environment(root / ".venv")

    def key(
        self, source: bytes = SOURCE, options: Any = None, notebook: Path | None = None, **env: str
    ) -> str | None:
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"), **env}
        context = Context(cwd=str(self.root), environ=environ)
        return Keys(context, options or {"strict": False}).of(notebook or self.notebook, source)


def make_environment(root: Path) -> Path:
    """What can be seen of an environment from outside."""
    site = root / "lib" / "python3.11" / "site-packages"
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python").symlink_to("/bin/true")
    (root / "pyvenv.cfg").write_text("home = /usr/bin\nversion_info = 3.11.4\n")
    (site / "IPython").mkdir(parents=True)
    (site / "IPython" / "__init__.py").write_text("")
    (site / "ipython-9.0.0.dist-info").mkdir()
    return site


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_the_same_gives_the_same(tree: Tree) -> None:
    before = tree.key()
    assert before is not None
    assert tree.key() == before


def test_source_options_and_lock_count(tree: Tree) -> None:
    keys = [tree.key(), tree.key(b"# %%\nprint(2)\n"), tree.key(options={"strict": True})]
    (tree.root / "uv.lock").write_text("version = 1\n")
    keys.append(tree.key())
    (tree.root / "uv.lock").write_text("version = 2\n")
    keys.append(tree.key())
    assert len({*keys}) == 5
    assert None not in keys


@pytest.mark.parametrize("name", ["nb.expected.toml", "nb.expected/1.png", "nb.ipynb"])
def test_references_count(tree: Tree, name: str) -> None:
    keys = {tree.key()}
    file = tree.notebook.parent / name
    file.parent.mkdir(exist_ok=True)
    for content in (b"1", b"2"):
        file.write_bytes(content)
        keys.add(tree.key())
    assert len(keys) == 3


def test_installing_upgrading_and_rebuilding_a_package_count(tree: Tree) -> None:
    keys = [tree.key()]
    own = tree.site / "own-1.0.dist-info"
    own.mkdir()
    keys.append(tree.key())
    (own / "direct_url.json").write_text("{}")
    (own / "RECORD").write_text("own.py,sha256=1,1\n")
    keys.append(tree.key())
    (own / "RECORD").write_text("own.py,sha256=2,1\n")
    keys.append(tree.key())
    own.rename(tree.site / "own-1.1.dist-info")
    keys.append(tree.key())
    (tree.root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion_info = 3.11.5\n")
    keys.append(tree.key())
    assert len({*keys}) == 6


def test_another_place_and_compiled_files_do_not_count(
    tree: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tree.site / "__pycache__").mkdir()
    assert Tree(tmp_path_factory.mktemp("elsewhere")).key() == tree.key()


def test_variables_that_are_passed_on_count_and_others_do_not(tree: Tree) -> None:
    assert tree.key() == tree.key(TERM="vt100", SSH_TTY="1", UNRELATED="x", HOSTNAME="here")
    assert tree.key() != tree.key(TZ="Europe/Berlin")
    (tree.root / "octavo.toml").write_text('env = ["REGION", "API_*"]\n')
    keys = {tree.key(REGION=region, API_KEY=key) for region in "ab" for key in "cd"}
    assert len(keys) == 4
    assert tree.key() is None  # REGION is not set: the run will say so


def test_another_python_behind_the_same_environment_counts(tree: Tree) -> None:
    before = tree.key()
    python = tree.root / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/bin/sh")
    assert tree.key() not in (None, before)


def test_what_the_configuration_gives_to_kernels_counts(tree: Tree) -> None:
    before = tree.key()
    (tree.root / "octavo.toml").write_text("scrapbook-shim = true\n")
    assert tree.key() not in (None, before)


def test_files_of_variables_count(tree: Tree) -> None:
    (tree.root / "octavo.toml").write_text('env-files = [".env"]\n')
    keys = set()
    for content in ("A=1\n", "A=2\n"):
        (tree.root / ".env").write_text(content)
        keys.add(tree.key())
    assert None not in keys
    assert len(keys) == 2


def test_an_environment_that_is_not_ready_has_no_key(tree: Tree) -> None:
    script = b"# /// script\n# dependencies = []\n# ///\n# %%\n1\n"
    assert tree.key(script) is None
    (tree.root / ".venv" / "bin" / "python").unlink()
    assert tree.key() is None


def test_a_notebook_that_belongs_to_another_environment_has_its_packages(tree: Tree) -> None:
    inner = tree.notebook.parent / "inner"
    site = make_environment(inner / ".venv")
    before = tree.key(notebook=inner / "nb.py")
    (site / "more-1.dist-info").mkdir()
    assert tree.key(notebook=inner / "nb.py") != before


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"# %%\n1\n", []),
        (json.dumps({"metadata": {"kernelspec": {"name": "python3"}}}).encode(), ["python3"]),
        (
            json.dumps(
                {"metadata": {"kernelspec": {"display_name": "X", "language": "x", "name": "my"}}},
                indent=1,
            ).encode(),
            ["my"],
        ),
        (
            b"# ---\n# jupyter:\n#   kernelspec:\n#     display_name: M\n#     name: mine\n# ---\n",
            ["mine"],
        ),
        (b"---\nkernelspec:\n  display_name: Mine\n  name: mine\n---\n", ["mine"]),
        (json.dumps({"cells": ['{"kernelspec": {"name": "in a text"}}']}).encode(), []),
    ],
)
def test_names_of_kernels_are_found_without_parsing(source: bytes, names: list[str]) -> None:
    assert list(_kernel_names(source)) == names


def test_the_kernel_that_a_notebook_was_saved_with_decides_where_nothing_else_does(
    tree: Tree, tmp_path: Path
) -> None:
    alone = tmp_path / "alone"
    site = make_environment(tmp_path / "kernels-own")
    spec = tmp_path / "home" / ".local" / "share" / "jupyter" / "kernels" / "mine"
    spec.mkdir(parents=True)
    python = str(tmp_path / "kernels-own" / "bin" / "python")
    argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(
        json.dumps({"argv": argv, "language": "python", "display_name": "Mine"})
    )
    alone.mkdir()
    (tmp_path / ".venv").rename(tmp_path / "no-venv")
    source = json.dumps({"metadata": {"kernelspec": {"name": "mine"}}}).encode()
    notebook = alone / "nb.ipynb"
    before = tree.key(source, notebook=notebook)
    (site / "more-1.dist-info").mkdir()
    assert before is not None
    assert tree.key(source, notebook=notebook) != before
