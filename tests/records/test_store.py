"""Where records live, and how they are found again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from octavo.errors import OctavoError, UsageError
from octavo.events.types import CellStarted, Event, RunStarted, Stream
from octavo.records.assemble import assemble
from octavo.records.identity import time_of, uuid7
from octavo.records.journal import Journal
from octavo.records.record import result
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from records.making import BEGAN, code, failing_run, finished, notebook_of, started, succeeded

DAY = 86_400.0


def begin(store: Store, moment: float = BEGAN, source: str = "nb.py") -> tuple[RunDir, Journal]:
    run = store.create_run(moment, os.urandom(8), b"x = 1\n", ".py")
    journal = store.open_journal(run)
    cells = (code(0), code(1))
    facts = {"path": source, "sha256": "0" * 64, "format": "py"}
    journal.write([started(*cells, run_id=run.run_id, time=moment, source=facts)])
    return run, journal


def complete(store: Store, moment: float = BEGAN, source: str = "nb.py", ok: bool = True) -> RunDir:
    run, journal = begin(store, moment, source)
    events: list[Event] = [*succeeded(0), *succeeded(1), finished(moment + 1)]
    journal.write(events if ok else failing_run()[1:])
    store.finish(run, assemble(run.path))
    journal.close()
    return run


def test_a_run_has_a_folder_by_date_and_id_with_its_source(tmp_path: Path) -> None:
    run = complete(Store(tmp_path))
    assert run.path.parent == tmp_path / ".octavo" / "runs" / "2025-11-15"
    names = {path.name for path in run.path.iterdir()}
    assert names == {"events.jsonl", "notebook.ipynb", "record.json", "source.py"}
    assert (run.path / "source.py").read_text() == "x = 1\n"


def test_a_run_is_found_by_its_id_without_a_look_at_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    run = complete(store)
    looked_at: list[str] = []
    has_begun = RunDir.has_begun
    monkeypatch.setattr(
        RunDir, "has_begun", lambda each: looked_at.append(each.run_id) or has_begun(each)
    )
    for days in range(1, 5):
        complete(store, BEGAN + days * DAY)
    assert store.find(run.run_id) == run
    assert looked_at == [run.run_id]


def test_a_record_without_room_for_its_outputs_is_not_said_to_be_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    run, journal = begin(store)
    journal.write([*succeeded(0), *succeeded(1), finished(BEGAN + 1)])
    journal.close()
    with monkeypatch.context() as full:
        full.setattr(
            "octavo.records.recovery.assembled", lambda path: assemble(path).replace(complete=False)
        )
        for _ in range(2):
            (found,) = store.recover()
            assert found.error is not None and found.error.kind == "disk-full"
    (found,) = store.recover()
    assert found.error is None and found.run == run
    assert store.recover() == []


def test_git_does_not_see_the_records(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    complete(Store(tmp_path))
    status = ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"]
    assert subprocess.run(status, capture_output=True, check=True).stdout == b""


def test_ids_are_version_7_and_sort_by_time() -> None:
    import uuid

    moments = [BEGAN + n / 100_000 for n in range(500)]
    ids = [uuid7(moment, os.urandom(8)) for moment in moments]
    assert ids == sorted(ids)
    assert {uuid.UUID(each).version for each in ids} == {7}
    assert {uuid.UUID(each).variant for each in ids} == {uuid.RFC_4122}
    assert abs((time_of(ids[0]) or 0) - BEGAN) < 0.001
    assert time_of("not-an-id") is None


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [complete(store, BEGAN + n * DAY / 2) for n in range(4)]
    assert list(store.runs()) == runs[::-1]
    assert list(store.runs(limit=2)) == [runs[3], runs[2]]
    assert list(store.runs(since=BEGAN + DAY * 0.9)) == [runs[3], runs[2]]
    assert list(store.runs(limit=0)) == []


def test_runs_are_filtered_by_how_they_ended_and_by_notebook(tmp_path: Path) -> None:
    store = Store(tmp_path)
    good = complete(store, source="/p/a/nb.py")
    bad = complete(store, BEGAN + 1, source="/p/b/nb.py", ok=False)
    assert list(store.runs(status="success")) == [good]
    assert list(store.runs(status="error")) == [bad]
    assert list(store.runs(status="cell-error")) == [bad]
    assert list(store.runs(notebook="b/nb.py")) == [bad]
    assert list(store.runs(notebook="nb.py")) == [bad, good]
    assert list(store.runs(notebook="/p/a/nb.py", status="error")) == []


def test_a_project_without_runs(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert list(store.runs()) == []
    assert store.recover() == []
    assert store.expected("nb.py") == {}
    with pytest.raises(UsageError) as failure:
        store.find("last")
    assert failure.value.kind == "run-not-found"
    assert not (tmp_path / ".octavo").exists()


def test_a_run_is_found_by_either_end_of_its_id_or_by_path(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, last = complete(store), complete(store, BEGAN + DAY)
    assert store.find("last") == last
    assert store.find(first.run_id) == first
    assert store.find(first.run_id[-6:]) == first
    assert store.find(last.run_id[:13]) == last
    assert store.find(str(first.path)) == first
    assert store.find(str(first.record_path)) == first


def test_a_run_that_cannot_be_told_apart_is_not_guessed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [complete(store), complete(store, BEGAN + 1)]
    with pytest.raises(UsageError) as failure:
        store.find(runs[0].run_id[:8])
    assert failure.value.kind == "run-not-found"
    assert all(run.run_id in failure.value.message for run in runs)
    with pytest.raises(UsageError, match="no run matches 'ffff'"):
        store.find("ffff")


def test_what_the_last_successful_run_took_is_expected_of_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path)
    complete(store, source="nb.py")
    complete(store, BEGAN + 1, source="nb.py", ok=False)
    assert store.expected("nb.py") == {"cell-id-0": 0.5, "cell-id-1": 0.5}
    assert store.expected("other.py") == {}


def test_a_killed_run_is_recovered_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run, journal = begin(store)
    journal.write([CellStarted(0, BEGAN), Stream(0, "stdout", "flushed\n")])
    journal.close()
    (recovered,) = store.recover()
    assert recovered.run == run
    assert recovered.record is not None
    assert recovered.record.reason == "runner-died"
    assert [cell.status for cell in recovered.record.cells] == ["interrupted", "not-run"]
    assert notebook_of(run.path)["cells"][0]["outputs"][0]["text"] == ["flushed\n"]
    assert not (run.path / "reserve").exists()
    assert store.recover() == []


def killed_with_output(store: Store, output: Path) -> None:
    run = store.create_run(BEGAN, os.urandom(8), b"x = 1\n", ".py")
    journal = store.open_journal(run)
    journal.write([started(code(0), run_id=run.run_id, output_path=str(output))])
    journal.close()


def test_the_output_that_a_killed_runner_owed_is_written(tmp_path: Path) -> None:
    output = tmp_path / "out.ipynb"
    killed_with_output(Store(tmp_path), output)
    (recovered,) = Store(tmp_path).recover()
    assert recovered.record is not None
    assert result(recovered.record).notebook_path == str(output)
    assert output.read_bytes() == recovered.run.notebook_path.read_bytes()


def test_the_output_of_a_later_run_is_left_alone(tmp_path: Path) -> None:
    output = tmp_path / "out.ipynb"
    output.write_text("by a later run")
    killed_with_output(Store(tmp_path), output)
    Store(tmp_path).recover()
    assert output.read_text() == "by a later run"


def test_half_written_files_of_a_killed_runner_are_taken_away(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run, journal = begin(store)
    journal.close()
    (run.path / ".notebook.ipynb.123.tmp").write_text("half")
    store.recover()
    assert not list(run.path.glob(".*"))


def test_a_run_that_goes_on_is_not_touched(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run, journal = begin(store)
    assert store.recover() == []
    assert not run.record_path.exists()
    assert run.is_running()
    with pytest.raises(OctavoError, match="still going on"):
        run.record()
    journal.close()
    assert not run.is_running()


def test_a_record_that_is_missing_or_damaged_is_rebuilt(tmp_path: Path) -> None:
    run = complete(Store(tmp_path))
    whole = run.record()
    run.record_path.write_text('{"schema": 1')
    assert run.record() == whole
    run.record_path.unlink()
    assert run.record() == whole


def test_several_recoverers_at_once_are_safe(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = []
    for n in range(20):
        run, journal = begin(store, BEGAN + n)
        journal.close()
        runs.append(run)
    found: list[RunDir] = []
    gate = threading.Barrier(4)

    def recover() -> None:
        gate.wait()
        found.extend(each.run for each in Store(tmp_path).recover())

    threads = [threading.Thread(target=recover) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(run.run_id for run in found) == [run.run_id for run in runs]
    assert all(run.record().reason == "runner-died" for run in runs)


def test_a_mark_whose_writing_was_cut_off_still_leads_to_its_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run, journal = begin(store)
    journal.close()
    (tmp_path / ".octavo" / "live" / run.run_id).write_text("")
    (recovered,) = store.recover()
    assert recovered.run == run


def test_a_mark_of_a_run_that_was_deleted_is_dropped(tmp_path: Path) -> None:
    import shutil

    store = Store(tmp_path)
    run, journal = begin(store)
    journal.close()
    shutil.rmtree(run.path)
    assert store.recover() == []
    assert list((tmp_path / ".octavo" / "live").iterdir()) == []


def test_looking_for_runs_to_recover_imports_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\nfrom octavo.records.store import Store\n"
        f"Store(pathlib.Path({str(tmp_path)!r})).recover()\n"
        "print(*sorted(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"asyncio", "yaml", "nbformat", "IPython", "octavo.records.assemble"}


def test_the_first_event_is_enough_to_know_the_cells(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run, journal = begin(store)
    journal.close()
    (recovered,) = store.recover()
    assert recovered.record is not None
    assert [cell.status for cell in recovered.record.cells] == ["not-run", "not-run"]
    assert RunStarted.type in run.journal_path.read_text()


def test_many_threads_may_begin_in_a_new_project(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    for number in range(20):
        store, together = Store(tmp_path / str(number)), Barrier(4)

        def begin(entropy: int, store: Store = store, together: Barrier = together) -> RunDir:
            together.wait()
            return store.create_run(BEGAN, bytes([entropy] * 10), b"x", ".py")

        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(begin, range(4)))
        assert all((run.path / "source.py").exists() for run in made)
        assert (store.root / ".gitignore").read_text() == "*\n"


def test_runs_are_counted_back_from_the_last(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [complete(store, BEGAN + n) for n in range(3)]
    assert [store.find(f"last~{back}") for back in (0, 1, 2)] == runs[::-1]
    for name, said in (("last~3", "there are only 3 runs"), ("last~x", "no run matches")):
        with pytest.raises(UsageError, match=said):
            store.find(name)
