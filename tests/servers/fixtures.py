"""Fixtures that hand out real servers; `tests/conftest.py` makes them known to all tests."""

from __future__ import annotations

import os

import pytest

from servers import gitea as real


@pytest.fixture(scope="session")
def gitea() -> real.Gitea:
    """A real Gitea that all tests of the session share."""
    if not real.is_built():
        pytest.skip("needs a real Gitea: run `make servers` once")
    workers = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if workers:
        return real.running(workers[:16], os.getppid())
    return real.running(f"p{os.getpid()}", os.getpid())
