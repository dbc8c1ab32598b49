"""What all tests of workflows share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.projects import installing


@pytest.fixture(scope="session")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a machine on which workflows install this clone."""
    return installing(Path(tmp_path_factory.mktemp("wheels")) / "house")
