"""What passed is remembered for as long as nothing that it rests on has changed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.gate.memory import Entry, Inputs, Memory, Passed, joined, why_not_memorable
from octavo.gate.memory.stamps import Stamps
from octavo.gate.verdicts import Finding
from octavo.records.record import RunRecord

LATER = time.time() + 3600


def record(project: Path, *, started: float = LATER, **files: Any) -> RunRecord:
    """The record of a run that began after everything was written, unless told otherwise."""
    kinds = ("read", "missing", "written", "listed", "modules", "facts")
    seen: dict[str, Any] = {**{kind: [] for kind in kinds}, "complete": True}
    nothing: dict[str, Any] = dict.fromkeys(RunRecord._fields)
    return RunRecord(
        **{
            **nothing,
            "run_id": "run-1",
            "started": started,
            "source": {"path": str(project / "nb.py")},
            "files": {**seen, **files},
        }
    )


def passed(memory: Memory, ran: RunRecord, **more: Any) -> None:
    inputs = memory.inputs_of_record(ran, declared=more.pop("declared", ()))
    assert inputs is not None
    memory.remember("nb.py", "key", Entry({"": Passed("run-1")}, inputs, **more))
    assert memory.save()


def known(project: Path, key: str | None = "key", **how: Any) -> Entry | None:
    return Memory.open(project).recall(project / "nb.py", key, **how)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "nb.py").write_text("# %%\n1\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("1\n")
    return tmp_path


def test_what_passed_is_recalled_with_the_run_that_showed_it(project: Path) -> None:
    finding = Finding("unused", "note", "never used", "nb.py", 1)
    entry = Entry(
        {"small": Passed("run-7", 1.5, {"rows": 10}, {"total": 3}, (finding,))},
        Inputs({"data/a.csv": Stamps(project, {}).digest("data/a.csv")}),
    )
    memory = Memory.open(project)
    memory.remember("nb.py", "key", entry)
    memory.save()
    assert known(project) == entry
    assert known(project, "another key") is None
    assert known(project, None) is None


@pytest.mark.parametrize("kind", ["read", "modules"])
def test_a_file_that_changed_makes_it_forget(project: Path, kind: str) -> None:
    data = project / "data" / "a.csv"
    files: dict[str, Any] = {kind: [str(data)]}
    passed(Memory.open(project), record(project, **files))
    assert known(project) is not None
    data.write_text("2\n")
    assert known(project) is None
    data.write_text("1\n")
    assert known(project) is not None


def test_touching_a_file_changes_nothing(project: Path) -> None:
    data = project / "data" / "a.csv"
    passed(Memory.open(project), record(project, read=[str(data)]))
    os.utime(data, ns=(1, 1))
    assert known(project) is not None


@pytest.mark.parametrize("settled", [0, -(10**12)])
def test_the_same_size_and_time_do_not_hide_a_change(
    project: Path, settled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.gate.memory.stamps.SETTLED_NS", settled)
    data = project / "data" / "a.csv"
    os.utime(data, ns=(1, 1))
    passed(Memory.open(project), record(project, read=[str(data)]))
    data.write_text("2\n")
    os.utime(data, ns=(1, 1))
    assert known(project) is None


def test_a_file_that_was_missing_and_is_there_now_counts(project: Path) -> None:
    passed(Memory.open(project), record(project, missing=[str(project / "local.toml")]))
    assert known(project) is not None
    (project / "local.toml").write_text("")
    assert known(project) is None


def test_a_new_name_in_a_listed_folder_counts(project: Path) -> None:
    passed(Memory.open(project), record(project, listed=[str(project / "data")]))
    (project / "data" / "a.csv").write_text("2\n")
    (project / "data" / ".hidden").write_text("")
    assert known(project) is not None
    (project / "data" / "b.csv").write_text("")
    assert known(project) is None


@pytest.mark.parametrize("declared", ["data", "data/", "./data", "../[x] y/data", "data/**/*.csv"])
def test_a_folder_can_be_declared_and_any_folder_can_hold_the_project(
    tmp_path: Path, declared: str
) -> None:
    project = tmp_path / "[x] y"
    (project / "data/deep").mkdir(parents=True)
    for name in ("nb.py", "data/a.csv", "data/deep/b.csv"):
        (project / name).write_text("1")
    if "[" in declared:
        declared = "../[[]x] y/data"
    for name in ("data/a.csv", "data/deep/b.csv", "data/deep/new.csv"):
        passed(Memory.open(project), record(project), declared=[declared])
        assert known(project)
        (project / name).write_text(f"{name} has changed")
        assert not known(project)


@pytest.mark.parametrize("link", ["link.csv", "folder/a.csv"])
def test_a_link_that_is_set_to_something_else_during_a_run_is_a_change(
    tmp_path: Path, link: str
) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").write_text(name)
    started = max((tmp_path / name / "a.csv").stat().st_ctime_ns for name in ("old", "new")) / 1e9
    for name, target in (("link.csv", "new/a.csv"), ("folder", "new")):
        (tmp_path / name).symlink_to(target)
        while (tmp_path / name).lstat().st_ctime_ns / 1e9 <= started:  # the clock has ticks
            (tmp_path / name).unlink()
            (tmp_path / name).symlink_to(target)
    ran = record(tmp_path, read=[str(tmp_path / link)], started=started)
    assert "changed while it ran" in why_not_memorable(ran)


def test_declared_files_count_and_new_ones_too(project: Path) -> None:
    passed(Memory.open(project), record(project), declared=["data/*.csv"])
    (project / "data" / "b.txt").write_text("")
    assert known(project) is not None
    (project / "data" / "a.csv").write_text("2\n")
    assert known(project) is None
    (project / "data" / "a.csv").write_text("1\n")
    (project / "data" / "b.csv").write_text("")
    assert known(project) is None


def test_files_outside_of_the_project_count(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("elsewhere") / "big.csv"
    outside.write_text("1\n")
    passed(Memory.open(project), record(project, read=[str(outside)]))
    assert known(project) is not None
    outside.write_text("2\n")
    assert known(project) is None


def test_on_ci_only_what_the_gate_ran_there_counts(project: Path) -> None:
    for ci in (True, False):
        passed(Memory.open(project), record(project), ci=ci)
        assert known(project) is not None
        assert (known(project, only_from_ci=True) is not None) == ci


def test_on_ci_a_memory_that_came_with_a_commit_is_not_believed(project: Path) -> None:
    environ = dict(os.environ)
    passed(Memory.open(project), record(project), ci=True)
    assert Memory.open(project, unless_committed=environ).recall("nb.py", "key") is not None
    repository = a_repository(project)
    assert Memory.open(project, unless_committed=environ).recall("nb.py", "key") is not None
    repository("add", "--force", ".octavo/gate/memory.json")
    assert Memory.open(project, unless_committed=environ).recall("nb.py", "key") is None
    assert Memory.open(project).recall("nb.py", "key") is not None


def a_repository(folder: Path) -> Callable[..., None]:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)

    git("init")
    return git


def test_what_failed_is_forgotten(project: Path) -> None:
    passed(Memory.open(project), record(project))
    memory = Memory.open(project)
    memory.remember("nb.py", "key", None)
    memory.save()
    assert known(project) is None


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (None, "nobody saw"),
        ({"complete": False}, "more files"),
        ({"read": ["data/a.csv"]}, "a.csv was changed while it ran"),
        ({"modules": ["data/a.csv"]}, "a.csv was changed while it ran"),
        ({"missing": ["data/a.csv"]}, "a.csv was changed while it ran"),
        ({"read": ["data/gone.csv"]}, "gone.csv was removed while it ran"),
        ({"read": ["[redacted:TOKEN].csv"]}, "cannot be written down"),
        ({"listed": ["data"]}, "data was changed while it ran"),
    ],
)
def test_what_cannot_be_known_for_sure_is_not_kept(
    project: Path, files: dict[str, Any] | None, why: str
) -> None:
    ran = record(project, started=1.0)
    if files is None:
        ran = ran.replace(files=None)
    else:
        there = {
            name: [str(project / each) for each in value] if isinstance(value, list) else value
            for name, value in files.items()
        }
        ran = record(project, started=1.0, **there)
    assert why in why_not_memorable(ran)
    assert Memory.open(project).inputs_of_record(ran) is None


def test_a_folder_that_the_notebook_fills_itself_may_be_listed(project: Path) -> None:
    made = str(project / "data" / "made.csv")
    ran = record(project, started=1.0, listed=[str(project / "data")], written=[made])
    assert why_not_memorable(ran) == ""


def test_a_pipe_is_never_read(project: Path) -> None:
    os.mkfifo(project / "pipe")
    ran = record(project, read=[str(project / "pipe")])
    assert Memory.open(project).inputs_of_record(ran) is None


def test_what_a_notebook_used_is_told_for_finding_what_a_change_reaches(project: Path) -> None:
    data = project / "data"
    passed(Memory.open(project), record(project, read=[str(data / "a.csv")], listed=[str(data)]))
    memory = Memory.open(project)
    assert memory.inputs_of(project / "nb.py") == frozenset({str(data), str(data / "a.csv")})
    assert memory.inputs_of("nb.py") == memory.inputs_of(project / "nb.py")
    assert memory.inputs_of("other.py") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"",
        lambda text: text[:-20],
        lambda text: b"[1, 2]",
        lambda text: b"[" * 100_000,
        lambda text: b"\xff\x00",
        lambda text: text.replace(b'"format":1', b'"format":99'),
        lambda text: text.replace(b'"sets":{', b'"sets":[{').replace(b'"inputs"', b'], "inputs"'),
        lambda text: text.replace(b'"inputs":{', b'"inputs":7,"x":{'),
        lambda text: text.replace(b'"stamps":{', b'"stamps":{"data/a.csv":5,'),
    ],
)
def test_a_damaged_memory_is_none_and_is_made_anew(
    project: Path, damage: Callable[[bytes], bytes]
) -> None:
    data = project / "data" / "a.csv"
    ran = record(project, read=[str(data)])
    passed(Memory.open(project), ran)
    file = project / ".octavo" / "gate" / "memory.json"
    file.write_bytes(damage(file.read_bytes()))
    Memory.open(project).inputs_of("nb.py")
    known(project)
    passed(Memory.open(project), ran)
    assert known(project) is not None


def test_a_memory_that_cannot_be_written_is_no_error(project: Path) -> None:
    (project / ".octavo").write_text("in the way")
    memory = Memory.open(project)
    memory.remember("nb.py", "key", Entry({}, Inputs()))
    assert memory.save() is False


def test_notebooks_that_are_gone_are_forgotten(project: Path) -> None:
    passed(Memory.open(project), record(project, read=[str(project / "data" / "a.csv")]))
    (project / "nb.py").unlink()
    (project / "other.py").write_text("1\n")
    memory = Memory.open(project)
    memory.remember("other.py", "key", Entry({}, Inputs()))
    memory.save()
    content = json.loads((project / ".octavo" / "gate" / "memory.json").read_text())
    assert list(content["notebooks"]) == ["other.py"]
    assert content["stamps"] == {}


def test_git_does_not_see_it(project: Path) -> None:
    passed(Memory.open(project), record(project))
    assert (project / ".octavo" / "gate" / ".gitignore").read_text() == "*\n"


def _remember_alone(project: Path, name: str) -> None:
    memory = Memory.open(project)
    for _ in range(20):
        memory.remember(name, "key", Entry({"": Passed(name)}, Inputs()))
        assert memory.save()


def test_two_checks_at_once_keep_what_both_have_learnt(project: Path) -> None:
    names = [f"nb{number}.py" for number in range(4)]
    for name in names:
        (project / name).write_text("1\n")
    context = get_context("spawn")
    workers = [context.Process(target=_remember_alone, args=(project, name)) for name in names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    memory = Memory.open(project)
    for name in names:
        entry = memory.recall(name, "key")
        assert entry is not None
        assert entry.sets[""].run_id == name


_HASHES = st.dictionaries(st.sampled_from("abc"), st.sampled_from("12"))
_INPUTS = st.builds(Inputs, _HASHES, _HASHES, _HASHES)


@given(_INPUTS, _INPUTS)
def test_inputs_of_two_runs_join_where_they_agree(one: Inputs, other: Inputs) -> None:
    together = joined([one, other])
    agree = all(
        getattr(other, name).get(path, digest) == digest
        for name in Inputs._fields
        for path, digest in getattr(one, name).items()
    )
    assert (together is not None) == agree
    if together is not None:
        assert joined([together, one, other]) == together
        assert Inputs.from_json(together.to_json()) == together


_FINDING = {"rule": "r", "severity": "note", "message": "m", "path": "p", "line": 1, "hint": ""}


@pytest.mark.parametrize("value", [[[1]], [5], True, "\0", {"a": {"b": [1]}}])
@pytest.mark.parametrize("key", ["run_id", "duration_seconds", "parameters", "scraps", *_FINDING])
def test_an_entry_that_was_tampered_with_counts_as_none(
    project: Path, key: str, value: Any
) -> None:
    passed = Passed("run-1", 1.0, findings=(Finding(**_FINDING),))
    plain = Entry({"": passed}, Inputs()).to_json()
    place = plain["sets"][""]["findings"][0] if key in _FINDING else plain["sets"][""]
    fits = type(value) is type(place[key]) or (
        value is True and key in ("line", "duration_seconds")
    )
    place[key] = value
    folder = project / ".octavo/gate"
    folder.mkdir(parents=True, exist_ok=True)
    content = {"format": 1, "stamps": {}, "notebooks": {"nb.py": {"key": "key", **plain}}}
    (folder / "memory.json").write_text(json.dumps(content))
    assert (known(project) is not None) == (fits and key != "severity")


def test_an_entry_under_which_nothing_passed_counts_as_none(project: Path) -> None:
    memory = Memory.open(project)
    memory.remember("nb.py", "key", Entry({}, Inputs()))
    assert memory.recall("nb.py", "key") is None


def test_a_pipe_in_place_of_the_memory_is_not_waited_for(project: Path) -> None:
    (project / ".octavo/gate").mkdir(parents=True)
    os.mkfifo(project / ".octavo/gate/memory.json")
    assert known(project) is None
