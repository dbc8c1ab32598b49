"""The index pages: newest first, bounded, believed only where they are as we wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archive.desks import archived, made_run, png, shown, start
from octavo.archive.indexes import NEWEST
from octavo.errors import OctavoError
from octavo.git.objects import move_ref, write_blob, write_commit
from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.git.trees import Tree
from proposals.desks import Desk

FOLDER = "reports/notebooks/health"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path)


@contextmanager
def edited(desk: Desk) -> Iterator[Tree]:
    """Somebody changes files of the branch by hand."""
    git = Repository.around(desk.folder, desk.environ).git
    tip = git.text("rev-parse", "reports")
    tree = Tree(git, tip)
    yield tree
    commit = write_commit(git, tree.write(), (tip,), "by hand\n")
    move_ref(git, "refs/heads/reports", commit, tip)


def page(desk: Desk, path: str = f"{FOLDER}/README.md") -> str:
    return desk.git("show", f"reports:{path}")


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")][2:]


def test_newest_first_with_scraps_as_columns(desk: Desk) -> None:
    first = made_run(desk, scraps={"score": 0.5}, parameters={"host": "a"})
    then = made_run(desk, scraps={"score": 0.75, "words": ["x", "y"]})
    archived(desk, then)
    archived(desk, first)
    table = page(desk)
    assert "| `score` | `words` |" in table
    assert [first[-8:] in row for row in rows(table)] == [False, True]
    assert [cell.strip() for cell in rows(table)[0].split("|")][4:7] == ["", "0.75", '`["x", "y"]`']
    assert "`host` = `a`" in rows(table)[1]
    [row] = rows(page(desk, "README.md"))
    assert "[`notebooks/health.py`](reports/notebooks/health/README.md)" in row
    assert "| 2 | 0.75 |" in row


def test_a_long_number_is_seen_to_be_cut(desk: Desk) -> None:
    archived(desk, made_run(desk, scraps={"digits": 10**60}))
    [row] = rows(page(desk))
    assert "000… |" in row


def test_figures_are_thumbnails(desk: Desk) -> None:
    run_id = made_run(desk, outputs=[shown(image_png=png(n * 9)) for n in range(10)])
    [entry] = archived(desk, run_id).entries
    assert len(entry.figures) == 8
    where = entry.place.removeprefix(f"{FOLDER}/")
    assert f'<img src="{where}/figures/1.png" width="120"' in page(desk)
    names = desk.git("ls-tree", "-r", "--name-only", f"reports:{entry.place}/figures").split()
    assert len(names) == 8
    assert '<img src="figures/8.png"' in page(desk, f"{entry.place}/README.md")


def test_what_a_notebook_says_stays_text(desk: Desk) -> None:
    evil = "|`` <script>alert(1)</script> [x](javascript:1) <img src=x onerror=1>\n# heading"
    name = "notebooks/a|b [x](y) <b>`'\".py"
    run_id = made_run(
        desk, notebook=name, scraps={evil: evil}, parameters={evil: evil}, status="error",
        message=evil,
    )  # fmt: skip
    [entry] = archived(desk, run_id).entries
    from markdown_it import MarkdownIt

    folder = entry.place.rsplit("/", 2)[0]
    for path in ("README.md", f"{folder}/README.md", f"{entry.place}/README.md"):
        made = MarkdownIt("commonmark", {"html": True}).enable("table").render(page(desk, path))
        for tag in ("<script", "<img src=x", "<b>", 'href="javascript'):
            assert tag not in made, path
        assert made.count("<h1>") == 1
        assert "<h2" not in made
        assert made.count("<table>") == 1 or path.startswith(entry.place)


def test_more_runs_than_a_page_has(desk: Desk) -> None:
    runs = [made_run(desk) for _ in range(NEWEST + 3)]
    archived(desk, *runs[:-1])
    archived(desk, runs[-1])
    assert len(rows(page(desk))) == NEWEST
    assert "3 older runs, by day: [20" in page(desk)
    assert f"| {NEWEST + 3} |" in page(desk, "README.md")
    archived(desk, prune=True, keep=NEWEST - 1, yes=True)
    assert len(rows(page(desk))) == NEWEST - 1
    assert "older" not in page(desk)


class TestEditedByHand:
    """Whatever somebody did to the indexes, the next archiving makes them right again."""

    def expected(self, desk: Desk, runs: list[str]) -> None:
        last = made_run(desk)
        archived(desk, last)
        assert [run[-8:] in page(desk) for run in [*runs, last]] == [True] * (len(runs) + 1)
        assert f"| {len(runs) + 1} |" in page(desk, "README.md")

    @pytest.fixture
    def runs(self, desk: Desk) -> list[str]:
        runs = [made_run(desk) for _ in range(3)]
        archived(desk, *runs)
        return runs

    def test_gone(self, desk: Desk, runs: list[str]) -> None:
        with edited(desk) as tree:
            for path in ("index.json", "README.md", f"{FOLDER}/index.json", f"{FOLDER}/README.md"):
                tree.remove(path)
        self.expected(desk, runs)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"octavo": "archive"}', b"\xff"])
    def test_replaced(self, desk: Desk, runs: list[str], content: bytes) -> None:
        with edited(desk) as tree:
            for path in ("index.json", f"{FOLDER}/index.json"):
                tree.put(path, write_blob(tree.git, content))
        self.expected(desk, runs)

    def test_a_value_changed(self, desk: Desk, runs: list[str]) -> None:
        index = json.loads(page(desk, f"{FOLDER}/index.json"))
        index["runs"][0]["scraps"] = {"score": 1000000}
        with edited(desk) as tree:
            tree.put(f"{FOLDER}/index.json", write_blob(tree.git, json.dumps(index).encode()))
        self.expected(desk, runs)
        assert "1000000" not in page(desk)

    def test_a_run_removed(self, desk: Desk, runs: list[str]) -> None:
        with edited(desk) as tree:
            [place] = [p for p in _places(desk) if p.endswith(runs[1])]
            tree.remove(place)
        self.expected(desk, [runs[0], runs[2]])
        assert runs[1][-8:] not in page(desk)

    def test_an_entry_damaged(self, desk: Desk, runs: list[str]) -> None:
        with edited(desk) as tree:
            [place] = [p for p in _places(desk) if p.endswith(runs[1])]
            tree.put(f"{place}/entry.json", write_blob(tree.git, b"nonsense"))
            tree.remove("index.json")
        self.expected(desk, runs)

    def test_of_a_newer_version(self, desk: Desk, runs: list[str]) -> None:
        before = json.loads(page(desk, "index.json"))
        with edited(desk) as tree:
            newer = json.dumps({**before, "schema": 2}).encode()
            tree.put("index.json", write_blob(tree.git, newer))
        with pytest.raises(OctavoError) as caught:
            archived(desk, made_run(desk))
        assert caught.value.kind == "archive"
        assert "newer version" in caught.value.message


def _places(desk: Desk) -> list[str]:
    return desk.git("ls-tree", "-r", "-d", "--name-only", "reports").split("\n")


def test_notebooks_whose_folders_meet(desk: Desk) -> None:
    names = ["a.py", "a/b.py", "a/2026-01-01.py", "a/index.json.py", "README.md", ".git.py"]
    runs = [made_run(desk, notebook=name) for name in names]
    archived(desk, *runs)
    archived(desk, again := made_run(desk, notebook="a.py"))
    listed = [row for row in rows(page(desk, "README.md")) if "| 1 |" in row or "| 2 |" in row]
    assert len(listed) == len(names)
    assert again[-8:] in page(desk, "reports/a/README.md")
    assert runs[1][-8:] in page(desk, "reports/a/b/README.md")
    assert desk.git("fsck", "--no-dangling") == ""


def test_adding_one_costs_the_same_in_a_large_archive(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in calls of git and bytes read from it, which do not depend on the machine."""
    archived(desk, *(made_run(desk) for _ in range(NEWEST)))
    small = _cost(desk, monkeypatch)
    archived(desk, *(made_run(desk) for _ in range(300)))
    large = _cost(desk, monkeypatch)
    assert large[0] <= small[0] + 2
    # The folder of the day is listed twice, and has a line for each run.
    assert large[1] < small[1] + 300 * 2 * 100


def _cost(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    run_id = made_run(desk)
    calls: list[int] = []
    real = Git.call

    def counted(self: Git, *arguments: str, **named: object) -> tuple[int, bytes, str]:
        answer = real(self, *arguments, **named)  # type: ignore[arg-type]
        calls.append(len(answer[1]))
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(Git, "call", counted)
        archived(desk, run_id)
    return len(calls), sum(calls)
