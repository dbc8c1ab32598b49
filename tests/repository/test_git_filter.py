"""The clean filter, alone and under real git: commits have no outputs, the folder keeps them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from git_repositories import git
from octavo.repository.cleaning import clean
from octavo.repository.git_filter import LARGEST, ProtocolError, serve
from repository.setting_up import STREAM, environ, initialized, notebook, octavo, run

DIRTY = notebook("print('hello')", outputs=[STREAM], count=3)
CLEAN = notebook("print('hello')")


def packet(data: bytes) -> bytes:
    return b"%04x" % (len(data) + 4) + data


GREETING = (
    packet(b"git-filter-client\n") + packet(b"version=2\n") + b"0000"
    + packet(b"capability=clean\n") + packet(b"capability=delay\n") + b"0000"
)  # fmt: skip
AGREED = (
    packet(b"git-filter-server\n") + packet(b"version=2\n") + b"0000"
    + packet(b"capability=clean\n") + packet(b"capability=smudge\n") + b"0000"
)  # fmt: skip
SUCCESS = packet(b"status=success\n") + b"0000"


def asked(command: bytes, name: bytes, content: bytes) -> bytes:
    pieces = [content[at : at + LARGEST] for at in range(0, len(content), LARGEST)]
    return (
        packet(b"command=" + command + b"\n") + packet(b"pathname=" + name + b"\n") + b"0000"
        + b"".join(map(packet, pieces)) + b"0000"
    )  # fmt: skip


def served(*requests: bytes) -> tuple[bytes, list[str]]:
    out, told = io.BytesIO(), list[str]()
    serve(io.BytesIO(GREETING + b"".join(requests)), out, told.append)
    assert out.getvalue().startswith(AGREED)
    return out.getvalue()[len(AGREED) :], told


def test_many_files_are_cleaned_by_one_process() -> None:
    answer, told = served(
        asked(b"clean", b"a.ipynb", DIRTY.encode()), asked(b"smudge", b"b.ipynb", DIRTY.encode())
    )
    assert answer == b"".join(
        SUCCESS + packet(content.encode()) + b"00000000" for content in (CLEAN, DIRTY)
    )
    assert not told


def test_long_files_go_in_packets_that_git_takes() -> None:
    long = notebook("x = 1\n" * 40_000)
    answer, _ = served(asked(b"clean", b"a.ipynb", long.encode()))
    content, at = b"", len(SUCCESS)
    while (length := int(answer[at : at + 4], 16)) != 0:
        assert length <= 65520
        content += answer[at + 4 : at + length]
        at += length
    assert content.decode() == long


def test_what_git_may_ask_one_day_is_refused_and_not_fatal() -> None:
    answer, _ = served(asked(b"polish", b"a", b"x"), asked(b"clean", b"a.ipynb", CLEAN.encode()))
    assert answer.startswith(packet(b"status=error\n") + b"0000" + SUCCESS)


def test_what_is_no_notebook_goes_through_and_is_told() -> None:
    answer, told = served(asked(b"clean", b"a\n.ipynb", b"<<<<<<< HEAD\n"))
    assert answer == SUCCESS + packet(b"<<<<<<< HEAD\n") + b"00000000"
    assert len(told) == 1
    assert "unresolved merge conflicts" in told[0]


@pytest.mark.parametrize("sent", [b"", b"zzzz", b"0009abc", b"0002", packet(b"hello\n")])
def test_another_caller_than_git_is_told_so(sent: bytes) -> None:
    with pytest.raises(ProtocolError):
        serve(io.BytesIO(sent), io.BytesIO(), lambda line: None)


def test_without_the_protocol_one_file_goes_from_input_to_output() -> None:
    command = [sys.executable, "-m", "octavo", "git-clean", "a.ipynb"]
    done = subprocess.run(command, input=DIRTY.encode(), capture_output=True, check=True)
    assert done.stdout.decode() == CLEAN
    done = subprocess.run(command, input=b"\xff\x00", capture_output=True, check=True)
    assert done.stdout == b"\xff\x00"
    assert b"a.ipynb stays as it is" in done.stderr


def test_blame_of_a_changed_notebook_is_quiet(tmp_path: Path) -> None:
    repository = initialized(tmp_path)
    path = repository / "notebooks" / "n.ipynb"
    path.write_text(notebook("print('changed')", outputs=[STREAM], count=3))
    done = subprocess.run(
        ["git", "blame", str(path)], cwd=repository, env=environ(tmp_path / "home"),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "print('changed')" in done.stdout
    assert done.stderr == ""


def test_files_are_cleaned_in_place(tmp_path: Path) -> None:
    names = ["dirty.ipynb", "clean.ipynb", "-odd name.ipynb"]
    for name, text in zip(names, (DIRTY, CLEAN, DIRTY), strict=True):
        (tmp_path / name).write_text(text)
    assert octavo(tmp_path, "git-clean", "--in-place", *names).code == 1
    assert [(tmp_path / name).read_text() for name in names] == [CLEAN] * 3
    assert octavo(tmp_path, "git-clean", "--in-place", *names).code == 0
    gone = octavo(tmp_path, "git-clean", "--in-place", "gone.ipynb")
    assert gone.code == 3
    assert "gone.ipynb" in gone.err


def test_commits_have_no_outputs_while_the_folder_keeps_them(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    env = environ(tmp_path / "home")
    for name in ("notebooks/x.ipynb", "deep/down/ünïcode 'name'.ipynb", "runs/r.ipynb",
                 "a/reports/2026/r.ipynb", "executions/e.ipynb", "outputs/o.ipynb"):  # fmt: skip
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(DIRTY)
    git(top, "add", "--all", environ=env)
    git(top, "commit", "-qm", "notebooks", environ=env)
    committed = {
        name: git(top, "show", "--no-textconv", f"HEAD:{name}", environ=env) + "\n"
        for name in git(top, "ls-files", "-z", "--", "*.ipynb", environ=env).split("\0")
        if name and name != "notebooks/n.ipynb"
    }
    kept = {name for name, text in committed.items() if text == DIRTY}
    assert kept == {
        "runs/r.ipynb",
        "a/reports/2026/r.ipynb",
        "executions/e.ipynb",
        "outputs/o.ipynb",
    }
    assert {committed[name] for name in committed.keys() - kept} == {CLEAN}
    assert (top / "notebooks/x.ipynb").read_text() == DIRTY
    assert git(top, "status", "--porcelain", environ=env) == ""


def test_git_starts_one_process_for_all_files(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    for number in range(12):
        (top / f"n{number}.ipynb").write_text(DIRTY)
    trace = tmp_path / "trace"
    env = environ(tmp_path / "home", GIT_TRACE2_EVENT=str(trace))
    git(top, "add", "--all", environ=env)
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    started = [each for each in events if each["event"] == "child_start"]
    assert len([each for each in started if "git-clean" in " ".join(each["argv"])]) == 1


def test_an_old_git_that_only_knows_single_filters_is_served(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    env = environ(tmp_path / "home")
    git(top, "config", "--unset", "filter.octavo.process")
    (top / "it's 100% odd.ipynb").write_text(DIRTY)
    git(top, "add", "--all", environ=env)
    assert git(top, "show", ":it's 100% odd.ipynb", "--no-textconv", environ=env) + "\n" == CLEAN


def test_a_commit_that_no_filter_sees_can_be_cleaned() -> None:
    assert clean(DIRTY.encode()) == CLEAN.encode()
    assert clean(b"no notebook") == b"no notebook"


def test_the_filter_says_how_it_is_used(tmp_path: Path) -> None:
    assert "usage: octavo git-clean" in octavo(tmp_path, "git-clean", "--help").out
    wrong = run(tmp_path, sys.executable, "-m", "octavo", "git-clean", "--process")
    assert wrong.code == 2
    assert "started by git" in wrong.err
