"""From samples to figures: medians with their spread, ratios round by round, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from statistics import median


class Verdict(StrEnum):
    """How a figure stands to its target."""

    MET = "met"
    NARROWLY = "met, noise reaches over it"
    MISSED = "missed"
    FAILED = "failed"
    SHOWN = "no target"


@dataclass(frozen=True)
class Spread:
    """A median with the smallest and the largest of the values behind it."""

    median: float
    low: float
    high: float
    count: int


Rounds = Sequence[Sequence[float]]
"""The values of one contestant: a sequence for each round, which may be empty."""


def spread(rounds: Rounds) -> Spread:
    """Over all values of all rounds."""
    values = [value for one in rounds for value in one]
    return Spread(median(values), min(values), max(values), len(values))


def ratio(ours: Rounds, theirs: Rounds) -> Spread:
    """Only values of the same round are compared, so that a slow minute slows both sides.

    The median is that of the rounds' ratios; low and high are over every pair within a round.
    """
    together = [(a, b) for a, b in zip(ours, theirs, strict=False) if a and b]
    pairs = [x / y for a, b in together for x, y in product(a, b)]
    middle = median([median(a) / median(b) for a, b in together])
    return Spread(middle, min(pairs), max(pairs), len(together))


def less(rounds: Rounds, base: Rounds) -> list[list[float]]:
    """Every value without its round's median of the base: work without start-up."""
    return [
        [value - median(under) for value in one] if under else []
        for one, under in zip(rounds, base, strict=False)
    ]


def verdict(figure: Spread, limit: float | None) -> Verdict:
    """The median decides; that the spread reaches over the limit is said."""
    if limit is None:
        return Verdict.SHOWN
    if figure.median > limit:
        return Verdict.MISSED
    return Verdict.MET if figure.high <= limit else Verdict.NARROWLY
