"""Laws of joining what was written apart, and of following lines."""

from __future__ import annotations

import difflib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from forges.local_forges import forge_in, proposed, two_clones
from git_repositories import git
from octavo.forges.local.document import Document, read_document
from octavo.forges.local.places import Hunk, moved
from octavo.forges.local.stored import Person, stamp

TIMES = st.integers(0, 3).map(lambda n: stamp(1_700_000_000 + n))
FACTS = {
    "title": st.sampled_from(["a", "b", "merged"]),
    "body": st.sampled_from(["a" * 40, "b" * 40]),
    "draft": st.booleans(),
    "state": st.sampled_from(["open", "closed", "merged"]),
    "head": st.sampled_from(["c" * 40, "d" * 40]),
    "merged": st.sampled_from(["", "e" * 40]),
    "updated": TIMES,
}


@st.composite
def documents(draw: st.DrawFn) -> Document:
    facts = {name: (draw(values), draw(TIMES)) for name, values in FACTS.items()}
    if draw(st.booleans()):
        facts["later-fact"] = (draw(st.integers(0, 2)), draw(TIMES))
    author = Person("Ada", "ada@example.org")
    return Document("uid", author, stamp(0), "agent/x", "main", facts)


@given(documents(), documents(), documents())
def test_the_order_of_joining_does_not_matter(a: Document, b: Document, c: Document) -> None:
    assert a.joined(b) == b.joined(a)
    assert a.joined(b).joined(c) == a.joined(b.joined(c))
    assert a.joined(a) == a
    assert a.joined(b).joined(b) == a.joined(b)


@given(documents(), documents())
def test_what_is_later_stands_and_a_merge_is_final(a: Document, b: Document) -> None:
    joined = a.joined(b)
    for name, (value, at) in joined.facts.items():
        sides = [side.facts[name] for side in (a, b) if name in side.facts]
        assert (value, at) in sides
        if name != "state":
            assert at == max(time for _, time in sides)
    assert (joined["state"] == "merged") == ("merged" in (a["state"], b["state"]))


@given(documents())
def test_a_document_is_read_as_it_was_written(document: Document) -> None:
    assert read_document(document.content()) == document


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_a_time_is_later_than_the_one_before(first: float, second: float) -> None:
    before = stamp(first)
    assert stamp(second, before) > before


LINES = st.lists(st.sampled_from("abcde"), max_size=12)


@given(LINES, LINES)
def test_a_line_is_followed_to_where_it_is(old: list[str], new: list[str]) -> None:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    hunks, kept = [], {}
    for kind, low, high, start, end in matcher.get_opcodes():
        if kind == "equal":
            kept.update(dict(zip(range(low, high), range(start, end), strict=True)))
        else:
            # Git counts from one, and names the line before an insertion.
            hunks.append(Hunk(low + (high > low), high - low, end - start))
    for line in range(len(old)):
        found = moved(line + 1, hunks)
        assert found == (kept[line] + 1 if line in kept else None)


def test_the_later_words_of_a_comment_stand(tmp_path: Path) -> None:
    ada, bob = two_clones(tmp_path)
    first = forge_in(ada)
    number = proposed(first).number
    said = first.comment(number, "first")
    other = forge_in(bob)  # the same person at another desk
    other.edit_comment(number, said.id, "second")
    git(ada, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    first.edit_comment(number, said.id, "third, and last")
    git(ada, "remote", "set-url", "origin", str(tmp_path / "origin.git"))
    for desk in (ada, bob, ada):
        (found,) = forge_in(desk).comments(number)
        assert (found.id, found.body) == (said.id, "third, and last")
