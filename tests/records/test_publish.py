"""`-o`: the notebook at a path that the user names."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.errors import OctavoError, UsageError
from octavo.records.assemble import assemble
from octavo.records.publish import check_output, publish
from records.making import failing_run, journalled


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    run_dir = journalled(tmp_path / "runs", failing_run())
    assemble(run_dir)
    return run_dir


def kind_of(call, *arguments: object) -> str:
    with pytest.raises(OctavoError) as failure:
        call(*arguments)
    assert failure.value.hint
    return failure.value.kind


def test_a_failed_run_has_its_notebook_too(run_dir: Path, tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder" / "out.ipynb"
    check_output(str(output))
    publish(run_dir, str(output))
    assert output.read_bytes() == (run_dir / "notebook.ipynb").read_bytes()
    assert [path.name for path in output.parent.iterdir()] == ["out.ipynb"]


def test_an_earlier_output_is_replaced_at_once(run_dir: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.ipynb"
    output.write_text("old")
    with output.open() as reader:
        publish(run_dir, str(output))
        assert reader.read() == "old"
    assert output.read_bytes() == (run_dir / "notebook.ipynb").read_bytes()


def test_a_link_stays_a_link(run_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    publish(run_dir, str(tmp_path / "link.ipynb"))
    assert (tmp_path / "link.ipynb").is_symlink()
    assert (tmp_path / "real.ipynb").stat().st_size > 0


def test_dev_null_is_written_to_and_stays(run_dir: Path) -> None:
    publish(run_dir, "/dev/null")
    assert not Path("/dev/null").is_file()


def test_a_folder_is_not_an_output(run_dir: Path, tmp_path: Path) -> None:
    assert kind_of(check_output, str(tmp_path)) == "output-exists"
    assert kind_of(publish, run_dir, str(tmp_path)) == "output-exists"


def test_a_path_through_a_file_is_refused(run_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert kind_of(check_output, str(tmp_path / "file" / "out.ipynb")) == "output-unwritable"
    assert kind_of(publish, run_dir, str(tmp_path / "file" / "out.ipynb")) == "output-unwritable"


def test_a_system_folder_is_refused(run_dir: Path) -> None:
    assert kind_of(publish, run_dir, "/proc/out.ipynb") == "output-unwritable"


def test_a_full_disk_leaves_no_piece(run_dir: Path, small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(2 * 1024 * 1024))
    assert kind_of(publish, run_dir, str(small_disk / "out.ipynb")) == "disk-full"
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]


@pytest.mark.parametrize("name", ["x" * 300 + ".ipynb", "a\0b.ipynb", "round", "round/x.ipynb"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(UsageError) as told:
        check_output(str(tmp_path / name))
    assert told.value.kind == "output-unwritable" and told.value.hint


@pytest.mark.parametrize("letter", ["x", "é", "🦉"])
def test_the_longest_name_that_a_file_can_have(run_dir: Path, tmp_path: Path, letter: str) -> None:
    path = tmp_path / (letter * (249 // len(letter.encode())) + ".ipynb")
    check_output(str(path))
    publish(run_dir, str(path))
    assert path.read_bytes() == (run_dir / "notebook.ipynb").read_bytes()
