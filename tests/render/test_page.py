"""A notebook as a page: what a reader sees of it."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import EnvironmentFailure
from octavo.render.page import About, page
from octavo.render.page import foreign as foreign_room
from render.page_notebooks import (
    ATTACKS,
    PNG,
    attacking,
    code,
    markdown,
    notebook,
    raised,
    shown,
    stream,
)


def drawn(*cells: Any, **how: Any) -> str:
    """The cells of a page, without what is around them."""
    whole = page(notebook(*cells), **how)
    return whole[whole.index("</header>") + 9 : whole.index("</main>")]


class Reader(HTMLParser):
    """Every tag of a page with its attributes, and whether all that opens is closed."""

    VOID = ("meta", "img", "br", "hr", "wbr", "source", "col")

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


ABOUT = About(
    path="notebooks/report.py", status="success", started=1_767_261_600.0, duration_seconds=2.5,
    cells_executed=7, run_id="0197-abc", commit="f" * 40, branch="main", dirty=True,
    parameters={"n": 2}, defaults={"n": 1, "host": "web-1"}, scraps={"score": 0.5},
    units={"score": "points"},
)  # fmt: skip


def test_values_beyond_count_are_counted() -> None:
    many = {f"p{at}": at for at in range(205)}
    html = page(notebook(), About(path="nb.py", status="success", parameters=many, scraps=many))
    assert html.count("… 5 more") == 2
    assert ">p199<" in html
    assert ">p200<" not in html


def test_a_run_is_told_above_its_notebook() -> None:
    html = page(notebook(), ABOUT)
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html[html.index("<header") :]))
    for told in ("report.py", "succeeded", "2026-01-01 10:00 UTC", "2.5 s, 7 cells", "ffffffffffff",
                 "on main with changes", "0197-abc", "n 2 1", "host web-1",
                 "score 0.5 points"):  # fmt: skip
        assert told in words, told


def test_a_failed_run_leads_to_the_cell() -> None:
    about = About(path="nb.py", status="error", reason="cell-error", failed="E: no", failed_cell=1)
    html = page(notebook(code("a"), code("b", octavo={"status": "failed"})), about)
    assert '<a href="#cell-1">cell 1</a> E: no' in html
    assert 'class="cell code failed" id="cell-1"' in html


def test_a_cell_is_found_by_its_number_and_by_its_name() -> None:
    html = page(notebook(code("a"), code("b", name="Load it!")))
    assert 'id="cell-1"' in html
    assert 'id="cell-load-it"' in html
    assert 'href="#cell-load-it"' in html


def test_the_parameters_of_a_run_do_not_count_as_a_cell_of_the_author() -> None:
    cells = [code("a = 1"), code("a = 2", tags=["injected-parameters"]), code("b")]
    html = page(notebook(*cells, octavo={"run_id": "x"}))
    assert re.findall(r'<section class="cell[^"]*" id="([^"]*)"', html) == [
        "cell-0", "cell-parameters", "cell-1",
    ]  # fmt: skip


@pytest.mark.parametrize("separator", ["-", "_"])
def test_tags_are_obeyed(separator: str) -> None:
    def tagged(name: str) -> str:
        return drawn(code("source", stream("written"), tags=[name.replace("-", separator)]))

    assert "section" not in tagged("remove-cell")
    assert "source</" not in tagged("remove-input") and "written" in tagged("remove-input")
    assert "written" not in tagged("remove-output") and "source</" in tagged("remove-output")
    assert '<details class="input"><summary>code, 1 line' in tagged("hide-input")
    assert "<summary>1 output</summary>" in tagged("hide-output")
    assert "<summary>cell</summary>" in tagged("hide-cell")


def test_report_mode_folds_code() -> None:
    folded = '<details class="input">'
    assert folded in drawn(code("x"), code=False)
    assert folded in drawn(code("x", jupyter={"source_hidden": True}))
    assert folded not in drawn(code("x"))


def test_an_outline_leads_to_headings_as_jupyter_names_them() -> None:
    html = page(
        notebook(markdown("# One two\n\n## Three `x`\n\n[to](#One-two)"), markdown("## One"))
    )
    assert '<li class="l0"><a href="#One-two">One two</a></li>' in html
    assert '<li class="l1"><a href="#Three-x">Three x</a></li>' in html
    assert 'id="One-two"' in html
    assert "<title>One two</title>" in html


def test_two_headings_of_one_name_have_ids_of_their_own() -> None:
    html = page(notebook(markdown("# Same\n\n# Same")))
    assert 'id="Same"' in html and 'id="Same-2"' in html


def test_what_was_written_is_told_apart() -> None:
    html = drawn(code("x", stream("out"), stream("err", "stderr"), shown(text_plain="value")))
    assert '<pre class="output stdout">out</pre>' in html
    assert '<pre class="output stderr">err</pre>' in html
    assert '<pre class="output result">value</pre>' in html


def test_pieces_of_one_stream_are_one() -> None:
    assert drawn(code("x", stream("a\n"), stream("b\n"))).count("<pre") == 2


def test_colours_of_a_terminal() -> None:
    words = ("31;1mred", "38;2;1;2;3mtrue", "48;5;226mground", "2J.")
    text = "\x1b]0;t\x07" + "\x1b[0m ".join(f"\x1b[{each}" for each in words)
    html = drawn(code("x", stream(text)))
    assert '<span class="t-bold t-f-red">red</span>' in html
    assert '<span style="color:rgb(1,2,3)">true</span>' in html
    assert 'background:rgb(255,255,0);color:#000">ground' in html
    assert html.count("\x1b") == 0 and "]0;t" not in html


def test_long_text_is_folded_after_its_beginning() -> None:
    html = drawn(code("x", stream("".join(f"line {at}\n" for at in range(100)))))
    head, rest = html.split("<details", 1)
    assert "line 24" in head and "line 25" not in head
    assert "<summary>75 more lines</summary>" in rest and "line 99" in rest


def test_what_is_too_long_for_a_page_is_told() -> None:
    html = drawn(code("x", stream("x" * 5_000_000)))
    assert len(html) < 2_100_000
    assert "3.0 MB left out" in html


def test_an_error_says_what_and_folds_the_rest() -> None:
    trace = ["Traceback", "Cell In[1], line 2\n----> 2 boom()\n", "ValueError: no"]
    html = drawn(code("x", raised(traceback=trace)))
    assert '<p class="raised">ValueError: no</p>' in html
    assert "<details><summary>whole traceback</summary>" in html
    assert "&gt; 2 boom()" in html


def test_images_have_their_size() -> None:
    html = drawn(code("x", shown(image_png=PNG, text_plain="<Figure size 640x480 with 1 Axes>")))
    assert f'src="data:image/png;base64,{PNG}" alt="Figure 1" width="1" height="1"' in html
    told = {"image/png": {"width": 320, "height": 240}}
    assert ' width="320"' in drawn(code("x", shown(told, image_png=PNG)))
    assert "damaged" in drawn(code("x", shown(image_png="<script>")))


def test_a_drawing_is_an_image_and_no_part_of_the_page() -> None:
    html = drawn(code("x", shown(**{"image_svg+xml": "<svg><script>1</script></svg>"})))
    assert '<img src="data:image/svg+xml;base64,' in html
    assert "<svg" not in html


def test_a_chart_is_shown_by_its_image_or_told_in_words() -> None:
    figure = {"data": [{"type": "bar", "y": [1, 2]}], "layout": {}}
    both = {"application_vnd.plotly.v1+json": figure, "image_png": PNG}
    assert "<img" in drawn(code("x", shown(**both)))
    alone = {"application_vnd.plotly.v1+json": figure, "text_html": "<script>draw()</script>"}
    html = drawn(code("x", shown(**alone)))
    assert "<strong>plotly</strong> 1 trace, 2 points" in html


def test_html_that_needs_its_scripts_says_so() -> None:
    html = drawn(code("x", shown(text_html="<div id=a></div><script>draw()</script>")))
    assert "drawn by a script" in html
    said = shown(text_html="<div></div><script>1</script>", text_plain="Chart(3 rows)")
    assert "Chart(3 rows)" in drawn(code("x", said))


def test_what_a_tool_says_to_its_scripts_is_not_shown() -> None:
    bokeh = {"text_html": "<div id='p1'></div>", "application_javascript": "draw()",
             "application_vnd.bokehjs_exec.v0+json": ""}  # fmt: skip
    html = drawn(code("x", shown(**bokeh)))
    assert "draw()" not in html and "&quot;" not in html


def test_widgets_are_text() -> None:
    view = {
        "application_vnd.jupyter.widget-view+json": {"model_id": "1"},
        "text_plain": "Slider(1)",
    }
    assert "Slider(1)" in drawn(code("x", shown(**view)))


def test_a_bar_of_progress_shows_where_it_ended() -> None:
    def model(kind: str, **state: Any) -> Any:
        return {"model_name": kind, "state": state}

    state = {
        "box": model("HBoxModel", children=["IPY_MODEL_a", "IPY_MODEL_b", "IPY_MODEL_box"]),
        "a": model("HTMLModel", value="100%<script>"),
        "b": model("FloatProgressModel", value=3, min=0, max=3, description="load"),
    }
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    view = {"application_vnd.jupyter.widget-view+json": {"model_id": "box"}, "text_plain": "0%"}
    html = page(notebook(code("x", shown(**view)), widgets=widgets))
    assert f"100% load |{'█' * 20}|" in html


def test_a_chart_of_altair_is_told_in_words() -> None:
    import altair as alt
    import pandas as pd

    chart = alt.Chart(pd.DataFrame({"a": [1, 2]})).mark_bar().encode(x="a")
    bundle = chart._repr_mimebundle_()
    output = {"output_type": "display_data", "data": bundle, "metadata": {}}
    html = drawn(code("x", output))
    assert "<strong>vega-lite</strong> 1 mark, 2 rows" in html


def test_formulas_are_drawn_by_the_browser() -> None:
    html = drawn(markdown("It is $x^2$; it costs $5 and $6.\n\n$$\na\n- b\n$$\n"))
    assert '<math display="inline">' in html and '<math display="block">' in html
    assert "it costs $5 and $6." in html
    assert "<li>" not in html
    assert "<mfrac>" in drawn(code("x", shown(text_latex="$\\frac{a}{b}$")))


def test_without_a_library_for_formulas_tex_is_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    assert '<code class="tex">x &lt; y_1</code>' in drawn(markdown("so $x < y_1$ it is"))


def test_without_a_sanitizer_there_is_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nh3", None)
    foreign_room.library.cache_clear()
    with pytest.raises(EnvironmentFailure) as caught:
        page(notebook(code("x", shown(text_html="<b>x</b>"))))
    assert caught.value.kind == "extra-missing"
    assert caught.value.hint == "pip install 'octavo[pages]'"
    monkeypatch.undo()
    foreign_room.library.cache_clear()


def test_tables_of_pandas_keep_their_colours() -> None:
    import pandas as pd

    styler = pd.DataFrame({"a": [1, 2]}).style.set_properties(**{"background-color": "#ffee00"})
    html = drawn(code("x", shown(text_html=styler._repr_html_(), text_plain="styler")))
    rule = re.search(r"#octavo-output-1 #(T_\w+_row0_col0)[^{]*\{background-color:#ffee00\}", html)
    assert rule is not None
    assert f'id="{rule[1]}"' in html
    assert 'class="output html light"' in html


def test_a_plain_table_takes_the_colours_of_the_page() -> None:
    import pandas as pd

    html = drawn(code("x", shown(text_html=pd.DataFrame({"a": [1]})._repr_html_())))
    assert 'class="output html"' in html
    assert "border=" not in html


def test_styles_reach_no_further_than_their_output() -> None:
    sheet = "<style>b, main { color: red } @import 'x'; i { background: url(x) }</style><b>x</b>"
    html = drawn(code("x", shown(text_html=sheet)))
    assert "#octavo-output-1 b, #octavo-output-1 main {color:red}" in html
    assert "url" not in html and "import" not in html


def test_attached_images_are_in_the_page_and_others_are_links() -> None:
    attached = markdown("![a](attachment:a.png)", attachments={"a.png": {"image/png": PNG}})
    assert f'src="data:image/png;base64,{PNG}"' in drawn(attached)
    assert '<a href="https://x.org/i.png"' in drawn(markdown("![chart](https://x.org/i.png)"))
    assert "<img" not in drawn(markdown("![chart](https://x.org/i.png)"))


def test_frames_become_links() -> None:
    html = drawn(code("x", shown(text_html="<iframe src='https://x.org/v?a=1&b=2'></iframe>")))
    assert 'href="https://x.org/v?a=1&amp;b=2"' in html
    assert "<iframe" not in html


def test_links_that_act_are_gone() -> None:
    for address in ("javascript:x()", "JaVa&#10;Script:x()", "vbscript:x", "data:text/html,x",
                    "file:///etc/passwd"):  # fmt: skip
        html = drawn(code("x", shown(text_html=f'<a href="{address}">words</a>')))
        assert "href=" not in html.partition("</p>")[2], address
        assert "words" in html
    for address in ("https://x.org", "#part", "other.html", "mailto:a@b.c", "../a/b:c"):
        assert f'href="{address}"' in drawn(
            code("x", shown(text_html=f'<a href="{address}">w</a>'))
        )


def test_content_that_nests_without_end_is_told_as_text() -> None:
    html = drawn(code("x", shown(text_html="<div>" * 5000 + "deep", text_plain="said")))
    assert "said" in html and "<div><div>" not in html
    assert "&lt;div&gt;" in drawn(markdown("<div>" * 5000 + "deep"))


@pytest.mark.parametrize("damage", [
    {}, {"cells": None}, {"cells": [None, 3, {}]}, {"cells": [{"cell_type": "code"}]},
    {"cells": [code("x")], "metadata": []},
    {"cells": [{"cell_type": "code", "outputs": [None, 1, {}, {"data": 3}], "metadata": 7}]},
    {"cells": [{"cell_type": "code", "outputs": [{"output_type": "stream", "text": 4}]}]},
    {"cells": [{"cell_type": "markdown", "source": None, "attachments": [1]}]},
    {"cells": [code("x", shown(text_html={"a": 1}), shown(image_png=[1]), raised(traceback=5))]},
])  # fmt: skip
def test_damaged_notebooks_have_pages_too(damage: Any) -> None:
    Reader(page(damage))


def test_an_attack_leaves_nothing_but_text() -> None:
    found = Reader(page(attacking("https://x.org")))
    assert found.open == []
    for tag, attributes in found.tags:
        assert tag not in ("script", "iframe", "object", "embed", "form", "input", "base", "svg")
        assert not any(name.startswith("on") for name in attributes)
        assert not str(attributes.get("href", "")).lower().startswith(("javascript", "data"))
        assert str(attributes.get("src", "data:")).startswith("data:")
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


_marks = ["<", ">", '"', "'", "&", "`", "$", "*", "\n\n", "```\n", "# ", "> ", "- ", "[x](", "0"]
_odd = ["\ue000", "0\ue001", "| a |\n|-|\n", "\x1b[31m", "\\begin{align}", "<!--", "&#0;"]
_pieces = st.sampled_from([*ATTACKS, *_marks, *_odd])


@given(st.lists(st.one_of(_pieces, st.text(max_size=20)), max_size=12).map("".join))
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    html = page(
        notebook(
            markdown(text),
            code(text, stream(text), shown(text_html=text), shown(text_markdown=text),
                 shown(text_latex=text), raised(text, text, [text]), name=text),
            markdown("the end"),
        ),
        About(path=text, failed=text, parameters={text: text}, scraps={text: text}),
    )  # fmt: skip
    found = Reader(html)
    assert found.open == []
    assert html.endswith("<p>the end</p>\n</section>\n</main>\n</body>\n</html>\n")
    assert {tag for tag, _ in found.tags}.isdisjoint({"script", "iframe", "svg", "form", "object"})
    assert not any(name.startswith("on") for _, each in found.tags for name in each)
