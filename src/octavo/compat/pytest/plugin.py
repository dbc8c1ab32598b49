"""`pytest --octavo`: pytest finds this by its entry point, in every run of every project.

So nothing is loaded here: what checks notebooks comes with `--octavo`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_OPTIONS = {
    "--octavo": "check notebooks: each runs in a clean kernel, and is one item",
    "--octavo-strict": "as --octavo, and compare the outputs of all cells",
    "--octavo-cells": "as --octavo, with an item for each cell",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("octavo", "notebooks (octavo)")
    for name, told in _OPTIONS.items():
        group.addoption(name, action="store_true", default=False, help=told)


def pytest_configure(config: pytest.Config) -> None:
    if any(config.getoption(name) for name in _OPTIONS):
        from octavo.compat.pytest.collecting import Notebooks

        config.pluginmanager.register(Notebooks(config), "octavo-notebooks")
