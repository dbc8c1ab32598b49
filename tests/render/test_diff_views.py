"""A comparison in the terminal, as Markdown and as a page; what notebooks hold stays harmless."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notebook.test_diff import _pairs, code, display, notebook, stream, text
from octavo.errors import NotebookError, OctavoError
from octavo.notebook.diff import Changes, changes, diff
from octavo.render.columns import width
from octavo.render.diff_html import diff_page
from octavo.render.diff_markdown import changes_markdown, code_span
from octavo.render.diff_terminal import DiffDrawer
from octavo.render.diff_text import notebook_text
from octavo.render.style import Style

Document = dict[str, Any]
UNHURRIED = settings(deadline=None, max_examples=40, suppress_health_check=[*HealthCheck])
ESCAPES = re.compile(r"\x1b\[[\d;]*m")


class File:
    """Two versions, as the page takes them."""

    title, sides, note, ignore = "nb.py", "a → b", "", frozenset[str]()
    problem: OctavoError | None = None

    def __init__(self, old: Document | None, new: Document | None) -> None:
        self.old, self.new = old, new

    @property
    def changes(self) -> Changes:
        return changes(self.old, self.new)


def drawn(old: Document | None, new: Document | None, *, colour: bool = False, columns: int = 100,
          images: Any = "none", full: bool = False, wrap: bool = True) -> str:  # fmt: skip
    drawer = DiffDrawer(Style(colour=colour), columns, images, full=full, wrap=wrap)
    return "\n".join(drawer.lines(old, new, changes(old, new)))


def png(width: int, height: int, shade: int) -> str:
    rows = b"".join(b"\0" + bytes([shade] * 3 * width) for _ in range(height))

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def scrap(name: str, value: Any) -> Document:
    payload = {"name": name, "data": value, "encoder": "json", "version": 1}
    return {"output_type": "display_data", "metadata": {"scrapbook": {"name": name, "data": True}},
            "data": {"application/scrapbook.scrap.json+json": payload}}  # fmt: skip


def of_outputs(old: Iterable[Document], new: Iterable[Document]) -> tuple[Document, Document]:
    return (notebook(code("a", "x", outputs=[*old])), notebook(code("a", "x", outputs=[*new])))


def test_words_stand_out_in_colour() -> None:
    old, new = notebook(code("rate = 0.3  # all", "x")), notebook(code("rate = 0.5  # all", "x"))
    shown = drawn(old, new, colour=True)
    assert "\x1b[31;7m0.3\x1b[0m" in shown
    assert "\x1b[32;7m0.5\x1b[0m" in shown


def test_words_stand_out_in_short_lines_too() -> None:
    shown = drawn(*of_outputs([stream("web-1 ok\nweb-2 ok\n")], [stream("web-1 ok\nweb-2 slow\n")]),
                  colour=True)  # fmt: skip
    assert "\x1b[32;7mslow\x1b[0m" in shown


@pytest.mark.parametrize("put", ["Z", ""])
def test_of_a_very_long_line_the_change_is_shown(put: str) -> None:
    line = "y" * 2_500_000
    pair = of_outputs([stream(f"{line}X{line}")], [stream(f"{line}{put}{line}")])
    for shown in (drawn(*pair, wrap=False), changes_markdown(*pair), diff_page([File(*pair)])):
        assert len(shown) < 20_000
        assert re.search(r"- ?(</td><td>)?…y+(<mark>)?X(</mark>)?y+…", shown)
        assert re.search(rf"\+ ?(</td><td>)?…y+(<mark>)?{put}(</mark>)?y+…", shown)
    assert len(str(diff(*pair))) < 1000


def test_a_line_that_is_broken_keeps_its_sign() -> None:
    pair = notebook(code("a", "x")), notebook(code(f"call({', '.join(map(str, range(40)))})", "x"))
    broken = [line for line in drawn(*pair, columns=40).splitlines()[3:] if line]
    assert broken[1].startswith("+ call(0, 1")
    assert {line[:2] for line in broken[2:]} == {"+»"}
    assert all(width(line) <= 40 for line in broken)
    assert len(drawn(*pair, columns=40, wrap=False).splitlines()) == 5


@pytest.mark.parametrize("columns", [24, 44, 100])
def test_heads_of_cells_fit_a_narrow_terminal(columns: int) -> None:
    pair = of_outputs([stream("a\n")], [stream("b\n")])
    for side in pair:
        side["cells"][0]["source"] = "a_function_with_a_long_name(and_an_argument)"
    [head] = [line for line in drawn(*pair, columns=columns).splitlines() if "──" in line]
    assert width(head) <= max(columns, len("── cell 0 with other outputs"))


def test_a_cell_of_which_only_scraps_changed_says_so() -> None:
    pair = of_outputs([scrap("score", 1)], [scrap("score", 2)])
    assert "  scraps changed\n" in drawn(*pair)
    assert "Output `scraps` changed" in changes_markdown(*pair)
    assert "scraps changed" in diff_page([File(*pair)])


def test_a_move_that_keeps_the_number_is_no_move_to_itself() -> None:
    names = "abcde"
    old, new = (notebook(*(code(f"{names[n]} = {n}", names[n]) for n in order))
                for order in ((0, 1, 2, 3, 4), (0, 4, 1, 3, 2)))  # fmt: skip
    shown = drawn(old, new)
    assert "from 3 to 3" not in shown
    assert "moved" in shown


def test_a_file_that_cannot_be_compared_is_on_the_page() -> None:
    file = File(None, None)
    file.problem = NotebookError("notebook-invalid", "<no> JSON", place="nb.py", hint="mend it")
    page = diff_page([file])
    assert "It cannot be compared: &lt;no&gt; JSON" in page
    assert "mend it" in page


def test_outputs_are_told_by_their_kind() -> None:
    table = "<table><tr><th>a</th></tr><tr><td>{}</td></tr></table>"
    old, new = of_outputs(
        [stream("1\n2\n"), display(text_html=table.format(5)), display(application_json={"a": 1}),
         display(image_png=png(64, 32, 9))],
        [stream("1\n3\n"), display(text_html=table.format(6)), display(application_json={"a": 2}),
         display(image_png=png(32, 32, 200))],
    )  # fmt: skip
    shown = drawn(old, new)
    assert "cell 0 with other outputs" in shown
    assert "stdout changed\n    1\n  - 2\n  + 3" in shown
    assert "table changed\n    a\n    ─\n  - 5\n  + 6" in shown
    assert '  -   "a": 1\n  +   "a": 2' in shown
    assert "image/png changed, 64×32 → 32×32" in shown
    assert "64×32 → 32×32" in changes_markdown(old, new)


def test_images_stand_beside_each_other() -> None:
    old, new = of_outputs([display(image_png=png(64, 32, 9))], [display(image_png=png(64, 32, 99))])
    row = next(line for line in drawn(old, new, colour=True, images="blocks").splitlines()
               if "▀" in line)  # fmt: skip
    assert "38;2;9;9;9" in row
    assert "38;2;99;99;99" in row
    page = diff_page([File(old, new)])
    assert page.index("before") < page.index("data:image/png") < page.index("after")
    assert page.count("<img") == 2


def test_scraps_are_told_before_and_after() -> None:
    old, new = of_outputs([scrap("health_score", 0.89)], [scrap("health_score", 0.94)])
    assert "health_score  0.89 → 0.94  (+0.05, +5.62 %)" in drawn(old, new)
    assert "| `health_score` | `0.89` | `0.94` | +0.05, +5.62 % |" in changes_markdown(old, new)
    assert "<td>0.89</td><td>0.94</td>" in diff_page([File(old, new)])


def test_long_outputs_are_folded_unless_all_is_wanted() -> None:
    old, new = of_outputs([], [stream("".join(f"{n}\n" for n in range(500)))])
    assert "… 476 more lines, --full shows them" in drawn(old, new)
    assert "+ 499" in drawn(old, new, full=True)
    assert "@@ 470 more lines @@" in changes_markdown(old, new)


def test_a_new_notebook_is_all_added() -> None:
    new = notebook(text("# Title", "t"), code("a = 1", "x"))
    told = changes_markdown(None, new)
    assert told.startswith("2 cells added.\n")
    assert "### Cell 0 added, markdown: `Title`" in told
    assert "```diff\n+a = 1\n```" in told


@pytest.mark.parametrize("limit", [300, 1000, 5000])
def test_markdown_stays_within_its_limit(limit: int) -> None:
    cells = [code(f"step_{n}()\n" * 20, f"c{n}") for n in range(50)]
    told = changes_markdown(None, notebook(*cells), limit=limit)
    assert len(told) <= limit
    assert re.search(r"and \d+ more cells with changes", told)
    assert told.count("```") % 2 == 0


EVIL = (
    "x\x1b]0;owned\x07\x1b[2J\x9b31m\u202e```\n````diff\n~~~\n"
    "</td><script>alert(1)</script>| ` @all"
)


@pytest.fixture
def evil() -> tuple[Document, Document]:
    outputs = [stream(EVIL, EVIL), display(text_html=EVIL, image_png=f'"onerror="{EVIL}'),
               display(**{EVIL.replace("/", ""): EVIL}), scrap(EVIL, EVIL),
               display(**{"image_svg+xml": "<svg onload='alert(1)'/>"})]  # fmt: skip
    cell = {**code(EVIL, "x", outputs=outputs), "metadata": {EVIL: EVIL, "name": EVIL}}
    return notebook(), notebook(cell, **{"evil": EVIL})


def test_a_terminal_gets_nothing_to_obey(evil: tuple[Document, Document]) -> None:
    for colour in (False, True):
        shown = ESCAPES.sub("", drawn(*evil, colour=colour, full=True))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", notebook_text(evil[1]))


def test_markdown_cannot_be_broken_out_of(evil: tuple[Document, Document]) -> None:
    outside, fence = [], ""
    for line in changes_markdown(*evil).splitlines():
        if fence:
            fence = "" if line.strip() == fence else fence
        elif found := re.match(r"(`{3,})diff$", line):
            fence = found[1]
        else:
            outside.append(line)
    assert fence == ""
    bare = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", "\n".join(outside))
    assert "script" not in bare
    assert "@all" not in bare


class Tags(HTMLParser):
    """The tags of a page, and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


