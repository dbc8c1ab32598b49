"""What `docs/running.md` says is so."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from octavo.events.types import Reason
from octavo.records.result import FailedCell, RunResult

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "running.md").read_text(encoding="utf-8")


def test_every_reason_is_explained() -> None:
    for reason in get_args(Reason):
        assert f"`{reason}`" in PAGE


def test_every_key_of_a_result_is_explained() -> None:
    for name in (*RunResult._fields, *FailedCell._fields):
        assert f"`{name}`" in PAGE
