"""Durations, sizes, moments and values as people read them."""

from __future__ import annotations

import json
from typing import Any

from octavo.events.spilled import size_text
from octavo.render.columns import one_line

__all__ = ["ago", "counted", "duration", "size_text", "value_text"]


def duration(seconds: float) -> str:
    """45 ms, 1.2 s, 1 m 05 s, 2 h 03 m."""
    if seconds < 0.0995:
        return f"{max(0.0, seconds) * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} m"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def ago(seconds: float) -> str:
    """How long ago something was, in one unit."""
    if seconds < 10:
        return "just now"
    for unit, length in (("s", 1), ("min", 60), ("h", 3600)):
        limit = {"s": 60, "min": 3600, "h": 86400}[unit]
        if seconds < limit:
            return f"{int(seconds // length)} {unit} ago"
    days = int(seconds // 86400)
    return f"{days} day{'s' if days != 1 else ''} ago"


def counted(number: int, noun: str, plural: str = "") -> str:
    """1 cell, 2 cells."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def value_text(value: Any, columns: int = 60) -> str:
    """A scrap or a parameter in one line: text as it is, everything else as JSON."""
    if isinstance(value, str):
        return one_line(value, columns)
    return one_line(json.dumps(value, ensure_ascii=False, default=str), columns)
