"""Going back in live sessions: the state is always what running the cells from the top gives."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.sessions.client import Caller
from sessions.live_projects import Live, live_in, texts

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


def step(number: int) -> str:
    """Code that leaves a trace in a list that cells share, and fails now and then."""
    code = f"trace = [*globals().get('trace', []), {number}]"
    return f"{code}\n1 / 0" if number % 7 == 0 else code


def trace(session: Caller) -> list[int]:
    """What the kernel has executed, looked at without leaving a trace."""
    answer = session.call("exec", code="print(globals().get('trace', []))", scratch=True)
    found: list[int] = json.loads(texts(answer))
    return found


def wanted(session: Caller) -> list[int]:
    document = session.call("document")
    cells = [each for each in document["cells"] if each["kind"] == "code"]
    before = [each for each in cells if each["info"]["index"] < document["position"]]
    return [_number(each["source"]) for each in before]


def _number(source: str) -> int:
    return int(source.partition("[]), ")[2].partition("]")[0])


class Player:
    """Does at random what can be done to a session."""

    def __init__(self, session: Caller, seed: int) -> None:
        self.session = session
        self.random = random.Random(seed)
        self.number = 0

    def play(self) -> None:
        moves = (self.exec, self.exec, self.edit, self.insert, self.run_cell, self.run_all)
        self.random.choice((*moves, self.rewind, self.delete))()

    def source(self) -> str:
        self.number += 1
        return step(self.number)

    def cell(self) -> str | None:
        cells = self.session.call("document")["cells"]
        return str(self.random.choice(cells)["key"]) if cells else None

    def exec(self) -> None:
        self.session.call("exec", code=self.source())

    def edit(self) -> None:
        if (cell := self.cell()) is not None:
            run = self.random.random() < 0.5
            self.session.call("edit", cell=cell, source=self.source(), run=run)

    def insert(self) -> None:
        if (cell := self.cell()) is not None:
            self.session.call("edit", cell=cell, source=self.source(), insert="before")

    def delete(self) -> None:
        if (cell := self.cell()) is not None and self.random.random() < 0.3:
            self.session.call("edit", cell=cell, delete=True)

    def run_cell(self) -> None:
        if (cell := self.cell()) is not None:
            self.session.call("run-cell", cell=cell)

    def run_all(self) -> None:
        self.session.call("run-all")

    def rewind(self) -> None:
        document = self.session.call("document")
        if document["position"]:
            index = self.random.randrange(document["position"])
            self.session.call("rewind", cell=str(index))


@pytest.mark.parametrize("options", [(), ("--no-snapshots",)])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_state_is_that_of_the_cells_whatever_is_done(
    live: Live, seed: int, options: tuple[str, ...]
) -> None:
    player = Player(live.start(*options), seed)
    for _ in range(20):
        player.play()
        assert trace(player.session) == wanted(player.session)


def test_only_what_depends_on_an_edit_is_executed(live: Live) -> None:
    live.write("# %%\na = 1\n\n# %%\nslow = 'once'\n\n# %%\nprint(a, slow)\n")
    session = live.start("nb.py")
    session.call("run-all")

    session.call("edit", cell="0", source="a = 2", only_affected=True)

    shown = session.call("show")
    assert shown["session"]["unproven"]
    assert [each["status"] for each in shown["cells"]] == ["unproven"] * 3
    assert texts(session.call("exec", code="print(a)", scratch=True)) == "2"
    proof = session.call("run-all")
    assert [each["cell"]["index"] for each in proof["executed"]] == [0, 1, 2]
    shown = session.call("show")
    assert not shown["session"]["unproven"]
    assert [each["status"] for each in shown["cells"]] == ["fresh"] * 3


def written_after(path: Path, moment: float) -> None:
    """By a person, who is slower than the clock of a file system."""
    while not path.exists() or path.stat().st_ctime < moment:
        path.write_text("by a person")


@pytest.mark.parametrize("options", [(), ("--engine", "jupyter")])
def test_files_can_be_brought_back_after_the_state_has_gone_back(
    live: Live, options: tuple[str, ...]
) -> None:
    session = live.start(*options)
    session.call("exec", code="_ = open('first', 'w').write('1')")
    session.call("exec", code="_ = open('second', 'w').write('2')")
    assert [each["path"] for each in session.call("rewind", cell="1")["files"]][-1] == "second"
    session.call("exec", code="x = 1", scratch=True)

    session.call("rewind", cell="1", restore_files=True)

    assert (live.root / "first").read_text() == "1"
    assert not (live.root / "second").exists()


def test_files_that_cells_wrote_are_told_and_brought_back(live: Live) -> None:
    data = live.write("original", "data.csv")
    session = live.start()
    for code in (
        "from pathlib import Path\nhere = Path('data.csv')",
        "here.write_text('by a cell'); Path('new').mkdir(); _ = Path('new/x').write_text('x')",
    ):
        session.call("exec", code=code)
    person = live.root / "notes.txt"
    written_after(person, time.time() + 0.02)

    told = session.call("rewind", cell="1")
    found = {each["path"]: each for each in told["files"]}
    assert (found["data.csv"]["change"], found["new/x"]["change"]) == ("changed", "created")
    assert data.read_text() == "by a cell"
    session.call("run-all")
    answer = session.call("rewind", cell="1", restore_files=True)

    restored = {each["path"]: each["restored"] for each in answer["files"]}
    assert restored["data.csv"]
    assert restored["new/x"]
    assert data.read_text() == "original"
    assert not (live.root / "new").exists()
    assert person.read_text() == "by a person"


@pytest.mark.parametrize("options", [(), ("--no-snapshots",)])
def test_a_kernel_that_died_is_brought_back_to_before_the_cell(
    live: Live, options: tuple[str, ...]
) -> None:
    session = live.start(*options)
    session.call("exec", code="import os\nx = open('made', 'w')")
    session.call("exec", code="y = 2")
    answer: dict[str, Any] = session.call("exec", code="os._exit(3)")
    assert answer["status"] == "kernel-died"

    back = session.call("rewind", cell="2")

    assert back["position"] == 2
    answer = session.call("exec", code="print(y, x.closed)")
    assert texts(answer) == "2 False"


def test_a_refusal_is_told_once_and_forgotten_when_it_is_over(live: Live) -> None:
    session = live.start()
    session.call("exec", code="import threading; stop = threading.Event()")
    session.call("exec", code="t = threading.Thread(target=stop.wait, name='busy'); t.start()")
    noted = ""
    while "busy" not in noted:
        noted = " ".join(session.call("info")["notes"])
    assert "no snapshots" in " ".join(session.call("exec", code="1")["notes"])
    assert not session.call("exec", code="2")["notes"]
    session.call("exec", code="stop.set(); t.join()")
    while session.call("info")["notes"]:
        pass


def test_what_copies_cost_is_counted_when_the_kernel_has_written_elsewhere(live: Live) -> None:
    session = live.start()
    session.call("exec", code="block = bytearray(b'x') * (64 << 20)")
    while session.call("info")["snapshots"] < 1:
        pass
    session.call("exec", code="block[:] = bytes(64 << 20)")
    while (session.call("info")["memory"] or 0) < 60 << 20:
        pass


def test_an_edit_meanwhile_does_not_move_what_is_being_executed(live: Live) -> None:
    session = live.start()
    for code in ("x = 1", "y = x + 1"):
        session.call("exec", code=code)
    session.call("exec", code="while True: pass", detach=True)
    other = live.again(session)
    for edit in ({"source": "x = 5"}, {"source": "z = 0", "insert": "before"}, {"delete": True}):
        with pytest.raises(OctavoError) as caught:
            other.call("edit", cell=0, **edit)
        assert caught.value.kind == "session-busy"
        assert "--run" in str(caught.value.hint)
    other.call("interrupt")
    while session.call("info")["state"] == "busy":
        pass
    assert other.call("edit", cell=0, source="x = 5")["position"] == 0
    sources = [each["source"] for each in session.call("document")["cells"]]
    assert sources == ["x = 5", "y = x + 1", "while True: pass"]


def test_files_that_a_scratch_execution_wrote_are_told_and_brought_back_on_request(
    live: Live,
) -> None:
    (live.root / "data.csv").write_text("1\n")
    session = live.start()
    session.call("exec", code="x = 1")
    code = "open('data.csv', 'w').write('2'); open('plot.png', 'w').write('3')"
    answer = session.call("exec", code=code, scratch=True)
    (note,) = [each for each in answer["notes"] if "files" in each]
    assert "data.csv (changed), plot.png (created)" in note
    assert (live.root / "plot.png").exists()
    words = answer["next"].partition(" brings")[0].removeprefix("octavo ").split()
    live.octavo(*words)
    assert (live.root / "data.csv").read_text() == "1\n"
    assert not (live.root / "plot.png").exists()
    quiet = session.call("exec", code="x + 1", scratch=True)
    assert (quiet["notes"], quiet["next"], texts(quiet)) == ([], "", "2")


def test_files_of_a_scratch_execution_are_told_where_the_kernel_cannot_be_copied(
    live: Live,
) -> None:
    session = live.start()
    session.call("exec", code="import threading; e = threading.Event()")
    session.call("exec", code="t = threading.Thread(target=e.wait, daemon=True); t.start()")
    answer = session.call("exec", code="open('new', 'w').write('')", scratch=True)
    assert any("new (created)" in note for note in answer["notes"])
    live.octavo(*answer["next"].partition(" brings")[0].removeprefix("octavo ").split())
    assert not (live.root / "new").exists()
