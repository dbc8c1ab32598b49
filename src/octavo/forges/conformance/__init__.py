"""A suite that every forge can run: `for check in SUITE: check.drive(bench)`.

Each check wants a `Bench` of its own. A forge that lacks something says so by the names in
`CAPABILITIES`; the caller leaves out what needs it, with `Check.lacking`.
"""

from __future__ import annotations

from octavo.forges.conformance import (
    attachments,
    branches,
    comments,
    merging,
    proposals,
    reviews,
    statuses,
    texts,
)
from octavo.forges.conformance.bench import Bench
from octavo.forges.conformance.check import CAPABILITIES, Check

__all__ = ["CAPABILITIES", "SUITE", "Bench", "Check"]

SUITE: tuple[Check, ...] = tuple(
    check
    for module in (
        proposals,
        texts,
        attachments,
        comments,
        reviews,
        statuses,
        merging,
        branches,
    )
    for check in module.room.checks
)
