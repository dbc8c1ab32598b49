"""Whatever is done to a session, its state is what running its cells from the top gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from octavo.errors import UsageError
from octavo.events.types import BoundCell
from octavo.sessions.document import Document, Mark, Plan, Snapshots

#: Code whose names the graph knows, and code that it cannot follow.
SOURCES = st.sampled_from(
    [
        "a = 1",
        "a = 2",
        "b = a",
        "c = b",
        "a = a",
        "exec('z = 1')",
        "fails",
        "sometimes",
        "",
        "b = 3",
    ]
)
KINDS = st.sampled_from(["code", "code", "code", "markdown"])
ANYWHERE = st.integers(0, 40)


class Host(RuleBasedStateMachine):
    """Obeys plans with a kernel whose state is what it has executed, and nothing else."""

    @initialize(cells=st.lists(st.tuples(KINDS, SOURCES), max_size=6))
    def begin(self, cells: list[tuple[Any, str]]) -> None:
        bound = [BoundCell(kind, source, f"id{n}") for n, (kind, source) in enumerate(cells)]
        self.document = Document.of(bound)
        self.snapshots = Snapshots()
        self.copies: dict[int, tuple[str, ...]] = {}
        self.kernel: tuple[str, ...] = ()
        #: For each cell of the record the state in which it was executed, and its source.
        self.record: list[tuple[tuple[str, ...], str]] = []

    def obey(self, plan: Plan, data: st.DataObject, *, stop: bool = True) -> None:
        self.document = plan.document
        if plan.goes_back:
            mark: Mark | None = None
            if plan.resume is not None:
                mark = self.snapshots.mark(plan.resume)
            self.kernel = () if mark is None else self.copies[mark.id]
            self.document = self.document.went_back(mark)
        for index in (*plan.again, *plan.run):
            if stop and data.draw(st.integers(0, 20), label="cancelled") == 0:
                return
            status = self.execute(index, data)
            if plan.stops(index, status):
                return
        assert self.document.live or self.document.is_clean

    def execute(self, index: int, data: st.DataObject) -> str:
        source = self.document.cells[index].cell.source
        status = "failed" if source == "fails" else "succeeded"
        if source == "sometimes":
            status = data.draw(st.sampled_from(["failed", "succeeded", "interrupted"]))
        if data.draw(st.integers(0, 30), label="dies") == 0:
            status = "kernel-died"
        self.record.append((self.kernel, source))
        self.kernel = () if status == "kernel-died" else (*self.kernel, source)
        self.document = self.document.executed(index, len(self.record) - 1, status)
        return status

    @rule(code=SOURCES, data=st.data())
    def exec(self, code: str, data: st.DataObject) -> None:
        before = self.document.position
        self.obey(self.document.plan_exec(code, self.snapshots), data)
        assert before < len(self.document)

    def chosen(self, at: int) -> int | None:
        return at % len(self.document) if len(self.document) else None

    @rule(at=ANYWHERE, live=st.booleans(), data=st.data())
    def run_cell(self, at: int, live: bool, data: st.DataObject) -> None:
        index = self.chosen(at)
        if index is None or not self.document.cells[index].runs:
            return
        plan = self.document.plan_cell(index, self.snapshots, live=live)
        assert index in plan.run
        self.obey(plan, data)

    @rule(fresh=st.booleans(), data=st.data())
    def run_all(self, fresh: bool, data: st.DataObject) -> None:
        self.obey(self.document.plan_all(self.snapshots, fresh=fresh), data)
        assert not self.document.live

    @rule(to_end=st.booleans(), data=st.data())
    def run_affected(self, to_end: bool, data: st.DataObject) -> None:
        self.obey(self.document.plan_affected(self.snapshots, to_end=to_end), data)

    @rule(at=ANYWHERE, data=st.data())
    def rewind(self, at: int, data: st.DataObject) -> None:
        index = at % (len(self.document) + 1)
        ahead = index > self.document.position
        try:
            plan = self.document.plan_rewind(index, self.snapshots)
        except UsageError:
            assert ahead
            return
        assert not plan.run
        self.obey(plan, data)

    @rule(at=ANYWHERE, source=SOURCES)
    def edit(self, at: int, source: str) -> None:
        index = self.chosen(at)
        if index is not None:
            self.document = self.document.replaced(index, source)

    @rule(at=ANYWHERE, source=SOURCES, kind=KINDS)
    def insert(self, at: int, source: str, kind: Any) -> None:
        self.document = self.document.inserted(at % (len(self.document) + 1), source, kind)

    @rule(at=ANYWHERE)
    def delete(self, at: int) -> None:
        index = self.chosen(at)
        if index is not None:
            self.document = self.document.deleted(index)

    @rule(code=SOURCES)
    def scratch_in_the_kernel_itself(self, code: str) -> None:
        self.record.append((self.kernel, code))
        self.kernel = (*self.kernel, code)
        self.document = self.document.executed_other(code, len(self.record) - 1)

    @rule()
    def restart(self) -> None:
        self.kernel = ()
        self.document = self.document.lost()

    @precondition(lambda self: self.snapshots.wants(self.document))
    @rule(memory=st.integers(0, 10))
    def snapshot(self, memory: int) -> None:
        self.snapshots, mark = self.snapshots.add(self.document, memory)
        self.copies[mark.id] = self.kernel

    @rule(count=st.integers(1, 4), memory=st.integers(5, 30))
    def thin(self, count: int, memory: int) -> None:
        gone, self.snapshots = self.snapshots.thinned(self.document, count=count, memory=memory)
        for number in gone:
            del self.copies[number]
        assert len(self.snapshots) <= count
        assert self.snapshots.memory <= memory

    @precondition(lambda self: len(self.snapshots) > 0)
    @rule(at=ANYWHERE)
    def a_snapshot_dies(self, at: int) -> None:
        mark = self.snapshots.marks[at % len(self.snapshots)]
        self.snapshots = self.snapshots.without((mark.id,))
        del self.copies[mark.id]

    @invariant()
    def the_kernel_is_known(self) -> None:
        document = self.document
        assert tuple(step.source for step in document.steps) == self.kernel
        assert [self.record[cell][1] for cell in document.line] == list(self.kernel)
        assert 0 <= document.position <= len(document)
        keys = [each.key for each in document.cells]
        assert len(set(keys)) == len(keys)

    @invariant()
    def a_clean_state_is_that_of_the_cells(self) -> None:
        wanted = tuple(each.cell.source for each in self.document.runnable(self.document.position))
        assert self.document.is_clean == (self.kernel == wanted) or not self.document.is_clean
        if self.document.is_clean:
            assert self.kernel == wanted

    @invariant()
    def no_status_lies(self) -> None:
        document = self.document
        before: tuple[str, ...] = ()
        for index, each in enumerate(document.cells):
            status = document.status(index)
            result = document.info(index).record_cell
            if not each.runs:
                continue
            if status == "fresh" or (status == "failed" and not document.unproven):
                assert result is not None
                assert self.record[result] == (before, each.cell.source)
            if status == "new":
                assert result is None
            before = (*before, each.cell.source)

    @invariant()
    def what_is_kept_is_what_was_copied(self) -> None:
        assert {mark.id for mark in self.snapshots.marks} == set(self.copies)
        for mark in self.snapshots.marks:
            assert tuple(step.source for step in mark.steps) == self.copies[mark.id]


Host.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestHost = Host.TestCase


#: Code that makes, shares and changes lists and numbers; none of it can fail.
CODE = st.sampled_from(
    [
        "a = [1]",
        "a = [2]",
        "b = a",
        "b = list(a)",
        "b.append(3)",
        "a.append(len(b))",
        "n = len(a) + len(b)",
        "n = 7",
        "def grow():\n    a.append(n)",
        "grow()",
        "a = a + b",
        "a, b = b, a",
        "if n > 2:\n    b = [n]",
        "n += 1",
        "total = sum(a) + sum(b) + n",
        "pass",
    ]
)
START = "a = [0]\nb = [9]\nn = 1\ndef grow():\n    b.append(n)"


def _ran(sources: list[str], names: dict[str, Any]) -> dict[str, Any]:
    for source in sources:
        exec(source, names)
    return names


def _values(names: dict[str, Any]) -> dict[str, Any]:
    seen = {name: names.get(name) for name in ("a", "b", "n", "total")}
    shared = names["a"] is names["b"]
    _ran(["grow()"], names)
    return {**seen, "shared": shared, "grown": (list(names["a"]), list(names["b"]))}


@given(
    sources=st.lists(CODE, min_size=1, max_size=6),
    edits=st.lists(st.tuples(ANYWHERE, CODE), max_size=3),
)
@settings(max_examples=150, deadline=None)
def test_what_an_edit_does_not_touch_need_not_be_executed(
    sources: list[str], edits: list[tuple[int, str]]
) -> None:
    cells = [BoundCell("code", source, f"id{n}") for n, source in enumerate([START, *sources])]
    document = Document.of(cells)
    names: dict[str, Any] = {}
    plan = document.plan_all(Snapshots())
    for at, source in [(-1, ""), *edits]:
        if at >= 0:
            index = 1 + at % len(sources)
            plan = document.replaced(index, source).plan_affected(Snapshots())
        document = plan.document
        if plan.goes_back:
            names, document = {}, document.went_back(None)
        for cell in (*plan.again, *plan.run):
            _ran([document.cells[cell].cell.source], names)
            document = document.executed(cell, 0, "succeeded")
    wanted = _ran([each.cell.source for each in document.cells], {})
    assert _values(names) == _values(wanted)
