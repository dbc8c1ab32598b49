"""Servers that misbehave, for tests of forges."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from forges.hostile_server import Hostile, hostile_server


@pytest.fixture
def hostile() -> Iterator[Hostile]:
    with hostile_server() as server:
        yield server
