"""Outputs in their compact form: what is told of each kind, and what is not."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from typing import Any

import pytest

from octavo.render.compact import Compact, compact, glance, kind_of
from octavo.render.compact_text import without_base64


def display(**data: Any) -> dict[str, Any]:
    """`text_html=…` is what stands under text/html."""
    bundle = {name.replace("_", "/", 1): value for name, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": bundle}


def bundle(mime: str, value: Any, text: str = "") -> dict[str, Any]:
    data = {mime: value, **({"text/plain": text} if text else {})}
    return {"output_type": "display_data", "metadata": {}, "data": data}


PANDAS = (
    '<div><style scoped>td {}</style><table border="1"><thead><tr><th></th><th>a</th><th>b</th>'
    "</tr></thead><tbody><tr><th>0</th><td>1</td><td>x</td></tr><tr><th>...</th><td>...</td>"
    "<td>...</td></tr><tr><th>999</th><td>20</td><td>y</td></tr></tbody></table>"
    "<p>1000 rows × 2 columns</p></div>"
)


def test_a_frame_is_told_by_its_shape_and_rows() -> None:
    found = compact(display(text_html=PANDAS, text_plain="   a  b\n0  1  x"))
    assert (found.kind, found.about) == (
        "table", "1,000 rows × 2 columns, 2 of them in the output",
    )  # fmt: skip
    assert found.lines == ("       a  b", "  0    1  x", "...  ...  ...", "999   20  y")
    assert found.facts == {"columns": ["a", "b"], "rows": 1000, "column_count": 2}


def test_a_frame_of_polars_has_types() -> None:
    html = (
        "<div><small>shape: (2, 2)</small><table><thead><tr><th>a</th><th>b</th></tr>"
        "<tr><td>i64</td><td>str</td></tr></thead><tbody><tr><td>1</td><td>x</td></tr>"
        "<tr><td>2</td><td>y</td></tr></tbody></table></div>"
    )
    found = compact(display(text_html=html))
    assert found.about == "2 rows × 2 columns"
    assert found.facts["types"] == ["i64", "str"]


def test_printed_frames_are_tables_too() -> None:
    pandas = "     a  b\n0    1  x\n..  .. ..\n99  20  y\n\n[100 rows x 2 columns]\n"
    found = compact({"output_type": "stream", "name": "stdout", "text": pandas})
    assert (found.kind, found.about) == ("table", "100 rows × 2 columns")
    assert found.lines[0] == "     a  b"
    polars = (
        "shape: (2, 2)\n┌─────┬─────┐\n│ a   ┆ b   │\n│ --- ┆ --- │\n│ i64 ┆ str │\n"
        "╞═════╪═════╡\n│ 1   ┆ x   │\n│ 2   ┆ y   │\n└─────┴─────┘\n"
    )
    found = compact({"output_type": "stream", "name": "stdout", "text": polars})
    assert (found.kind, found.about) == ("table", "2 rows × 2 columns")
    assert found.lines == ("  a  b", "i64  str", "  1  x", "  2  y")


def test_plotly_is_told_by_its_traces() -> None:
    numbers = base64.b64encode(struct.pack("<4d", 3.0, -1.5, 8.0, float("nan"))).decode()
    figure = {
        "data": [
            {"type": "bar", "name": "costs", "x": ["a", "b", "a", "b"],
             "y": {"dtype": "f8", "bdata": numbers}},
            {"y": [1, 2, 3], "mode": "lines"},
            {"type": "heatmap", "z": [[1, 2], [3, 4]]},
        ],
        "layout": {"title": {"text": "<b>All</b> costs"}, "xaxis": {"title": {"text": "month"}},
                   "yaxis": {"range": [0, 10]}},
    }  # fmt: skip
    found = compact(bundle("application/vnd.plotly.v1+json", figure))
    assert found.about == "3 traces, 11 points, All costs"
    assert found.lines == (
        "xaxis: month, yaxis: 0..10",
        'bar "costs": 4 points, x a, b, y -1.5..8',
        "scatter lines: 3 points, y 1..3",
        "heatmap: 4 points, z 1..4",
    )
    assert numbers[:12] not in "\n".join(found.lines)


def test_vega_lite_is_told_by_marks_and_encodings() -> None:
    chart = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": "Prices",
        "datasets": {"data-1": [{"kind": "a", "price": 2}, {"kind": "b", "price": 9}]},
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {
                "x": {"field": "kind", "type": "nominal"},
                "y": {"aggregate": "mean", "field": "price", "type": "quantitative"}}},
            {"mark": "rule", "encoding": {"y": {"datum": 5}}},
        ],
    }  # fmt: skip
    found = compact(bundle("application/vnd.vegalite.v5+json", chart))
    assert (found.kind, found.about) == ("vega-lite", "2 marks, 2 rows, Prices")
    assert found.lines == (
        "bar x=kind:N y=mean(price):Q", "rule y=5", "fields: kind a, b, price 2..9",
    )  # fmt: skip
    page = f"<script>(function(spec){{}})({json.dumps(chart)}, {{}});</script>"
    assert compact(display(text_html=page, text_plain="alt.Chart(...)")) == found


def test_svg_is_told_by_size_and_words() -> None:
    svg = (
        '<?xml version="1.0"?><svg width="40pt" height="30pt"><title>T &amp; U</title><g><path/>'
        "<path/></g><text x='1'>a <tspan>word</tspan></text></svg>"
    )
    found = compact(bundle("image/svg+xml", svg))
    assert found.about == f"40pt × 30pt, 7 elements, {len(svg)} bytes, T & U"
    assert found.lines[-1] == "texts: a word"
    drawn = '<svg><g id="text_1">\n <!-- x axis -->\n <g/></g></svg>'
    assert compact(bundle("image/svg+xml", drawn)).lines[-1] == "texts: x axis"


def png(width: int, height: int) -> str:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(head + b"\x08\x02" + b"\0" * 400).decode()


def test_images_are_told_by_pixels_and_bytes() -> None:
    found = compact(bundle("image/png", png(640, 480), "<Figure size 640x480 with 1 Axes>"))
    assert (found.kind, found.about, found.lines) == (
        "image", "png, 640 × 480 pixels, 426 bytes", (),
    )  # fmt: skip
    gif = base64.b64encode(b"GIF89a" + struct.pack("<HH", 12, 7)).decode()
    assert compact(bundle("image/gif", gif)).about.startswith("gif, 12 × 7 pixels")
    jpeg = (
        b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + struct.pack(">HH", 30, 40) + b"\0" * 9
    )
    encoded = base64.b64encode(jpeg).decode()
    assert compact(bundle("image/jpeg", encoded)).about.startswith("jpeg, 40 × 30 pixels")
    assert compact(bundle("image/png", "no base64!")).about == "png, 7 bytes"


def test_small_json_is_given_and_large_is_described() -> None:
    found = compact(bundle("application/json", {"a": [1, 2], "b": None}))
    assert found.lines == ('{ "a": [ 1, 2 ], "b": null }',)
    rows = [{"id": at, "tags": ["x"]} for at in range(500)]
    found = compact(bundle("application/json", {"rows": rows, "total": 500}))
    assert found.about == "object, 2 keys"
    assert found.lines == (
        "rows: list of 500 (object)", "  first:", "    id: int 0", "    tags: list of 1 (text)",
        '      "x"', "total: int 500",
    )  # fmt: skip


def test_html_is_its_text() -> None:
    html = "<h2>Head</h2><script>var x = 1</script><ul><li>one</li><li>two</li></ul>"
    found = compact(display(text_html=html))
    assert found.lines == ("# Head", "- one", "- two")
    assert "1 script" in found.about
    assert compact(display(text_html="<div></div>")).about == "11 bytes, no text"


def test_streams_are_as_a_terminal_would_leave_them() -> None:
    text = "\x1b[31mred\x1b[0m\n 10%\r 50%\r100%\nab\bc\n\x1b]0;title\x07end\n"
    found = compact({"output_type": "stream", "name": "stderr", "text": text})
    assert found == Compact("stderr", "", ("red", "100%", "ac", "end"))


def test_scraps_are_told_by_name_type_and_value() -> None:
    scrap = {"name": "score", "encoder": "json", "data": 0.5, "version": 1}
    found = compact(bundle("application/scrapbook.scrap.json+json", scrap))
    assert found == Compact("scrap", "score: float = 0.5")


def test_other_kinds_are_told() -> None:
    widget = bundle("application/vnd.jupyter.widget-view+json", {"model_id": "1"}, "IntSlider(3)")
    assert compact(widget) == Compact("widget", "", ("IntSlider(3)",))
    assert compact(bundle("text/latex", "$x^2$", "x**2")) == Compact("latex", "x**2", ("$x^2$",))
    assert compact(bundle("application/pdf", "JVBERi0" * 100)).about == "application/pdf 700 bytes"
    assert compact({"output_type": "display_data", "data": {}}).kind == "other"


@pytest.mark.parametrize(
    "mime",
    ["application/vnd.plotly.v1+json", "application/vnd.vegalite.v5+json", "application/json",
     "image/png", "text/html", "image/svg+xml", "application/vnd.jupyter.widget-view+json"],
)  # fmt: skip
@pytest.mark.parametrize("value", [None, 3, [], ["x", None], {"data": 5}, {"data": [1, None]}, ""])
def test_what_is_not_as_promised_is_told_all_the_same(mime: str, value: Any) -> None:
    found = compact(bundle(mime, value))
    assert found.kind
    assert all("\n" not in line for line in (found.about, *found.lines))
    assert glance(bundle(mime, value))[0] == kind_of(bundle(mime, value))


def test_of_an_endless_text_the_middle_is_only_counted() -> None:
    text = "".join(f"{at:09}\n" for at in range(400_000))
    found = compact({"output_type": "stream", "name": "stdout", "text": text})
    assert found.lines[0] == "000000000"
    assert found.lines[-1] == "000399999"
    assert len(found.lines) + found.gone == 400_000
    assert int(found.lines[found.before]) == found.before + found.gone


def test_a_long_document_is_read_from_its_beginning() -> None:
    html = "<p>first</p>" + "<i></i>" * 200_000 + "<p>last</p>"
    found = compact(display(text_html=html))
    assert found.lines == ("first",)
    assert found.about == "1.4 MB, from the first 1.0 MB of 1.4 MB"


ENCODED = [base64.b64encode(hashlib.sha512(bytes([at])).digest()).decode() for at in range(10)]


@pytest.mark.parametrize(
    "text",
    [
        "image = (\n" + "\n".join(f"    '{piece}'" for piece in ENCODED) + "\n)",
        "a = '" + "' + \\\n    '".join(ENCODED) + "'",
        json.dumps(ENCODED),
        " ".join(ENCODED),
    ],
)
def test_base64_in_pieces_is_not_told(text: str) -> None:
    told = without_base64(text)
    assert "characters left out)" in told
    assert not any(piece[4:24] in told for piece in ENCODED)


@pytest.mark.parametrize(
    "text",
    [
        " ".join(hashlib.sha256(bytes([at])).hexdigest() for at in range(6)),
        "\n".join(f'"/home/Ana/projects/Analysis2024/results/region/north{at}"' for at in range(6)),
        ", ".join(["NoBodyWouldEverCallAVariableLikeThisButSomebodyDid"] * 6),
        "0 " * 400,
    ],
)
def test_what_only_looks_long_stays(text: str) -> None:
    assert without_base64(text) == text