KNOWN = {"html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "small",
         "p", "article", "div", "table", "tr", "td", "th", "mark", "details", "summary", "figure",
         "figcaption", "img"}  # fmt: skip


def page_tags(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    return tags


def test_a_page_holds_only_our_own_tags(evil: tuple[Document, Document]) -> None:
    page = diff_page([File(*evil)])
    tags = page_tags(page)
    assert tags.names <= KNOWN
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "default-src 'none'" in page
    assert "http" not in re.sub(r"http-equiv", "", page)


@UNHURRIED
@given(_pairs(), st.integers(20, 120))
def test_every_pair_can_be_shown(pair: tuple[Document, Document], columns: int) -> None:
    shown = drawn(*pair, colour=True, columns=columns)
    assert all(width(line) <= max(columns, 72) + 60 for line in shown.splitlines())
    assert len(changes_markdown(*pair, limit=2000)) <= 2100
    assert page_tags(diff_page([File(*pair)])).names <= KNOWN
    notebook_text(pair[1])


@given(st.text("`ab |\n\x1b", max_size=12))
def test_a_code_span_ends_where_it_should(content: str) -> None:
    span = code_span(content)
    fence = re.match("`+", span)
    assert fence is not None
    inner = span[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)
    assert "|" not in span
    assert "\n" not in span
