"""What cells write, in files of the user's."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

import pytest

from octavo.errors import OctavoError, UsageError

pytestmark = pytest.mark.kernel

CELLS = """\
# %%
import sys
print("one")
print("oh", file=sys.stderr)

# %%
print("two é")
"""


def test_streams_go_to_their_files(project: Any) -> None:
    (project.root / "out.txt").write_text("old")
    result = project.run(CELLS, stdout_file="out.txt", stderr_file="err.txt")
    assert result.ok
    assert (project.root / "out.txt").read_text() == "one\ntwo é\n"
    assert (project.root / "err.txt").read_text() == "oh\n"


def test_both_may_share_a_file(project: Any) -> None:
    project.run(CELLS, stdout_file="all.txt", stderr_file="./all.txt")
    assert sorted((project.root / "all.txt").read_text().splitlines()) == ["oh", "one", "two é"]


def test_files_have_what_the_notebook_leaves_out(project: Any) -> None:
    source = "# %%\nfor i in range(20000): print(i)\n"
    project.run(source, stdout_file="out.txt", output_cap=1000)
    lines = (project.root / "out.txt").read_text().splitlines()
    assert lines == [str(number) for number in range(20000)]


def test_secrets_do_not_reach_them(project: Any) -> None:
    project.environ["MY_TOKEN"] = "hunter2-hunter2"
    project.run("# %%\nprint('hunter2-hunter2')\n", stdout_file="out.txt")
    assert (project.root / "out.txt").read_text() == "[redacted:MY_TOKEN]\n"


def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(project: Any) -> None:
    with pytest.raises(UsageError) as told:
        project.run("# %%\nopen('ran', 'w')\n", stdout_file="no/such/folder.txt")
    assert told.value.kind == "output-unwritable" and told.value.hint
    assert not (project.root / "ran").exists()
    assert not (project.root / ".octavo").exists()


def test_a_full_disk_ends_the_run_and_is_told(project: Any) -> None:
    result = project.run("# %%\nprint(1)\n# %%\nopen('ran', 'w')\n", stdout_file="/dev/full")
    assert result.reason == "infrastructure"
    assert "no space left" in result.message
    assert not (project.root / "ran").exists()


def test_several_notebooks_cannot_share_one(project: Any) -> None:
    project.write(CELLS, "a.py")
    project.write(CELLS, "b.py")
    with pytest.raises(UsageError, match="--stdout-file names one file"):
        project.run_paths("a.py", "b.py", stdout_file="out.txt")


@pytest.mark.parametrize("option", ["stdout_file", "stderr_file"])
def test_the_notebook_is_not_written_over(project: Any, option: str) -> None:
    source = project.write(CELLS)
    (project.root / "link.txt").symlink_to(source)
    for path in (source.name, "link.txt"):
        with pytest.raises(OctavoError) as told:
            project.run_paths(source.name, **{option: path})
        assert told.value.kind == "output-exists" and told.value.hint
    assert source.read_text() == CELLS


@pytest.mark.parametrize("path", ["out.ipynb", "-"])
def test_streams_and_notebook_have_different_places(project: Any, path: str) -> None:
    with pytest.raises(OctavoError) as told:
        project.run(CELLS, stdout_file=path, output=path)
    assert told.value.kind == "output-exists"
    assert not (project.root / ".octavo").exists()


def test_standard_output_may_be_a_socket(project: Any) -> None:
    """As under programs that make their pipes of sockets; those cannot be opened by a path."""
    ours, theirs = socket.socketpair()
    source = project.write(CELLS)
    command = [sys.executable, "-m", "octavo", "run", source.name, "-q", "--stdout-file", "-"]
    with ours, theirs:
        subprocess.run(command, cwd=project.root, stdout=theirs, check=True)
        theirs.close()
        assert ours.recv(1000).decode() == "one\ntwo é\n"
