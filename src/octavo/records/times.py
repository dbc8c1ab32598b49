"""Times as records spell them: ISO 8601 in UTC, to the microsecond."""

from __future__ import annotations

import time
from functools import lru_cache


def iso(moment: float | None) -> str | None:
    """Seconds since the epoch as text."""
    if moment is None:
        return None
    seconds, micros = divmod(round(moment * 1_000_000), 1_000_000)
    return f"{_second(seconds)}.{micros:06}+00:00"


@lru_cache(maxsize=16)
def _second(seconds: int) -> str:
    year, month, day, hour, minute, second, *_ = time.gmtime(seconds)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"


def from_iso(text: str | None) -> float | None:
    """The inverse of `iso`."""
    if text is None:
        return None
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp()


def day(moment: float) -> str:
    """The date in UTC, as folders are named by it."""
    year, month, mday, *_ = time.gmtime(moment)
    return f"{year:04}-{month:02}-{mday:02}"
