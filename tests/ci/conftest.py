"""What all tests of workflows share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.projects import installed, installing


@pytest.fixture(scope="session")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a machine on which workflows install this clone."""
    return installing(Path(tmp_path_factory.mktemp("wheels")) / "house")


@pytest.fixture(scope="session")
def ready(variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a machine on which this clone is installed already."""
    return installed(Path(tmp_path_factory.mktemp("ready")) / "environment", variables)
