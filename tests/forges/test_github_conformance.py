"""The suite that every forge passes, on a server that is held to GitHub's own description."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forges.github_bench import GitHubBench
from forges.github_server import GitHubServer
from octavo.forges.conformance import SUITE, Check


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[GitHubBench]:
    server = GitHubServer(tmp_path / "github")
    try:
        yield GitHubBench(server, tmp_path)
        assert not server.mismatches
    finally:
        server.close()


@pytest.mark.parametrize("check", SUITE, ids=lambda check: f"{check.room}-{check.name}")
def test_github_passes_the_suite(check: Check, bench: GitHubBench) -> None:
    check.drive(bench)
