"""The suite that every forge passes, on a server that is held to GitHub's own description."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forges.github_bench import GitHubBench, github
from octavo.forges.conformance import SUITE, Check

#: What GitHub says of its API comes from npm, once.
pytestmark = pytest.mark.network


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[GitHubBench]:
    with github(tmp_path) as made:
        yield made


@pytest.mark.parametrize("check", SUITE, ids=lambda check: f"{check.room}-{check.name}")
def test_github_passes_the_suite(check: Check, bench: GitHubBench) -> None:
    check.drive(bench)
