"""Notebooks that octavo ran, once for all tests of a worker."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ecosystem import making
from ecosystem.making import Executed


@pytest.fixture(scope="session")
def run_by_octavo(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Executed]:
    """An executed notebook by its name; each is run when a test first asks for it."""
    folder = tmp_path_factory.mktemp("ecosystem")
    made: dict[str, Executed] = {}

    def find(name: str) -> Executed:
        if name not in made:
            made[name] = making.make(name, folder)
        return made[name]

    return find


@pytest.fixture(params=making.names())
def executed(request: pytest.FixtureRequest, run_by_octavo: Callable[[str], Executed]) -> Executed:
    """Each of the executed notebooks."""
    return run_by_octavo(request.param)
