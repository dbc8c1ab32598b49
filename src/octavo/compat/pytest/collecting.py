"""Notebooks among the files that pytest collects."""

from __future__ import annotations

import fnmatch
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.authoring.pairs import PASSED_OVER, is_text_notebook
from octavo.compat.pytest.checks import Checks
from octavo.compat.pytest.items import FINDINGS, NOTEBOOK, CellItem, NotebookItem, of_cells
from octavo.errors import OctavoError
from octavo.gate.selection import PRODUCTS

_TEXTS = (".py", ".md")
#: Where a worker is told which folder all of them share.
_SHARED = "octavo_shared"


class Notebooks:
    """The hooks that take part in a session with `--octavo`."""

    def __init__(self, config: pytest.Config) -> None:
        worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self.cells = bool(config.getoption("--octavo-cells"))
        self._own: Path | None = None
        self.checks = Checks(
            config.invocation_params.dir,
            strict=bool(config.getoption("--octavo-strict")),
            cells=self.cells,
            shared=Path(worker[_SHARED]) if worker else None,
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of xdist is about to start."""
        if self._own is None:
            self._own = Path(tempfile.mkdtemp(prefix="octavo-pytest-"))
        node.workerinput[_SHARED] = str(self._own)

    def pytest_unconfigure(self) -> None:
        self.checks.close()
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """A notebook is only a notebook: as a module it would be run by being imported."""
        found = yield
        if _is_wanted(file_path, parent):
            return [NotebookFile.from_parent(parent, path=file_path, notebooks=self)]
        return found


def _is_wanted(path: Path, parent: pytest.Collector) -> bool:
    if path.suffix not in (".ipynb", *_TEXTS) or path.name.startswith("."):
        return False
    named = parent.session.isinitpath(path)
    if not named and _is_passed_over(path, parent.session):
        return False
    if path.suffix == ".ipynb":
        return named or not any(_is_text(path.with_suffix(each)) for each in _TEXTS)
    return not _is_test(path, parent.config) and _is_text(path)


def _is_text(path: Path) -> bool:
    try:
        return path.is_file() and is_text_notebook(path, path.read_bytes())
    except OSError:
        return False


def _is_test(path: Path, config: pytest.Config) -> bool:
    """Whether pytest takes a file for tests by its name: then it stays that."""
    patterns = config.getini("python_files")
    return path.suffix == ".py" and any(fnmatch.fnmatch(path.name, each) for each in patterns)


def _is_passed_over(path: Path, session: pytest.Session) -> bool:
    """Whether it lies in a folder of executed notebooks or other products, which nobody named."""
    for folder in path.parents:
        if session.isinitpath(folder) or folder == session.config.rootpath:
            return False
        if folder.name in PASSED_OVER or folder.name in PRODUCTS or folder.name.startswith("."):
            return True
    return False


class NotebookFile(pytest.File):
    """A notebook."""

    def __init__(self, notebooks: Notebooks, **given: Any) -> None:
        super().__init__(**given)
        self.notebooks = notebooks

    def collect(self) -> Iterator[pytest.Item]:
        checks = self.notebooks.checks
        name = FINDINGS if self.notebooks.cells else NOTEBOOK
        yield NotebookItem.from_parent(
            self, name=name, checks=checks, beside_cells=self.notebooks.cells
        )
        if not self.notebooks.cells:
            return
        try:
            wanted = list(of_cells(self.path))
        except OctavoError:
            # What is wrong is told by the item of the whole notebook.
            return
        for name, cell in wanted:
            # Told as text, so that pytest takes it apart as it does when it reads what failed last.
            known = f"{self.nodeid}::{name}"
            yield CellItem.from_parent(self, name=name, nodeid=known, checks=checks, cell=cell)
