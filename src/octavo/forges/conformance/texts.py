"""Texts of all kinds arrive as they are, or are cut with a note."""

from __future__ import annotations

from octavo.forges.conformance.bench import Bench, content, proposed, push
from octavo.forges.conformance.check import Room

room = Room("texts")

HOSTILE = (
    "# Ein Prüfstück — 数式 𝑓(𝑥) 🚀 \u202eright to left\u202c\n\n"
    "<script>alert(1)</script> <img src=x onerror=alert(1)> <!-- a comment -->\n"
    "@everyone #1 !1 [link](javascript:alert(1)) ![](https://example.org/x.png)\n\n"
    '```py\nx = \'`$(rm -rf /)`\' % "\\""\n```\n\n| a | b |\n|---|---|\n| `|` | \\| |\n\n'
    "--\nline with spaces at its end  \n\ttab; nul-free; 100% &amp; &lt;\n"
)


@room.check()
def hostile_text_in_a_body_comes_back_as_it_was(bench: Bench) -> None:
    push(bench, "agent/hostile", {"a.txt": "a\n"})
    title = "WIPe <b>bold</b> & \"quotes\" '%s' — ünïcode 🚀 #1"
    opened = bench.forge.open("agent/hostile", bench.base, title, HOSTILE, draft=False)
    assert (opened.title, opened.body, opened.draft) == (title, HOSTILE, False)
    written = bench.written()
    bench.forge.update(opened.number, title=title, body=HOSTILE)
    assert bench.written() == written


@room.check()
def hostile_text_in_a_comment_comes_back_as_it_was(bench: Bench) -> None:
    number = proposed(bench).number
    bench.forge.comment(number, HOSTILE)
    bench.other.comment(number, HOSTILE, path="notes.txt", line=1)
    assert [each.body for each in bench.forge.comments(number)] == [HOSTILE, HOSTILE]


@room.check()
def a_title_of_many_lines_becomes_one(bench: Bench) -> None:
    push(bench, "agent/lines", {"a.txt": "a\n"})
    opened = bench.forge.open("agent/lines", bench.base, "One\n\ntwo ", "", draft=False)
    assert opened.title == "One two"
    written = bench.written()
    bench.forge.update(opened.number, title="One\n\ntwo ")
    assert bench.written() == written


@room.check()
def a_long_title_is_cut(bench: Bench) -> None:
    push(bench, "agent/long", {"a.txt": "a\n"})
    title = "Länge " * 100
    opened = bench.forge.open("agent/long", bench.base, title, "", draft=False)
    assert opened.title == title.strip() or opened.title.endswith("…")
    assert opened.title.startswith("Länge Länge")
    written = bench.written()
    bench.forge.update(opened.number, title=title)
    assert bench.written() == written


@room.check()
def a_very_long_body_is_whole_or_cut_with_a_note(bench: Bench) -> None:
    push(bench, "agent/long", {"a.txt": "a\n"})
    body = "".join(f"{n}: ein Satz über Länge 🚀\n" for n in range(30_000))
    opened = bench.forge.open("agent/long", bench.base, "Long", body, draft=False)
    if opened.body != body:
        assert opened.body.startswith(body[:1000])
        assert "cut" in opened.body[-200:]
    written = bench.written()
    bench.forge.update(opened.number, body=body)
    assert bench.written() == written


@room.check()
def a_very_long_comment_is_whole_or_cut_with_a_note(bench: Bench) -> None:
    number = proposed(bench).number
    body = "".join(f"{n}: ein Satz über Länge 🚀\n" for n in range(30_000))
    said = bench.forge.comment(number, body)
    assert said.body == body or "cut" in said.body[-200:]
    bench.forge.comment(number, body)
    assert [each.body for each in bench.forge.comments(number)] == [said.body]


@room.check()
def branches_and_files_have_names_of_all_kinds(bench: Bench) -> None:
    branch, path = "agent/ünï-#1%25+&", "notebooks/mein Heft #1 (ä).py"
    push(bench, branch, {path: "one\ntwo\n"})
    opened = bench.forge.open(branch, bench.base, "Names", "", draft=False)
    assert opened.branch == branch
    assert bench.forge.find(branch) == opened
    bench.other.comment(opened.number, "Here.", path=path, line=2)
    assert [(c.path, c.line) for c in bench.forge.comments(opened.number)] == [(path, 2)]
    bench.forge.merge(opened.number, "merge", opened.head)
    bench.forge.delete_branch(branch)
    assert content(bench, bench.base, path) == "one\ntwo\n"
