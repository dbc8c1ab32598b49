"""Which notebooks a change reaches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from git_repositories import ENVIRON, commit_files, git, repository
from octavo.errors import UsageError
from octavo.gate.affected import Affected, changes_since
from octavo.git.repository import Repository

NOTEBOOK = "# %%\nfrom shared.maths import double\n\n# %%\nprint(double(2))\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "project").top
    commit_files(
        folder,
        {
            "notebooks/uses.py": NOTEBOOK,
            "notebooks/alone.py": "# %%\nprint(1)\n",
            "notebooks/reads.py": '# %%\nopen("../data/rows.csv").read()\n',
            "notebooks/declares.py": (
                '# %%\n# /// check\n# data = ["../tables/*.parquet"]\n# ///\n1\n'
            ),
            "shared/__init__.py": "",
            "shared/maths.py": "from .deep import two\n\ndef double(x):\n    return x * two\n",
            "shared/deep.py": "two = 2\n",
            "shared/unused.py": "",
            "data/rows.csv": "1\n",
            "tables/a.parquet": "",
            "README.md": "",
        },
    )
    return folder


def affected(
    top: Path, since: str = "HEAD", seen: Callable[[str], set[str] | None] = lambda path: None
) -> set[str]:
    around = Repository.around(top, ENVIRON)
    tells = Affected(around, changes_since(around, since), seen)
    return {path.stem for path in (top / "notebooks").glob("*.py") if tells(path)}


def test_nothing_changed(top: Path) -> None:
    assert affected(top) == set()


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("notebooks/alone.py", {"alone"}),
        ("notebooks/alone.ipynb", {"alone"}),
        ("notebooks/alone.expected.toml", {"alone"}),
        ("notebooks/alone.expected/figure.png", {"alone"}),
        ("shared/maths.py", {"uses"}),
        ("shared/deep.py", {"uses"}),
        ("shared/__init__.py", {"uses"}),
        ("shared/unused.py", set()),
        ("data/rows.csv", {"reads"}),
        ("tables/b.parquet", {"declares"}),
        ("README.md", set()),
        ("uv.lock", {"uses", "alone", "reads", "declares"}),
        ("requirements-dev.txt", {"uses", "alone", "reads", "declares"}),
    ],
)
@pytest.mark.parametrize("committed", [True, False])
def test_a_change_reaches_what_uses_it(
    top: Path, name: str, reached: set[str], committed: bool
) -> None:
    if committed:
        commit_files(top, {name: "# %%\n2\n"})
    else:
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text("# %%\n2\n")
    assert affected(top, "HEAD~1" if committed else "HEAD") == reached


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from pathlib import Path\nlist(Path('../more').glob('*.csv'))", "more/a.csv"),
        ("year = 1\nopen(f'../more/{year}.csv')", "more/1.csv"),
        ("open('%s.csv' % 1)", "notebooks/1.csv"),
        ("from shared.loader import load", "more/in-module.csv"),
        ("import importlib\nimportlib.import_module('package.late')", "package/late.py"),
        ("import sys\nsys.path.insert(0, '../lib')\nimport inner", "lib/inner.py"),
        ("open('../link.csv')", "data/behind.csv"),
        ("# /// check\n# data = ['../more/**/*.bin']\n# ///\n1", "more/a.bin"),
        ("# /// check\n# data = ['../more']\n# ///\n1", "more/deep/a.bin"),
    ],
)
def test_where_no_run_is_known_the_text_is_enough(top: Path, text: str, name: str) -> None:
    loader = "def load():\n    open('../more/in-module.csv')\n"
    (top / "link.csv").symlink_to("data/behind.csv")
    git(top, "add", "link.csv")
    commit_files(top, {"notebooks/new.py": f"# %%\n{text}\n", "shared/loader.py": loader})
    commit_files(top, {name: "# more\n"})
    assert affected(top, "HEAD~1") == {"new"}


def test_declared_data_outside_of_the_repository_is_no_mistake(top: Path) -> None:
    text = "# %%\n# /// check\n# data = ['/elsewhere/*.csv', '../../x.csv']\n# ///\n1\n"
    commit_files(top, {"notebooks/new.py": text})
    commit_files(top, {"README.md": "changed"})
    assert affected(top, "HEAD~1") == set()


def test_what_lies_behind_a_link_counts(top: Path) -> None:
    (top / "notebooks/linked.py").symlink_to("../shared/notebook.py")
    git(top, "add", "notebooks/linked.py")
    commit_files(top, {"shared/notebook.py": "# %%\n1\n"})
    (top / "link.csv").symlink_to("data/rows.csv")
    commit_files(top, {"shared/notebook.py": "# %%\n2\n"})
    assert affected(top, "HEAD~1") == {"linked"}
    (top / "data/rows.csv").write_text("2\n")
    seen = {str(top / "notebooks/alone.py"): {str(top / "link.csv")}}
    assert affected(top, seen=seen.get) == {"alone", "reads"}


def test_a_changed_submodule_reaches_what_uses_files_in_it(top: Path, tmp_path: Path) -> None:
    other = repository(tmp_path / "other").top
    commit_files(other, {"rows.csv": "1\n"})
    git(top, "submodule", "--quiet", "add", str(other), "sub")
    git(top, "commit", "-q", "-m", "submodule")
    (top / "sub/rows.csv").write_text("2\n")
    seen = {str(top / "notebooks/alone.py"): {str(top / "sub/rows.csv")}}
    assert affected(top, seen=seen.get) == {"alone"}


def test_what_a_run_was_seen_to_read_counts(top: Path) -> None:
    (top / "README.md").write_text("changed")
    alone = str(top / "notebooks/alone.py")
    seen = {alone: {str(top / "README.md")}}
    assert affected(top, seen=seen.get) == {"alone"}


@pytest.mark.parametrize("folder", ["data", "."])
def test_a_new_file_in_a_folder_that_a_run_listed_counts(top: Path, folder: str) -> None:
    (top / folder / "more.csv").write_text("changed")
    seen = {str(top / "notebooks/alone.py"): {str(top / folder)}}
    assert affected(top, seen=seen.get) == {"alone"}


def test_a_notebook_that_cannot_be_read_is_affected(top: Path) -> None:
    commit_files(top, {"notebooks/broken.py": "# %%\n# /// check\n# x\n1\n"})
    (top / "README.md").write_text("changed")
    assert affected(top) == {"broken"}


def test_what_the_base_did_since_does_not_count(top: Path) -> None:
    git(top, "switch", "-q", "-c", "work")
    commit_files(top, {"notebooks/alone.py": "# %%\n3\n"})
    git(top, "switch", "-q", "main")
    commit_files(top, {"shared/maths.py": "double = abs\n"})
    git(top, "switch", "-q", "work")
    assert affected(top, "main") == {"alone"}


def refusal(top: Path, since: str) -> UsageError:
    with pytest.raises(UsageError) as raised:
        affected(top, since)
    return raised.value


def obey(top: Path, hint: str) -> None:
    """Do what a hint says, up to its first comma."""
    command = hint.partition(",")[0].split()
    assert command[:2] == ["git", "fetch"]
    git(top, "fetch", "-q", *command[2:])


def test_an_unknown_base_without_a_remote_is_said_with_what_there_is(top: Path) -> None:
    error = refusal(top, "origin/release")
    assert error.kind == "revision-unknown"
    assert "no remote" in error.hint
    assert git(top, "branch", "--show-current").strip() in error.hint


@pytest.mark.parametrize("depth", [(), ("--depth", "1")], ids=["whole", "shallow"])
@pytest.mark.parametrize("branch", ["release", "team/release"])
def test_the_command_that_is_hinted_brings_a_missing_base(
    top: Path, tmp_path: Path, branch: str, depth: tuple[str, ...]
) -> None:
    git(top, "branch", branch)
    git(top, "switch", "-q", "-c", "work")
    commit_files(top, {"notebooks/alone.py": "# %%\n3\n"})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--single-branch", *depth, f"file://{top}", str(clone))
    error = refusal(clone, f"origin/{branch}")
    assert error.kind == ("shallow" if depth else "revision-unknown")
    obey(clone, error.hint)
    assert affected(clone, f"origin/{branch}") == {"alone"}
    assert refusal(clone, branch).hint == f"--since origin/{branch}"


def test_what_is_no_branch_is_fetched_with_all(top: Path, tmp_path: Path) -> None:
    commit_files(top, {"notebooks/alone.py": "# %%\n3\n"})
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{top}", str(shallow))
    obey(shallow, refusal(shallow, "HEAD~1").hint)
    assert affected(shallow, "HEAD~1") == {"alone"}


def test_a_shallow_clone_is_said(top: Path, tmp_path: Path) -> None:
    commit_files(top, {"notebooks/alone.py": "# %%\n3\n"})
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{top}", str(shallow))
    with pytest.raises(UsageError) as raised:
        affected(shallow, "HEAD~1")
    assert raised.value.kind == "shallow"
    assert "--unshallow" in raised.value.hint
