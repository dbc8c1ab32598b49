"""What is too large for git is in the artifact store, and comes back when a run is read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from archive.desks import archived, made_run, png, printed, shown, start
from archive.test_indexes import edited
from octavo.archive.artifacts import Artifact, ArtifactStore
from octavo.archive.looking import archived_run
from octavo.errors import StorageError
from octavo.git.objects import write_blob
from octavo.records.run_dir import RunDir
from octavo.runs.context import Said
from proposals.desks import Desk

SMALL = "archive_largest = 5000\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path, SMALL)


def read_back(desk: Desk, run_id: str) -> tuple[RunDir, list[str]]:
    """The run out of the archive, and what was said about it."""
    said: list[str] = []
    context = desk.context()
    context.emit = lambda event: said.append(event.text) if isinstance(event, Said) else None
    context.cache = str(desk.folder.parent / "cache")
    found = archived_run(context, run_id)
    assert found is not None
    return found, said


def blob_sizes(desk: Desk) -> list[int]:
    lines = desk.git("ls-tree", "-r", "-l", "reports").splitlines()
    return [int(line.split("\t")[0].split()[-1]) for line in lines]


def local(desk: Desk, run_id: str) -> Path:
    return next(desk.folder.glob(f".octavo/runs/*/{run_id}"))


def test_a_large_output(desk: Desk) -> None:
    outputs = [printed("small\n"), printed("x" * 20_000), shown(image_png=png())]
    run_id = made_run(desk, outputs=outputs)
    [entry] = archived(desk, run_id).entries
    assert len(entry.artifacts) == 1
    assert max(blob_sizes(desk)) <= 6000
    text = desk.git("show", f"reports:{entry.place}/notebook.ipynb")
    assert "too large for git" in text
    assert entry.artifacts[0] in text
    assert "xxxx" not in text
    run, said = read_back(desk, run_id)
    assert said == []
    both = (run.notebook_path, local(desk, run_id) / "notebook.ipynb")
    cells = [json.loads(path.read_bytes())["cells"] for path in both]
    assert cells[0] == cells[1]


def test_large_files(desk: Desk) -> None:
    run_id = made_run(desk, source="# " + "s" * 10_000)
    files = local(desk, run_id) / "files"
    files.mkdir()
    (files / "cell-0-stdout.txt").write_text("y" * 10_000)
    (files / "cell-1-stdout.txt").write_text("short")
    [entry] = archived(desk, run_id).entries
    assert len(entry.artifacts) == 2
    names = desk.git("ls-tree", "-r", "--name-only", f"reports:{entry.place}").split()
    assert {"source.py.pointer.json", "files/cell-0-stdout.txt.pointer.json"} <= set(names)
    pointer = json.loads(desk.git("show", f"reports:{entry.place}/source.py.pointer.json"))
    assert (pointer["size"], pointer["store"]) == (10_002, ".octavo/artifacts")
    run, _ = read_back(desk, run_id)
    assert (run.path / "files/cell-0-stdout.txt").read_text() == "y" * 10_000
    assert (run.path / "source.py").stat().st_size == 10_002


def test_a_missing_or_damaged_artifact_is_said(desk: Desk) -> None:
    run_id = made_run(desk, outputs=[printed("x" * 20_000)])
    [entry] = archived(desk, run_id).entries
    [path] = (desk.folder / ".octavo/artifacts").glob(f"sha256/*/{entry.artifacts[0]}")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"x", b"y"))
    run, said = read_back(desk, run_id)
    assert len(said) == 1
    assert "is damaged" in said[0]
    assert "too large for git" in run.notebook_path.read_text()
    path.unlink()
    assert "is not in the artifact store" in read_back(desk, run_id)[1][0]
    path.write_bytes(whole)
    run, said = read_back(desk, run_id)
    assert said == []
    assert "x" * 20_000 in run.notebook_path.read_text()


def test_a_note_that_names_something_else(desk: Desk) -> None:
    run_id = made_run(desk, outputs=[printed("x" * 20_000)], source="# " + "s" * 10_000)
    [entry] = archived(desk, run_id).entries
    name = f"{entry.place}/notebook.ipynb"
    document = json.loads(desk.git("show", f"reports:{name}"))
    pointer = json.loads(desk.git("show", f"reports:{entry.place}/source.py.pointer.json"))
    document["cells"][0]["outputs"][0]["metadata"]["octavo"]["artifact"] = pointer
    with edited(desk) as tree:
        tree.put(name, write_blob(tree.git, json.dumps(document).encode()))
    run, said = read_back(desk, run_id)
    assert ["is no output" in each for each in said] == [True]
    assert "too large for git" in run.notebook_path.read_text()


@pytest.mark.parametrize("content", [[1, 2], {"a": 1}, None, "%%%", [], ""])
def test_an_image_that_is_none_stays_in_the_notebook(desk: Desk, content: object) -> None:
    outputs = [shown(image_png=content), shown(image_png=png())]
    [entry] = archived(desk, made_run(desk, outputs=outputs)).entries
    assert len(entry.figures) == 1


def test_a_notebook_whose_source_is_too_large(desk: Desk) -> None:
    run_id = made_run(desk)
    path = local(desk, run_id) / "notebook.ipynb"
    document = json.loads(path.read_text())
    document["cells"][0]["source"] = "z" * 30_000
    path.write_text(json.dumps(document))
    [entry] = archived(desk, run_id).entries
    names = desk.git("ls-tree", "-r", "--name-only", f"reports:{entry.place}").split()
    assert "notebook.ipynb.pointer.json" in names
    assert read_back(desk, run_id)[0].notebook_path.read_bytes() == path.read_bytes()
    shutil.rmtree(desk.folder / ".octavo/artifacts")
    shutil.rmtree(desk.folder.parent / "cache")
    with pytest.raises(StorageError) as caught:
        read_back(desk, run_id)
    assert caught.value.kind == "artifact"


def test_what_is_there_is_not_written_again(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path / "store", "store")
    first = store.put(b"content", "text/plain")
    path = store.path_of(first)
    before = path.stat().st_mtime_ns
    assert store.put(b"content", "text/plain") == first
    assert path.stat().st_mtime_ns == before
    path.write_bytes(b"half")
    assert store.put(b"content", "text/plain") == first
    assert store.get(first).read_bytes() == b"content"


@pytest.mark.parametrize(
    "plain",
    [None, [], {}, {"octavo": "artifact", "sha256": "../../etc/passwd", "size": 1},
     {"octavo": "artifact", "sha256": "a" * 64, "size": "many"},
     {"octavo": "artifact", "sha256": ["a"], "size": 3}],
)  # fmt: skip
def test_what_is_no_pointer(plain: object) -> None:
    assert Artifact.from_json(plain) is None
