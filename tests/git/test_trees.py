"""Trees that are changed object by object are those that git itself would have written."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_repositories import ENVIRON, git, repository
from octavo.git.objects import write_blob, write_tree
from octavo.git.program import Git
from octavo.git.trees import Tree, contents, write_blobs

_NAME = st.sampled_from(["a", "b", "a b", "ü", "z"])
_PATH = st.lists(_NAME, min_size=1, max_size=3).map(lambda parts: f"{'/'.join(parts)}.txt")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(_PATH, st.binary(max_size=8), max_size=5), st.sets(_PATH, max_size=4))
def test_as_git_writes_them(tmp_path: Path, files: dict[str, bytes], gone: set[str]) -> None:
    folder = tmp_path / "work"
    program = Git(folder, ENVIRON) if folder.exists() else repository(folder).git
    base = program.text("rev-parse", "HEAD")
    tree = Tree(program, base)
    for name, content in files.items():
        tree.put(name, write_blob(program, content))
    for name in gone:
        tree.remove(name)
    kept = {name: content for name, content in files.items() if name not in gone}
    assert tree.write() == write_tree(program, base, kept)


def test_only_the_way_to_a_change_is_read(tmp_path: Path) -> None:
    files = {f"{n}/{m}.txt": "x" for n in range(5) for m in range(3)}
    repo = repository(tmp_path, files)
    tree = Tree(repo.git, "HEAD")
    tree.put("3/new.txt", write_blob(repo.git, b"new"))
    changed = git(tmp_path, "diff-tree", "-r", "--name-only", "HEAD", tree.write())
    assert changed == "3/new.txt"
    assert set(tree.items("3")) == {"0.txt", "1.txt", "2.txt", "new.txt"}
    assert tree.items("nowhere") == {}
    assert tree.oid("3/none.txt") is None


def test_contents_in_their_order(tmp_path: Path) -> None:
    repo = repository(tmp_path, {"a.txt": "one\n", "b.txt": "", "f/c.txt": "three"})
    names = ["HEAD:a.txt", "HEAD:none", "HEAD:b.txt", "HEAD:f", "HEAD:bad\nname", "HEAD:f/c.txt"]
    assert list(contents(repo.git, names)) == [b"one\n", None, b"", None, None, b"three"]
    assert list(contents(repo.git, [])) == []


def test_many_files_in_one_call(tmp_path: Path) -> None:
    repo = repository(tmp_path / "work")
    paths = [tmp_path / f"{n}" for n in range(3)]
    for path in paths:
        path.write_bytes(path.name.encode() + b"\r\n")
    blobs = write_blobs(repo.git, map(str, paths))
    assert list(contents(repo.git, blobs)) == [b"0\r\n", b"1\r\n", b"2\r\n"]
    assert write_blobs(repo.git, []) == []
