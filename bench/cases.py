"""What is measured, and what is to be reached: the table that Octavo's speed is judged by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from bench.checking import NBVAL, OCTAVO_CHECK, OCTAVO_UNCHANGED, tree
from bench.diffing import NBDIME, OCTAVO_DIFF, OCTAVO_SHOWN, pair
from bench.sessions import JUPYTER_CLIENT, OCTAVO_SESSION, edit_behind, idle, round_trips
from bench.snapshots import GIGABYTE, KISHU, LIVE, OCTAVO_BACK, TABLES, restoring
from bench.tools import NBCLIENT, OCTAVO, OCTAVO_IN_JUPYTER, PAPERMILL, PLOOMBER, PYTHON, Tool
from bench.work import (
    HELP,
    MEGABYTE,
    Work,
    many_cells,
    many_notebooks,
    printing,
    silent_cells,
    two_cells,
)


class Metric(StrEnum):
    """What a figure is of."""

    WALL = "wall"
    CPU = "cpu"
    RUNNER = "runner"
    TREE = "tree"
    TOLD_BYTES = "told-bytes"


@dataclass(frozen=True)
class Entrant:
    """A tool with its work; `repeats` is how often it runs in each round.

    One that takes longer than its `patience` gave up: it counts as if it had taken just that.
    One that is `primed` has run in the same folder before, which does not count.
    """

    label: str
    tool: Tool
    work: Work
    repeats: int = 1
    resident: bool = False
    weighed: bool = False
    patience: float | None = None
    primed: bool = False


@dataclass(frozen=True)
class Claim:
    """`subject` divided by `against` (or its plain figure) is to stay at or under the limit.

    With `less`, the figure of that entrant is taken from both sides first.
    """

    says: str
    subject: str
    against: str | None = None
    limit: float | None = None
    metric: Metric = Metric.WALL
    less: str | None = None


@dataclass(frozen=True)
class Case:
    """Entrants that take turns for some rounds, and the claims that their figures must bear."""

    name: str
    title: str
    rounds: int
    entrants: tuple[Entrant, ...]
    claims: tuple[Claim, ...]
    metric: Metric = Metric.WALL
    timeout: float = 240.0

    def only_with(self, tools: set[str]) -> Case:
        """The same case among fewer contestants; claims about the missing ones go too."""
        entrants = tuple(one for one in self.entrants if one.tool.name in tools)
        labels = {one.label for one in entrants} | {None}
        claims = (c for c in self.claims if {c.subject, c.against, c.less} <= labels)
        return replace(self, entrants=entrants, claims=tuple(claims))

    def indicative(self) -> Case:
        """Ratios without targets, which are meant for the full work; plain limits always hold."""
        claims = (c if c.against is None else replace(c, limit=None) for c in self.claims)
        return replace(self, claims=tuple(claims))


@dataclass(frozen=True)
class Scale:
    """How much work, and how many rounds; a quick look has less of both."""

    rounds: int
    slow_rounds: int
    slowest_rounds: int
    notebooks: int
    cells: int
    printing_cells: int
    megabytes: int
    growth_cells: int
    growth_megabytes: int
    diff_cells: int
    diff_patience: float
    checked: int
    rows: int
    round_trips: int
    long_cell: float
    sessions: int


FULL = Scale(9, 3, 2, 50, 300, 100, 100, 1000, 10, 100, 100, 20, 500_000, 500, 20.0, 100)
QUICK = Scale(3, 1, 1, 10, 60, 20, 15, 250, 5, 20, 30, 5, 50_000, 100, 2.0, 10)


def all_cases(scale: Scale) -> tuple[Case, ...]:
    """Every case at this scale, in the order in which they are measured."""
    scaled = _scaled_cases(scale)
    if scale != FULL:
        scaled = tuple(case.indicative() for case in scaled)
    return (_two_cells_cold(scale), _two_cells_resident(scale), *scaled, _help(scale))


def _scaled_cases(scale: Scale) -> tuple[Case, ...]:
    cells, trivial = scale.cells, f"{scale.cells} trivial cells"
    return (
        _many_notebooks(scale),
        _many_cells("cells", trivial, many_cells(cells), scale),
        _many_cells("silent-cells", f"{trivial} without output", silent_cells(cells), scale),
        _printing_cells(scale),
        _one_loud_cell(scale),
        *_through_ipykernel(scale),
        _growth_of_cells(scale),
        _growth_of_output(scale, cells=1),
        _growth_of_output(scale, cells=10),
        *_diffs(scale),
        *_checks(scale),
        *_going_back(scale),
        *_sessions(scale),
    )


def _against(tool: Tool, limit: float | None = None) -> Claim:
    return Claim(f"octavo / {tool.label}", OCTAVO.label, tool.label, limit)


def _two_cells_cold(scale: Scale) -> Case:
    work = two_cells()
    tools = (OCTAVO, PAPERMILL, NBCLIENT, PLOOMBER, PYTHON)
    entrants = tuple(Entrant(tool.label, tool, work) for tool in tools)
    claims = (_against(PAPERMILL, 0.15), *map(_against, (NBCLIENT, PLOOMBER, PYTHON)))
    title = "one two-cell notebook, cold, whole command"
    return Case("two-cells", title, scale.rounds, entrants, claims)


def _two_cells_resident(scale: Scale) -> Case:
    work = two_cells()
    entrants = (
        Entrant(OCTAVO.label, OCTAVO, work, repeats=2, resident=True),
        Entrant(PAPERMILL.label, PAPERMILL, work),
        Entrant(PYTHON.label, PYTHON, work, repeats=2),
    )
    claims = (_against(PAPERMILL, 0.05), _against(PYTHON))
    title = "the same with a resident zygote"
    return Case("resident", title, scale.rounds, entrants, claims)


def _many_notebooks(scale: Scale) -> Case:
    work = many_notebooks(scale.notebooks)
    entrants = (
        Entrant(OCTAVO.label, OCTAVO, work, repeats=3),
        Entrant(PAPERMILL.label, PAPERMILL, work),
        Entrant(PYTHON.label, PYTHON, work),
    )
    claims = (_against(PAPERMILL, 0.04), _against(PYTHON))
    title = f"{scale.notebooks} such notebooks, `octavo run -j 2` and `xargs -P2 papermill`"
    return Case("notebooks", title, scale.slowest_rounds, entrants, claims)


def _many_cells(name: str, title: str, work: Work, scale: Scale) -> Case:
    entrants = (
        Entrant(OCTAVO.label, OCTAVO, work, repeats=3),
        Entrant(PAPERMILL.label, PAPERMILL, work),
        Entrant(NBCLIENT.label, NBCLIENT, work),
        Entrant(PLOOMBER.label, PLOOMBER, work),
    )
    claims = (_against(PAPERMILL, 0.025), _against(NBCLIENT, 0.20), _against(PLOOMBER))
    return Case(name, title, scale.slowest_rounds, entrants, claims)


def _printing_cells(scale: Scale) -> Case:
    work = printing(scale.printing_cells, 100_000)
    entrants = (
        Entrant(OCTAVO.label, OCTAVO, work, repeats=3),
        Entrant(PAPERMILL.label, PAPERMILL, work),
        Entrant(NBCLIENT.label, NBCLIENT, work),
        Entrant(PLOOMBER.label, PLOOMBER, work),
    )
    claims = (_against(PAPERMILL, 0.10), _against(NBCLIENT), _against(PLOOMBER))
    title = f"{scale.printing_cells} cells of 100 kB output each"
    return Case("output", title, scale.slow_rounds, entrants, claims)


def _one_loud_cell(scale: Scale) -> Case:
    work = printing(1, scale.megabytes * MEGABYTE)
    entrants = (
        Entrant(OCTAVO.label, OCTAVO, work, repeats=2, weighed=True),
        Entrant(NBCLIENT.label, NBCLIENT, work, weighed=True),
        Entrant(PYTHON.label, PYTHON, work),
    )
    runner, tree = "peak memory of the runner", "peak memory of all its processes"
    claims = (
        _against(NBCLIENT, 0.40),
        _against(PYTHON),
        Claim(f"octavo: {runner}", OCTAVO.label, None, 150e6, Metric.RUNNER),
        Claim(f"octavo: {tree}", OCTAVO.label, None, 150e6, Metric.TREE),
        Claim(f"{NBCLIENT.label}: {runner}", NBCLIENT.label, None, None, Metric.RUNNER),
        Claim(f"{NBCLIENT.label}: {tree}", NBCLIENT.label, None, None, Metric.TREE),
    )
    title = f"{scale.megabytes} MB printed by one cell"
    return Case("loud", title, scale.slow_rounds, entrants, claims)


def _through_ipykernel(scale: Scale) -> tuple[Case, ...]:
    """All in the same kernel: what is left is the way to it. Nobody has agreed on targets here."""
    works = (
        ("ipykernel-start", "two cells, all in ipykernel", two_cells(), scale.slow_rounds),
        ("ipykernel-cells", f"{scale.cells} trivial cells, all in ipykernel",
         many_cells(scale.cells), scale.slowest_rounds),
        ("ipykernel-loud", f"{scale.megabytes} MB printed by one cell, all in ipykernel",
         printing(1, scale.megabytes * MEGABYTE), scale.slowest_rounds),
    )  # fmt: skip
    return tuple(_all_in_ipykernel(*work) for work in works)


def _all_in_ipykernel(name: str, title: str, work: Work, rounds: int) -> Case:
    ours = OCTAVO_IN_JUPYTER
    # Papermill takes minutes for 100 MB, and says nothing that jupyter execute does not say.
    peers = (NBCLIENT,) if name.endswith("loud") else (PAPERMILL, NBCLIENT)
    entrants = tuple(Entrant(tool.label, tool, work) for tool in (ours, *peers))
    claims = tuple(Claim(f"octavo / {peer.label}", ours.label, peer.label) for peer in peers)
    return Case(name, title, rounds, entrants, claims)


def _growth_of_cells(scale: Scale) -> Case:
    few, many = scale.growth_cells, scale.growth_cells * 4
    title = f"growth from {few:,} to {many:,} cells"
    works = (many_cells(few), many_cells(many))
    return _growth("growth-cells", title, scale, (f"{few:,} cells", f"{many:,} cells"), works)


def _growth_of_output(scale: Scale, cells: int) -> Case:
    """One cell meets the cap on output; spread over ten cells, everything stays in the notebook."""
    few, much = scale.growth_megabytes, scale.growth_megabytes * 4
    where = "one cell" if cells == 1 else f"{cells} cells"
    name = "growth-output" if cells == 1 else "growth-outputs"
    title = f"growth from {few} to {much} MB of output of {where}"
    works = (
        printing(cells, few * MEGABYTE // cells),
        printing(cells, much * MEGABYTE // cells),
    )
    return _growth(name, title, scale, (f"{few} MB", f"{much} MB"), works)


def _growth(
    name: str, title: str, scale: Scale, sizes: tuple[str, str], works: tuple[Work, Work]
) -> Case:
    start, small, large = (f"octavo, {size}" for size in ("two cells", *sizes))
    entrants = (
        Entrant(start, OCTAVO, two_cells(), repeats=2),
        Entrant(small, OCTAVO, works[0], repeats=2),
        Entrant(large, OCTAVO, works[1]),
    )
    claims = (
        Claim(f"{sizes[1]} / {sizes[0]}", large, small, 4.4),
        Claim("the same without start-up", large, small, None, Metric.WALL, start),
    )
    return Case(name, title, scale.slow_rounds, entrants, claims)


def _diffs(scale: Scale) -> tuple[Case, ...]:
    few = scale.diff_cells
    return (
        _diff_of(few, 1000, f"two notebooks of {few} cells compared", scale.diff_patience, scale),
        _diff_of(5 * few, 20_000, f"{5 * few} cells with {few // 10} MB of outputs compared",
                 scale.diff_patience / 5, scale),
        _growth_of_diff(scale),
    )  # fmt: skip


def _diff_of(cells: int, each: int, title: str, patience: float, scale: Scale) -> Case:
    """Every output is changed, and ten sources; nbdime is waited for only so long."""
    work, small = pair(cells, each), each < 10_000
    entrants = (
        Entrant(OCTAVO_DIFF.label, OCTAVO_DIFF, work, repeats=5),
        Entrant(OCTAVO_SHOWN.label, OCTAVO_SHOWN, work, repeats=5),
        Entrant(NBDIME.label, NBDIME, work, patience=patience),
    )
    ratio = Claim(f"octavo / {NBDIME.label}", OCTAVO_DIFF.label, NBDIME.label)
    whole = Claim(f"{OCTAVO_SHOWN.label}: the whole command", OCTAVO_SHOWN.label)
    claims = (
        replace(ratio, limit=0.01 if small else None),
        replace(whole, limit=None if small else 1.0),
    )
    name = "diff" if small else "diff-outputs"
    return Case(name, title, scale.slowest_rounds, entrants, claims, timeout=patience + 60)


def _growth_of_diff(scale: Scale) -> Case:
    """Twice the cells, and again, and again."""
    sizes = [5 * scale.diff_cells * times for times in (1, 2, 4, 8)]
    labels = [f"octavo diff, {size:,} cells" for size in sizes]
    entrants = tuple(
        Entrant(label, OCTAVO_SHOWN, pair(size, 1000), repeats=2)
        for label, size in zip(labels, sizes, strict=True)
    )
    claims = tuple(
        Claim(f"{sizes[at]:,} cells / {sizes[at - 1]:,} cells", labels[at], labels[at - 1], 2.5)
        for at in range(1, len(sizes))
    )
    title = f"growth of a comparison from {sizes[0]:,} to {sizes[-1]:,} cells"
    return Case("growth-diff", title, scale.slow_rounds, entrants, claims)


def _checks(scale: Scale) -> tuple[Case, ...]:
    few, many = scale.checked, 5 * scale.checked
    small = tree(few)
    run = Case(
        "check",
        f"{few} small notebooks checked",
        scale.slow_rounds,
        (
            Entrant(OCTAVO_CHECK.label, OCTAVO_CHECK, small, repeats=3),
            Entrant(NBVAL.label, NBVAL, small),
        ),
        (Claim(f"octavo / {NBVAL.label}", OCTAVO_CHECK.label, NBVAL.label, 0.05),),
    )
    unchanged = Case(
        "unchanged",
        f"{many} notebooks that have not changed since they passed",
        scale.slow_rounds,
        (Entrant(OCTAVO_UNCHANGED.label, OCTAVO_UNCHANGED, tree(many), repeats=2, primed=True),),
        (Claim("the whole command", OCTAVO_UNCHANGED.label, None, 0.5),),
    )
    return (run, unchanged, _growth_of_check(scale), _growth_of_unchanged(scale))


def _growth_of_check(scale: Scale) -> Case:
    return _growth_in_notebooks(
        scale, "growth-check", "growth of a check", OCTAVO_CHECK, primed=False
    )


def _growth_of_unchanged(scale: Scale) -> Case:
    return _growth_in_notebooks(
        scale,
        "growth-unchanged",
        "growth of a check without changes",
        OCTAVO_UNCHANGED,
        primed=True,
    )


def _growth_in_notebooks(scale: Scale, name: str, title: str, tool: Tool, *, primed: bool) -> Case:
    """Twice the notebooks, and twice again."""
    sizes = [scale.checked * 25 // 2, scale.checked * 25, scale.checked * 50]
    labels = [f"{tool.label}, {size:,} notebooks" for size in sizes]
    entrants = tuple(
        Entrant(label, tool, tree(size), primed=primed)
        for label, size in zip(labels, sizes, strict=True)
    )
    claims = tuple(
        Claim(f"{sizes[at]:,} / {sizes[at - 1]:,}", labels[at], labels[at - 1], 2.2)
        for at in range(1, len(sizes))
    )
    title = f"{title} from {sizes[0]:,} to {sizes[-1]:,} notebooks"
    return Case(name, title, scale.slowest_rounds, entrants, claims)


def _going_back(scale: Scale) -> tuple[Case, ...]:
    """Seconds until an earlier state is there again, as each side tells them."""
    ours, kishu = OCTAVO_BACK.label, KISHU.label
    tables = restoring(TABLES, back=2, rows=scale.rows)
    return (
        Case(
            "restore",
            f"going back in a notebook with a table of {scale.rows:,} rows",
            scale.slow_rounds,
            (Entrant(ours, OCTAVO_BACK, tables), Entrant(kishu, KISHU, tables)),
            (Claim(f"octavo / {kishu}", ours, kishu, 0.2),),
        ),
        Case(
            "restore-1GB",
            "going back in a process that holds 1 GB",
            scale.slow_rounds,
            (Entrant(ours, OCTAVO_BACK, restoring(GIGABYTE, back=0)),),
            (Claim("until the kernel answers", ours, None, 0.1),),
        ),
        Case(
            "restore-live",
            "going back with a generator, an open file, a lock and a C object",
            scale.slow_rounds,
            (Entrant(ours, OCTAVO_BACK, restoring(LIVE, back=2)),),
            (Claim("until the kernel answers", ours),),
        ),
    )


def _sessions(scale: Scale) -> tuple[Case, ...]:
    """Live sessions, as each side tells of them."""
    ours, theirs = OCTAVO_SESSION.label, JUPYTER_CLIENT.label
    trips = round_trips(scale.round_trips)
    many = f"{scale.sessions} idle sessions"
    return (
        Case(
            "round-trip",
            f"one of {scale.round_trips} small cells in a live session, from call to answer",
            scale.slow_rounds,
            (Entrant(ours, OCTAVO_SESSION, trips), Entrant(theirs, JUPYTER_CLIENT, trips)),
            (Claim(f"octavo / {theirs}", ours, theirs, 0.2),),
        ),
        Case(
            "edit-behind",
            f"the last of 20 cells is edited, of which the first takes {scale.long_cell:g} s",
            scale.slow_rounds,
            (Entrant(ours, OCTAVO_SESSION, edit_behind(scale.long_cell)),),
            (Claim("until the new result", ours, None, 1.0),),
        ),
        Case(
            "idle-sessions",
            f"{many}, each after a cell: what they share with nobody, for each of them",
            1,
            (Entrant(ours, OCTAVO_SESSION, idle(scale.sessions)),),
            (Claim("memory of one", ours, None, 5e6, Metric.TOLD_BYTES),),
            metric=Metric.TOLD_BYTES,
        ),
    )


def _help(scale: Scale) -> Case:
    tools = (OCTAVO, PAPERMILL, PYTHON)
    entrants = tuple(Entrant(tool.label, tool, HELP, repeats=2) for tool in tools)
    says = "octavo: processor time"
    claims = (
        Claim(says, OCTAVO.label, None, 0.06, Metric.CPU),
        Claim("octavo / papermill", OCTAVO.label, PAPERMILL.label, None, Metric.CPU),
        Claim("octavo / python", OCTAVO.label, PYTHON.label, None, Metric.CPU),
    )
    title = "`--help` (python: `-c pass`), processor time"
    return Case("help", title, scale.rounds, entrants, claims, Metric.CPU)
