"""What the system tells of processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from octavo_runtime import process


def test_descendants_are_found() -> None:
    with subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        grandchild = int(child.stdout.readline())
        assert {child.pid, grandchild} <= set(process.descendants(os.getpid()))
        assert process.descendants(child.pid) == [grandchild]
        os.kill(grandchild, 9)


def test_memory_and_time_are_told() -> None:
    own = os.getpid()
    assert process.resident_bytes(own) > 1 << 20
    assert 0 < process.proportional_bytes(own) <= process.resident_bytes(own) * 1.1
    assert process.cpu_seconds(own) > 0


def test_a_process_that_is_gone_uses_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as child:
        child.wait()
    assert process.resident_bytes(child.pid) == 0
    assert process.proportional_bytes(child.pid) == 0
    assert process.cpu_seconds(child.pid) == 0
    assert process.descendants(child.pid) == []


@pytest.mark.parametrize(
    "text",
    [
        "low 0\nhigh 0\nmax 3\noom 2\noom_kill 2\noom_group_kill 0\n",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        "pgfault 12\noom_kill 2\n",
    ],
)
def test_kills_for_want_of_memory_are_counted(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = tmp_path / "counter"
    counter.write_text(text)
    monkeypatch.setattr(process, "_OOM_COUNTERS", ("/no/such/file", str(counter)))
    assert process.oom_kills() == 2


def test_a_system_that_does_not_count_counts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_OOM_COUNTERS", ("/no/such/file",))
    assert process.oom_kills() == 0


def test_peaks_are_forgotten() -> None:
    usage = process.Usage()
    usage.begin()
    block = bytearray(b"x") * (120 << 20)
    high, _ = usage.end()
    del block
    usage.begin()
    low, seconds = usage.end()
    assert high - low > 100 << 20
    assert seconds >= 0
