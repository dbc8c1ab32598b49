"""Measures a case: the entrants take turns, round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field

from bench.cases import Case, Entrant, Metric
from bench.figures import Rounds
from bench.measurement import Sample, TookTooLong
from bench.processes import Memory
from bench.tools import Tool
from bench.track import TROUBLES, Track, resident, time_once, weigh_once
from bench.work import two_cells

WEIGHINGS = 2


@dataclass
class Measured:
    """What the runs of one entrant gave: samples for each round, or why there are none."""

    rounds: list[list[Sample]] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    failure: str | None = None

    def values(self, metric: Metric) -> Rounds:
        """The figures of one kind, by round."""
        if metric in (Metric.RUNNER, Metric.TREE):
            return [[float(getattr(memory, metric)) for memory in self.memory]]
        of = "wall" if metric is Metric.TOLD_BYTES else str(metric)
        return [[float(getattr(sample, of)) for sample in one] for one in self.rounds]


Results = dict[str, Measured]


def warm_up(tools: Sequence[Tool], track: Track) -> None:
    """One run each, which does not count, fills the file caches; who fails here fails again."""
    for tool in tools:
        if tool.name not in track.unavailable:
            with suppress(*TROUBLES):
                time_once(Entrant(tool.label, tool, two_cells()), track, timeout=120)


def measure(case: Case, track: Track, tell: Callable[[str], None]) -> Results:
    """All rounds of a case. An entrant that fails once is out, with the reason."""
    results = {one.label: Measured() for one in case.entrants}
    for entrant in case.entrants:
        results[entrant.label].failure = track.unavailable.get(entrant.tool.name)
    for number in range(case.rounds):
        tell(f"{case.name}: round {number + 1} of {case.rounds}")
        first = number % len(case.entrants)
        for entrant in (*case.entrants[first:], *case.entrants[:first]):
            _one_round(case, entrant, results[entrant.label], track)
    for entrant in case.entrants:
        if entrant.weighed:
            tell(f"{case.name}: memory of {entrant.label}")
            _weigh(case, entrant, results[entrant.label], track)
    return results


def _one_round(case: Case, entrant: Entrant, measured: Measured, track: Track) -> None:
    samples: list[Sample] = []
    measured.rounds.append(samples)
    if measured.failure is None:
        with _failure_noted(measured), resident(track) if entrant.resident else nullcontext():
            for _ in range(entrant.repeats):
                samples.append(_timed(entrant, track, case.timeout))


def _timed(entrant: Entrant, track: Track, timeout: float) -> Sample:
    """One run; who gave up is taken to have ended just then, which is to his advantage."""
    if entrant.patience is None:
        return time_once(entrant, track, timeout)
    try:
        return time_once(entrant, track, entrant.patience)
    except TookTooLong:
        return Sample(entrant.patience, entrant.patience)


def _weigh(case: Case, entrant: Entrant, measured: Measured, track: Track) -> None:
    if measured.failure is None:
        with _failure_noted(measured):
            for _ in range(WEIGHINGS):
                measured.memory.append(weigh_once(entrant, track, case.timeout))


@contextmanager
def _failure_noted(measured: Measured) -> Iterator[None]:
    try:
        yield
    except TROUBLES as error:
        measured.failure = str(error)
