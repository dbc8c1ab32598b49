"""Refs that somebody else wrote, by accident or on purpose."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from forges.local_forges import alone, forge_in, proposed, two_clones
from git_repositories import ENVIRON, git
from octavo.errors import OctavoError
from octavo.forges.local import LocalForge
from octavo.forges.local.stored import is_branch

REF = "refs/octavo/proposals/1"


def blob(top: Path, content: bytes) -> str:
    done = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=top, input=content, capture_output=True
    )
    return done.stdout.decode().strip()


def planted(top: Path, path: str, content: bytes, mode: str = "100644", ref: str = REF) -> None:
    """Put a file into a proposal as anybody could who can push."""
    environ = {**ENVIRON, "GIT_INDEX_FILE": str(top / ".git" / "planted-index")}
    git(top, "read-tree", ref, environ=environ)
    entry = f"{mode},{blob(top, content)},{path}"
    git(top, "update-index", "--add", "--cacheinfo", entry, environ=environ)
    tree = git(top, "write-tree", environ=environ)
    git(top, "update-ref", ref, git(top, "commit-tree", tree, "-p", ref, "-m", "planted"))


def document(top: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(git(top, "show", f"{REF}:proposal.json"))
    return read


def with_one(tmp_path: Path) -> tuple[Path, LocalForge]:
    top = alone(tmp_path)
    forge = forge_in(top)
    proposed(forge)
    git(top, "branch", "agent/good", "agent/x")
    proposed(forge, "agent/good")
    return top, forge


def broken_documents(top: Path) -> dict[str, bytes]:
    good = document(top)
    far = "9999-12-31T23:59:59.999999Z"
    changes: dict[str, dict[str, Any]] = {
        "newer": {"schema": 2},
        "no schema": {"schema": None},
        "branch that is an option": {"branch": "--upload-pack=evil"},
        "branch with a line end": {"branch": "a\nb"},
        "branch that is a refspec": {"branch": "a:refs/heads/main"},
        "base of another kind": {"base": 7},
        "author of another kind": {"author": "Ada"},
        "state that is none": {"facts": {**good["facts"], "state": ["open!", far]}},
        "head that is a path": {"facts": {**good["facts"], "head": ["../../x", far]}},
        "title of another kind": {"facts": {**good["facts"], "title": [["x"], far]}},
        "time that is none": {"facts": {**good["facts"], "title": ["x", "tomorrow"]}},
        "facts that are none": {"facts": []},
        "facts that are missing": {"facts": {}},
    }
    made = {name: json.dumps({**good, **change}).encode() for name, change in changes.items()}
    made["no JSON"] = b"<html>"
    made["nothing"] = b""
    made["deep"] = b"[" * 100_000
    made["large"] = json.dumps({**good, "uid": "x" * 300_000}).encode()
    made["not text"] = b"\xff\xfe\x00"
    return made


def test_a_broken_proposal_is_told_and_the_others_are_listed(tmp_path: Path) -> None:
    top, forge = with_one(tmp_path)
    for name, content in broken_documents(top).items():
        before = git(top, "rev-parse", REF)
        planted(top, "proposal.json", content)
        reader = forge_in(top)
        assert [each.number for each in reader.proposals("all")] == [2], name
        assert [each.kind for each in reader.troubles] == ["forge-answer"], name
        assert reader.troubles[0].hint
        for call in (reader.proposal, reader.comments, reader.mergeable, reader.close):
            with pytest.raises(OctavoError) as caught:
                call(1)
            assert caught.value.kind == "forge-answer", name
        git(top, "update-ref", REF, before)
    assert forge.proposal(1).title == "Title of agent/x"


def test_a_ref_that_is_no_proposal_is_no_harm(tmp_path: Path) -> None:
    top, _ = with_one(tmp_path)
    git(top, "update-ref", "refs/octavo/proposals/3", blob(top, b"a blob"))
    git(top, "update-ref", "refs/octavo/proposals/4", "main")
    git(top, "update-ref", "refs/octavo/proposals/x", "main")
    git(top, "update-ref", "refs/octavo/proposals/0", "main")
    git(top, "update-ref", "refs/octavo/proposals/99999999999999", "main")
    forge = forge_in(top)
    assert [each.number for each in forge.proposals("all")] == [2, 1]
    git(top, "branch", "agent/next", "agent/x")
    assert proposed(forge, "agent/next").number == 5


def test_broken_entries_are_passed_over_and_told(tmp_path: Path) -> None:
    top, forge = with_one(tmp_path)
    forge.comment(1, "a good one")
    good = json.loads(
        git(
            top,
            "cat-file",
            "blob",
            f"{REF}:{git(top, 'ls-tree', '-r', '--name-only', REF).split()[1]}",
        )
    )
    for name, content in {
        "no-json": b"{",
        "newer": json.dumps({**good, "schema": 99}).encode(),
        "line": json.dumps({**good, "line": -1}).encode(),
        "truth": json.dumps({**good, "line": True}).encode(),
        "path": json.dumps({**good, "path": ["a"]}).encode(),
        "commit": json.dumps({**good, "commit": "--output=/tmp/x"}).encode(),
        "large": b" " * (5 << 20),
    }.items():
        planted(top, f"comments/{name}.json", content)
        planted(top, f"reviews/{name}.json", content)
    reader = forge_in(top)
    assert [each.body for each in reader.comments(1)] == ["a good one"]
    assert reader.reviews(1) == ()
    assert len(reader.troubles) == 14
    assert {each.kind for each in reader.troubles} == {"forge-answer"}


def test_names_in_a_chain_lead_nowhere(tmp_path: Path) -> None:
    top, forge = with_one(tmp_path)
    forge.attach(1, "good.png", b"good", "image/png")
    environ = {**ENVIRON, "GIT_INDEX_FILE": str(top / ".git" / "planted-index")}
    planted(top, "files/link.png", b"/etc/passwd", mode="120000")
    planted(top, "files/sub/deep.png", b"deep")
    planted(top, "files/.hidden", b"hidden")
    planted(top, "files/with space.png", b"space")
    evil = blob(top, b"evil")
    inner = subprocess.run(
        ["git", "mktree"], cwd=top, input=f"100644 blob {evil}\t..\n".encode(), capture_output=True
    )
    tree = inner.stdout.decode().strip()
    listed = f"{git(top, 'ls-tree', REF, environ=environ)}\n040000 tree {tree}\t...\n"
    outer = subprocess.run(["git", "mktree"], cwd=top, input=listed.encode(), capture_output=True)
    commit = git(top, "commit-tree", outer.stdout.decode().strip(), "-p", REF, "-m", "evil")
    git(top, "update-ref", REF, commit)
    body = forge.export(1, tmp_path / "out")
    written = sorted(path.name for path in (tmp_path / "out").rglob("*") if not path.is_dir())
    assert [name.partition("-")[2] or name for name in written] == ["good.png", "body.md"]
    assert body.read_text().startswith("# Title")
    forge.comment(1, "and it can be written to")
    assert [each.body for each in forge.comments(1)] == ["and it can be written to"]


def test_a_proposal_that_cannot_be_joined_is_left_on_both_sides(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    proposed(ada)
    bob.proposals()
    planted(bob_top, "proposal.json", b"{}")
    git(bob_top, "push", "--quiet", "origin", f"{REF}:{REF}")
    theirs = git(tmp_path / "origin.git", "rev-parse", REF)
    git(ada_top, "remote", "set-url", "origin", "nowhere")
    ada.comment(1, "kept here")
    mine = git(ada_top, "rev-parse", REF)
    git(ada_top, "remote", "set-url", "origin", str(tmp_path / "origin.git"))
    again = forge_in(ada_top)
    assert [each.body for each in again.comments(1)] == ["kept here"]
    assert "forge-answer" in [each.kind for each in again.troubles]
    again.comment(1, "and on")
    assert git(tmp_path / "origin.git", "rev-parse", REF) == theirs
    assert git(ada_top, "merge-base", "--is-ancestor", mine, REF) == ""


def test_a_clock_that_is_far_ahead_stops_nobody(tmp_path: Path) -> None:
    top, _ = with_one(tmp_path)
    repository = forge_in(top)._repository
    ahead = LocalForge(repository, None, clock=lambda: 253_402_300_799.0)
    ahead.update(1, title="from the year 9999")
    ahead.comment(1, "early")
    forge = forge_in(top)
    assert forge.update(1, title="from today").title == "from today"
    forge.comment(1, "late")
    assert [each.body for each in forge.comments(1)] == ["early", "late"]


def test_texts_that_git_or_json_could_choke_on(tmp_path: Path) -> None:
    _, forge = with_one(tmp_path)
    odd = "nul \0, lone \ud800, escape \x1b[31m, \r\n line"
    forge.update(1, body=odd, title=odd)
    assert forge.proposal(1).body == odd.replace("\ud800", "\ufffd").replace("\0", "\ufffd")
    assert "\n" not in forge.proposal(1).title
    said = forge.comment(1, odd)
    assert forge.comments(1) == (said,)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "-x",
        "a..b",
        "a b",
        "a~1",
        "a:b",
        "a//b",
        "/a",
        "a/",
        "a.lock",
        "@",
        "a@{b",
        ".a",
        "a/.b",
        "a\\b",
        "a\x7f",
        "a?",
        "a*",
        "a[b",
    ],
)
def test_what_git_takes_for_no_branch_is_none(name: str) -> None:
    assert not is_branch(name)


@pytest.mark.parametrize("name", ["main", "agent/ünï-#1%25+&", "a.b", "a'\"b", "feature/x@y"])
def test_what_git_takes_for_a_branch_is_one(name: str) -> None:
    assert is_branch(name)
    git(Path("/"), "check-ref-format", "--branch", name)
