"""A run on a disk that fills up still leaves a record that tells so."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.errors import StorageError
from octavo.events.types import CellFinished, CellStarted, RunFinished, Stream
from octavo.records.assemble import assemble
from octavo.records.record import load_record
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from records.making import BEGAN, code, notebook_of, started


def fill(store: Store, piece: int) -> RunDir:
    """Run a cell that prints until the disk is full, and end the run as a runner does."""
    run = store.create_run(BEGAN, bytes(8), b"while True: print(1)\n", ".py")
    journal = store.open_journal(run)
    journal.write([started(code(0), run_id=run.run_id), CellStarted(0, BEGAN)])
    with pytest.raises(StorageError):
        for _ in range(2000):
            journal.write([Stream(0, "stdout", "x" * piece + "\n")])
    journal.write([CellFinished(0, BEGAN + 1, "interrupted")])
    journal.write([RunFinished(BEGAN + 1, "error", "infrastructure", "no space left")])
    record = assemble(run.path)
    store.finish(run, record)
    journal.close()
    return run


def test_the_record_says_that_the_disk_was_full(small_disk: Path) -> None:
    run = fill(Store(small_disk), 10_000)
    record = load_record(run.path)
    assert (record.status, record.reason) == ("error", "infrastructure")
    assert record.cells[0].status == "interrupted"
    assert not record.complete
    assert "the disk was full" in notebook_of(run.path)["cells"][0]["outputs"][0]["text"][0]


def test_the_outputs_are_put_in_when_there_is_space_again(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(900_000))
    store = Store(small_disk)
    run = fill(store, 1000)
    assert not load_record(run.path).complete
    (small_disk / "ballast").unlink()
    (recovered,) = store.recover()
    assert recovered.record is not None
    assert recovered.record.complete
    assert recovered.record.reason == "infrastructure"
    assert notebook_of(run.path)["cells"][0]["outputs"][0]["text"][0] == "x" * 1000 + "\n"
    assert store.recover() == []


def test_a_disk_without_any_room_leaves_the_journal_for_later(small_disk: Path) -> None:
    store = Store(small_disk)
    run = store.create_run(BEGAN, bytes(8), b"x\n", ".py")
    journal = store.open_journal(run)
    journal.write([started(code(0), run_id=run.run_id), CellStarted(0, BEGAN)])
    journal.close()
    ballast = small_disk / "ballast"
    with pytest.raises(OSError, match="No space"), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    (recovered,) = store.recover()
    assert recovered.error is not None
    assert recovered.error.kind == "disk-full"
    assert not run.record_path.exists()
    ballast.unlink()
    (recovered,) = store.recover()
    assert recovered.record is not None
    assert recovered.record.reason == "runner-died"


def test_a_run_does_not_begin_without_a_reserve(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(1_900_000))
    store = Store(small_disk)
    run = store.create_run(BEGAN, bytes(8), b"x\n", ".py")
    with pytest.raises(StorageError) as failure:
        store.open_journal(run)
    assert failure.value.kind == "disk-full"
    assert store.recover() == []
    assert list(store.runs()) == []
