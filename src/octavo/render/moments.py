"""Moments as forges write them."""

from __future__ import annotations

from datetime import datetime


def seconds_of(moment: str) -> float | None:
    """An ISO 8601 moment in seconds since 1970; None for what is none."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError):
        return None
