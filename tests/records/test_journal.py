"""The journal: written whole lines at a time, locked while its run is alive."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from octavo.errors import StorageError
from octavo.events.types import CellStarted, Event, RunFinished, Stream
from octavo.records.journal import Journal, abandoned, read_events
from records.making import BEGAN, code, started, succeeded


def test_what_is_written_can_be_read_by_others_at_once(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path)
    journal.write([started(code(0)), CellStarted(0, BEGAN)])
    journal.write([Stream(0, "stdout", "é\n\ud800")])
    assert list(read_events(journal.path)) == [
        started(code(0)),
        CellStarted(0, BEGAN),
        Stream(0, "stdout", "é\n\ud800"),
    ]
    journal.close()


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path)
    journal.write(succeeded(0))
    journal.close()
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-10])
    assert list(read_events(journal.path)) == succeeded(0)[:-1]


def test_a_run_is_alive_as_long_as_its_journal_is_open(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path)
    with abandoned(tmp_path) as gone:
        assert not gone
    journal.close()
    with abandoned(tmp_path) as gone:
        assert gone
        with abandoned(tmp_path) as second:
            assert not second


def test_a_runner_that_is_killed_lets_go_of_its_run(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\nfrom octavo.records.journal import Journal\n"
        "journal = Journal.create(pathlib.Path(sys.argv[1]))\n"
        "print('ready', flush=True)\nsys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    runner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert runner.stdout is not None
    runner.stdout.readline()
    with abandoned(tmp_path) as gone:
        assert not gone
    runner.kill()
    runner.communicate()
    with abandoned(tmp_path) as gone:
        assert gone


def test_a_child_process_does_not_keep_a_run_alive(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path)
    command = [sys.executable, "-c", "print('ready', flush=True); input()"]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
    )
    assert child.stdout is not None
    child.stdout.readline()
    journal.close()
    with abandoned(tmp_path) as gone:
        assert gone
    child.communicate(b"\n")


def test_closing_takes_the_reserve_away(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path)
    assert (tmp_path / "reserve").exists()
    journal.close()
    journal.close()
    assert not (tmp_path / "reserve").exists()


def test_on_a_full_disk_the_journal_stays_whole_and_the_run_can_be_ended(small_disk: Path) -> None:
    journal = Journal.create(small_disk)
    written: list[Event] = [started(code(0)), CellStarted(0, BEGAN)]
    journal.write(written)
    with pytest.raises(StorageError) as failure:
        for _ in range(100):
            batch = [Stream(0, "stdout", "x" * 30_000), Stream(0, "stderr", "y" * 7000)]
            journal.write(batch)
            written += batch
    assert failure.value.kind == "disk-full"
    last = RunFinished(BEGAN + 1, "error", "infrastructure", "disk full")
    journal.write([last])
    journal.close()
    read = list(read_events(journal.path))
    assert read[: len(written)] == written
    assert read[-1] == last
    assert journal.path.read_bytes().count(b"\n") == len(read)


_LIMITED = """
import resource, sys, pathlib
from octavo.errors import StorageError
from octavo.events.types import Stream
from octavo.records.journal import Journal
journal = Journal.create(pathlib.Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    while True:
        journal.write([Stream(0, "stdout", "x" * 900)])
except StorageError as error:
    print(error.kind)
"""


def test_a_file_size_limit_is_a_full_disk_too(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _LIMITED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "disk-full\n"
    journal = tmp_path / "events.jsonl"
    assert len(list(read_events(journal))) == journal.read_bytes().count(b"\n") > 10


def test_a_folder_that_is_gone_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as failure:
        Journal.create(tmp_path / "missing")
    assert failure.value.kind == "storage"
