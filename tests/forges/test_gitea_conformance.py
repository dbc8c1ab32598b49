"""A real Gitea passes the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from forges.gitea_bench import GiteaBench
from octavo.forges.conformance import SUITE, Check
from servers.gitea import Gitea


@pytest.mark.parametrize("check", SUITE, ids=lambda check: f"{check.room}-{check.name}")
def test_gitea_conforms(check: Check, gitea: Gitea, tmp_path: Path) -> None:
    check.drive(GiteaBench(gitea, tmp_path))
