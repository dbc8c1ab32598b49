"""Live sessions: the round trip of a cell, an edit behind a long cell, and a hundred idle ones.

    python -m bench.sessions [round-trip] [edit] [idle] [--sessions 100] [--seconds 2] [--json]

These are measured from within, because what is started once and used often says nothing by how
long its process takes. Nothing outlives it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CODE = "x = 1 + 1\nx"
#: What is to be reached: the round trip as a part of Jupyter's, seconds, and bytes of a session.
ROUND_TRIP, EDIT, IDLE = 0.2, 1.0, 5_000_000
_JUPYTER = """
import json, statistics, sys, time
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel()
taken = []
for number in range(int(sys.argv[1])):
    began = time.perf_counter()
    client.execute_interactive({code!r}, output_hook=lambda message: None)
    taken.append(time.perf_counter() - began)
manager.shutdown_kernel(now=True)
print(json.dumps(statistics.median(taken[len(taken) // 10:])))
"""


@contextmanager
def _place() -> Iterator[Path]:
    """A project and a runtime folder of its own, as the current ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run").mkdir(mode=0o700)
        (folder / "octavo.toml").write_text("")
        os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")
        os.environ.pop("OCTAVO_NO_RESIDENT", None)
        before = os.getcwd()
        os.chdir(folder)
        try:
            yield folder
        finally:
            subprocess.run([sys.executable, "-m", "octavo", "warm", "--stop"], capture_output=True)
            os.chdir(before)


def round_trip(rounds: int) -> dict[str, Any]:
    """A cell from the client to its answer, beside jupyter_client with ipykernel."""
    from octavo import Session

    with _place():
        session = Session.start()
        ours = _median(lambda: session.exec(CODE), rounds)
        session.stop()
        words = [sys.executable, "-c", _JUPYTER.format(code=CODE), str(rounds)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        theirs = float(json.loads(done.stdout.splitlines()[-1]))
    ratio = ours / theirs
    return {
        "octavo": ours, "jupyter_client": theirs, "ratio": ratio, "limit": ROUND_TRIP,
        "ok": ratio <= ROUND_TRIP,
    }  # fmt: skip


def edit(seconds: float, cells: int = 20) -> dict[str, Any]:
    """The last of twenty cells is edited, of which the first takes long: until the new result."""
    from octavo import Session

    with _place() as folder:
        first = f"# %%\nimport time\ntime.sleep({seconds})\nvalue = 0\n"
        rest = "".join(f"\n# %%\nvalue += {number}\n" for number in range(1, cells))
        (folder / "nb.py").write_text(first + rest)
        session = Session.start("nb.py")
        began = time.perf_counter()
        session.run_all()
        whole = time.perf_counter() - began
        began = time.perf_counter()
        answer = session.edit(cells - 1, "value += 1000\nvalue", run=True)
        taken = time.perf_counter() - began
        session.stop()
    right = "1171" in json.dumps(answer.to_json())
    return {"first_run": whole, "edit": taken, "limit": EDIT, "ok": right and taken <= EDIT}


def idle(sessions: int) -> dict[str, Any]:
    """Sessions that nobody uses: what each of their processes holds alone, in bytes."""
    from octavo import Session

    with _place():
        opened = []
        began = time.perf_counter()
        for _ in range(sessions):
            opened.append(Session.start())
        taken = time.perf_counter() - began
        for session in opened:
            session.exec("x = 1")
        time.sleep(2.0)
        each = [_private(session) for session in opened]
        for session in opened:
            session.stop()
    parts = {part: statistics.median(one[part] for one in each) for part in each[0]}
    total = sum(parts.values())
    return {
        "sessions": sessions, "start_each": taken / sessions, "private": parts, "total": total,
        "limit": IDLE, "ok": total <= IDLE,
    }  # fmt: skip


def _median(call: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken[rounds // 10 :])


def _private(session: Any) -> dict[str, int]:
    info = session.info
    keeper = _parent(info.kernel_pid)
    copies = [pid for pid in _children(keeper) if pid != info.kernel_pid]
    return {
        "host": _bytes(info.pid),
        "keeper": _bytes(keeper),
        "kernel": _bytes(info.kernel_pid),
        "snapshots": sum(map(_bytes, copies)),
    }


def _bytes(pid: int) -> int:
    """What nobody shares with a process."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    rows = (line.split() for line in text.splitlines() if line.startswith("Private_"))
    return sum(int(row[1]) for row in rows) * 1024


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(word) for task in tasks for word in (task / "children").read_text().split()]


def main(words: list[str]) -> int:
    """Measure what is named, or everything."""
    parser = argparse.ArgumentParser(prog="bench.sessions", description=__doc__)
    parser.add_argument("what", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    known: dict[str, Callable[[], dict[str, Any]]] = {
        "round-trip": lambda: round_trip(given.rounds),
        "edit": lambda: edit(given.seconds),
        "idle": lambda: idle(given.sessions),
    }
    found = {name: known[name]() for name in given.what or known}
    if given.json:
        print(json.dumps(found))
    else:
        for name, figures in found.items():
            print(name, *(f"{key}={value}" for key, value in figures.items()), sep="  ")
    return 0 if all(figures["ok"] for figures in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
