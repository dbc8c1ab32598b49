"""Files that cannot be read as notebooks get a clear error with a hint."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from octavo.errors import NotebookError, ParameterError
from octavo.sources import read_source, read_text


def refused(path: Path) -> NotebookError:
    with pytest.raises(NotebookError) as raised:
        read_source(path)
    error = raised.value
    assert str(path) in error.place
    assert error.hint
    return error


def test_a_notebook_is_read_with_its_text_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "nb.py"
    path.write_bytes(b"# %%\r\nx = 'h\xc3\xa9'\r\n")
    source = read_source(path)
    assert source.notebook.cells[0].source == "x = 'hé'"
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert source.format == "py"
    assert source.path == str(path)


def test_a_missing_file_names_the_closest_ones(tmp_path: Path) -> None:
    (tmp_path / "health_check.py").write_text("1\n")
    error = refused(tmp_path / "heath_chek.py")
    assert error.kind == "notebook-not-found"
    assert "health_check.py" in error.hint


def test_a_missing_file_names_its_twin_in_the_other_format(tmp_path: Path) -> None:
    (tmp_path / "nb.ipynb").write_text("{}")
    assert "nb.ipynb" in refused(tmp_path / "nb.py").hint


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "gone") in refused(tmp_path / "gone" / "nb.py").hint


def test_a_folder_is_refused_with_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "nb.py").write_text("1\n")
    error = refused(tmp_path)
    assert error.kind == "notebook-unreadable"
    assert "nb.py" in error.hint


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("name", ["nb.py", "nb.ipynb"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert refused(path).kind == "notebook-empty"


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"# %%\nx = 'h\xe9'\n", "line 2"),
        ("# %%\nx = 1\n".encode("utf-16"), "UTF-16"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\xff", "not text"),
    ],
)
def test_other_encodings_are_refused(tmp_path: Path, content: bytes, word: str) -> None:
    path = tmp_path / "nb.py"
    path.write_bytes(content)
    error = refused(path)
    assert error.kind == "notebook-encoding"
    assert word in error.message


def test_an_unknown_kind_of_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nb.txt"
    path.write_text("x")
    error = refused(path)
    assert error.kind == "format-unknown"
    assert ".ipynb" in error.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nb.py"
    path.write_text("1\n")
    path.chmod(0)
    assert refused(path).kind == "notebook-unreadable"


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nb.py"
    path.symlink_to(path)
    assert refused(path).kind == "notebook-unreadable"


def test_the_hint_for_an_empty_file_speaks_of_its_format(tmp_path: Path) -> None:
    (tmp_path / "nb.py").touch()
    (tmp_path / "nb.ipynb").touch()
    assert "# %%" in refused(tmp_path / "nb.py").hint
    assert "# %%" not in refused(tmp_path / "nb.ipynb").hint


def test_a_link_to_nothing_says_where_it_leads(tmp_path: Path) -> None:
    path = tmp_path / "nb.py"
    path.symlink_to("moved_away.py")
    error = refused(path)
    assert error.kind == "notebook-not-found"
    assert "link" in error.message
    assert "moved_away.py" in error.hint


def test_a_folder_of_parameters_is_not_called_a_notebook(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as raised:
        read_text(tmp_path, kind="parameter-file")
    assert raised.value.message == "this is a folder, not a file"


def test_other_files_are_read_under_a_kind_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as raised:
        read_text(tmp_path / "values.yaml", kind="parameter-file")
    assert raised.value.kind == "parameter-file"


@pytest.mark.parametrize("name", ["pipe.ipynb", "pipe.py", "pipe.md"])
def test_nobody_waits_for_what_may_never_come_through_a_pipe(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(NotebookError, match="a pipe or a device") as caught:
        read_source(tmp_path / name)
    assert (caught.value.kind, caught.value.place) == ("notebook-unreadable", str(tmp_path / name))


def test_a_device_under_the_name_of_a_notebook_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "zero.ipynb").symlink_to("/dev/zero")
    with pytest.raises(NotebookError, match="a pipe or a device"):
        read_source(tmp_path / "zero.ipynb")
