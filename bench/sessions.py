"""Live sessions: the round trip of a cell, an edit behind a long cell, and many idle ones.

What is started once and used often says nothing by how long its process takes, so each side tells
its figure itself.
"""

from __future__ import annotations

from pathlib import Path

from bench.told import Told, figure_told, script_of, sides, told
from bench.tools import NBCLIENT, Tool
from bench.verification import JobNotDone
from bench.work import Work

_BEGIN = """
import json, os, statistics, subprocess, sys, time
open("octavo.toml", "w").close()
from octavo import Session

def end():
    subprocess.run([sys.executable, "-m", "octavo", "warm", "--stop"], capture_output=True)
"""
_ROUND_TRIP = (
    _BEGIN
    + """
session, taken, right = Session.start(), [], True
for number in range(int(sys.argv[1])):
    began = time.perf_counter()
    answer = session.exec(f"x = {number} + 1\\nx")
    taken.append(time.perf_counter() - began)
    right = right and str(number + 1) in json.dumps(answer.to_json())
session.stop()
end()
print(json.dumps({"figure": statistics.median(taken[len(taken) // 10:]), "right": right}))
"""
)
_JUPYTER = """
import json, statistics, sys, time
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel()
taken, right = [], True
for number in range(int(sys.argv[1])):
    seen = []
    began = time.perf_counter()
    client.execute_interactive(f"x = {number} + 1\\nx", output_hook=seen.append)
    taken.append(time.perf_counter() - began)
    right = right and any(str(number + 1) in str(one["content"]) for one in seen)
manager.shutdown_kernel(now=True)
print(json.dumps({"figure": statistics.median(taken[len(taken) // 10:]), "right": right}))
"""
_EDIT = (
    _BEGIN
    + """
seconds, cells = float(sys.argv[1]), 20
first = f"# %%\\nimport time\\ntime.sleep({seconds})\\nvalue = 0\\n"
rest = "".join(f"\\n# %%\\nvalue += {number}\\n" for number in range(1, cells))
with open("nb.py", "w") as file:
    file.write(first + rest)
session = Session.start("nb.py")
session.run_all()
began = time.perf_counter()
answer = session.edit(cells - 1, "value += 1000\\nvalue", run=True)
taken = time.perf_counter() - began
session.stop()
end()
print(json.dumps({"figure": taken, "right": "1171" in json.dumps(answer.to_json())}))
"""
)
_IDLE = (
    _BEGIN
    + """
from octavo.config import runtime_folder
from octavo.sessions import places

def held(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        rows = (line.split() for line in file if line.startswith("Private_"))
        return sum(int(row[1]) for row in rows) * 1024

def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])

def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            found += map(int, file.read().split())
    return found

opened = [Session.start() for _ in range(int(sys.argv[1]))]
awake = {}
for session in opened:
    session.exec("x = 1")
    awake[session.id] = session.info

def sleeper(session):
    # The process that waits for a session, once it sleeps.
    while True:
        pid = places.find(runtime_folder(os.environ), session.id).note["pid"]
        if pid != awake[session.id].pid:
            return pid
        time.sleep(0.2)

family = set(map(sleeper, opened))
for info in awake.values():
    keeper = parent(info.kernel_pid)
    family |= {keeper, *children(keeper)}
each = sum(map(held, family)) / len(opened)
right = all("1" in json.dumps(session.exec("x").to_json()) for session in opened)
for session in opened:
    session.stop()
end()
print(json.dumps({"figure": each, "right": right}))
"""
)


def round_trips(count: int) -> Told:
    """So many cells, one after the other."""
    return sides((str(count),), octavo=_ROUND_TRIP, jupyter=_JUPYTER)


def edit_behind(seconds: float) -> Told:
    """The last of twenty cells is edited; the first takes so long."""
    return sides((str(seconds),), octavo=_EDIT)


def idle(count: int) -> Told:
    """So many sessions after one cell: what their processes share with nobody, for each of them."""
    return sides((str(count),), octavo=_IDLE)


def _check(work: Work, folder: Path) -> None:
    if isinstance(work, Told) and told(folder).get("right") is not True:
        raise JobNotDone("an answer was not what the code gives")


OCTAVO_SESSION = Tool(
    *("octavo", "octavo session", "octavo"), script_of("octavo"), _check, figure_told
)
JUPYTER_CLIENT = Tool(
    *(NBCLIENT.name, "jupyter_client", NBCLIENT.distribution),
    *(script_of("jupyter"), _check, figure_told),
)
