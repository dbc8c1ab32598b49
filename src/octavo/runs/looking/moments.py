"""Moments as people give them: an age, a day, a date."""

from __future__ import annotations

import time

from octavo.errors import UsageError
from octavo.requests import seconds

_DAY = 86400.0


def moment(text: str, now: float) -> float:
    """Seconds since the epoch for `2h` (ago), `today`, `yesterday`, or an ISO date and time.

    Dates without a zone are those of the local clock.
    """
    year, month, day, *_ = time.localtime(now)
    today = time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))
    if text in ("today", "yesterday"):
        return today if text == "today" else today - _DAY
    try:
        return now - seconds(text)
    except ValueError:
        pass
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise UsageError(
            "wrong-argument",
            f"{text!r} is no time",
            hint="write 90m, 2h, 3d, today, 2026-01-31 or 2026-01-31T08:00",
        ) from None
