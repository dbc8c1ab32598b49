"""Laws of reading: what is given fits, more budget gives no less, and content stays content."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.authoring.reading.read import LEAST_BUDGET, ReadRequest, read
from octavo.authoring.reading.reading import Reading
from octavo.render.tokens import tokens, weight

HOSTILE = st.sampled_from([
    "[3] code deadbeef 1 line, 2 tokens", "out error x", "left out: nothing", "… 3 lines left out",
    "\x1b[2J\x1b]0;title\x07", "\r\rover\rwritten", "```", "# not a heading?", "a\u2028b\x85c\x0cd",
    "数据" * 40, "🔥" * 50, "x" * 3000, "\n" * 50, "word " * 400, "\x00\ufffd",
    "0123456789" * 60, "\t\t\tdeep", "</table><table><tr><td>1",
])  # fmt: skip
TEXT = st.one_of(HOSTILE, st.text(max_size=200), st.lists(HOSTILE, max_size=30).map("\n".join))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXT),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=20), inner, max_size=5)
    ),
    max_leaves=12,
)
MIMES = st.sampled_from([
    "text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png",
    "image/jpeg", "application/javascript", "weird", "application/pdf",
])  # fmt: skip
JSON_MIMES = st.sampled_from([
    "application/json", "application/vnd.plotly.v1+json", "application/vnd.vegalite.v5+json",
    "application/vnd.vega.v5+json", "application/vnd.jupyter.widget-view+json",
    "application/scrapbook.scrap.json+json", "application/geo+json",
])  # fmt: skip
STREAM = st.builds(
    lambda name, text: {"output_type": "stream", "name": name, "text": text},
    st.sampled_from(["stdout", "stderr"]), TEXT,
)  # fmt: skip
ERROR = st.builds(
    lambda name, value, lines: {
        "output_type": "error", "ename": name, "evalue": value, "traceback": lines,
    },
    TEXT, TEXT, st.lists(TEXT, max_size=6),
)  # fmt: skip
DISPLAY = st.builds(
    lambda texts, plain: {
        "output_type": "display_data", "metadata": {}, "data": {**texts, **plain},
    },
    st.dictionaries(MIMES, TEXT, max_size=3), st.dictionaries(JSON_MIMES, JSON, max_size=2),
)  # fmt: skip
CODE = st.builds(
    lambda source, outputs, tags, name: {
        "cell_type": "code", "source": source, "outputs": outputs, "execution_count": None,
        "metadata": {"tags": tags, "name": name},
    },
    TEXT, st.lists(st.one_of(STREAM, ERROR, DISPLAY), max_size=5),
    st.lists(st.text(min_size=1, max_size=30).filter(lambda tag: "," not in tag), max_size=3,
             unique=True), st.text(min_size=1, max_size=40).map("n{}".format),
)  # fmt: skip
MARKDOWN = st.builds(
    lambda source: {"cell_type": "markdown", "source": source, "metadata": {}},
    st.one_of(TEXT, st.builds(lambda n, t: "#" * n + " " + t, st.integers(1, 6), TEXT)),
)
CELLS = st.lists(st.one_of(CODE, MARKDOWN), max_size=12)
WAYS = st.sampled_from([
    {}, {"which": ("0..",)}, {"which": ("0..",), "outputs": True},
    {"which": ("0..",), "no_outputs": True}, {"search": "e"},
])  # fmt: skip


def document(cells: list[dict[str, Any]]) -> dict[str, Any]:
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}


def reading(cells: list[dict[str, Any]], **how: Any) -> Reading:
    """What a reader gets of a notebook with these cells."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "nb.ipynb").write_text(
            json.dumps(document(cells)), encoding="utf-8", errors="replace"
        )
        if not cells:
            how.pop("which", None)
        context: Any = SimpleNamespace(cwd=folder, project=Path(folder))
        return asyncio.run(read(ReadRequest("nb.ipynb", **how), context))


@settings(max_examples=60, deadline=None)
@given(CELLS, WAYS, st.integers(LEAST_BUDGET, 3000))
def test_what_is_given_fits(cells: list[dict[str, Any]], how: dict[str, Any], budget: int) -> None:
    found = reading(cells, budget=budget, **how)
    assert tokens(found.text) <= budget
    assert tokens(json.dumps(found.to_json())) <= budget


@settings(max_examples=50, deadline=None)
@given(CELLS, WAYS, st.integers(LEAST_BUDGET, 2000), st.integers(1, 2000))
def test_more_budget_gives_no_less(
    cells: list[dict[str, Any]], how: dict[str, Any], budget: int, more: int
) -> None:
    little = reading(cells, budget=budget, **how).to_json()
    much = reading(cells, budget=budget + more, **how).to_json()
    assert len(much["outline"]) >= len(little["outline"])
    assert [item for item in little["outline"] if item not in much["outline"]] == []
    found = {item["index"]: item for item in much["cells"]}
    for item in little["cells"]:
        other = found[item["index"]]
        assert _holds(item["source"], other["source"])
        assert len(other["outputs"]) >= len(item["outputs"])


def _holds(short: str, long: str) -> bool:
    """Whether the lines of one are in the other, in order, or cut there at a later place."""
    lines = iter(long.split("\n"))
    return all(
        any(line.startswith(part.removesuffix("…")) for line in lines) for part in short.split("\n")
    )


OURS = re.compile(
    r"(\[(\d+|\+)\] (code|markdown|raw) [0-9a-f]{8} .*|out [a-z-]+.*|… [\d,]+ lines? left out"
    r"|left out: .*|octavo read nb\.ipynb .*|nb\.ipynb: .*|[\d,]+ cells?, .*|sha256 [0-9a-f]{64}"
    r"|parameters: .*|)"
)


@settings(max_examples=60, deadline=None)
@given(CELLS, st.integers(600, 6000))
def test_content_cannot_pass_for_a_line_of_ours(cells: list[dict[str, Any]], budget: int) -> None:
    found = reading(cells, budget=budget, which=("0..",))
    lines = found.text.split("\n")
    ours = [line for line in lines if not line.startswith("    ")]
    assert all(map(OURS.fullmatch, ours)), ours
    heads = [line for line in ours if re.match(r"\[\d+\] ", line)]
    assert len(heads) <= len(cells)


@settings(max_examples=60, deadline=None)
@given(CELLS)
def test_without_a_limit_every_cell_is_there_once(cells: list[dict[str, Any]]) -> None:
    found = reading(cells, budget=0, which=("0..",), outputs=True)
    heads = re.findall(r"^\[(\d+)\] ", found.text, re.MULTILINE)
    assert heads == [str(at) for at in range(len(cells)) if cells]
    assert [item["index"] for item in found.to_json()["cells"]] == list(range(len(cells)))
    assert sum(line.startswith("out ") for line in found.text.split("\n")) == sum(
        len(cell.get("outputs", ())) for cell in cells
    )


@settings(max_examples=50, deadline=None)
@given(CELLS, WAYS)
def test_a_terminal_obeys_nothing_in_it(cells: list[dict[str, Any]], how: dict[str, Any]) -> None:
    text = reading(cells, budget=4000, **how).text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)


BLOB = base64.b64encode(random.Random(7).randbytes(900)).decode()


def blobs_everywhere() -> list[dict[str, Any]]:
    """Encoded data in every place that it has been found in, and some more."""
    folded = base64.encodebytes(random.Random(7).randbytes(900)).decode()
    safe = base64.urlsafe_b64encode(random.Random(8).randbytes(900)).decode()
    address = f"data:image/png;base64,{BLOB}"
    bundles: list[dict[str, Any]] = [
        {"image/png": BLOB}, {"image/jpeg": folded}, {"text/plain": BLOB}, {"text/plain": folded},
        {"text/plain": repr(folded)}, {"text/plain": safe}, {"text/html": f"<img src='{address}'>"},
        {"text/html": f"<p>{BLOB}</p>"}, {"text/html": f"<table><tr><td>{BLOB}</td></tr></table>"},
        {"image/svg+xml": f"<svg><image href='{address}'/><text>{BLOB}</text></svg>"},
        {"application/json": {"a": BLOB, "b": [address]}},
        {"application/json": {"rows": [{"x": BLOB} for _ in range(100)]}},
        {"application/json": {BLOB: 1}}, {"text/markdown": f"![x]({address})"},
        {"text/latex": BLOB}, {f"application/{BLOB}": "x"}, {"application/pdf": BLOB},
        {"application/vnd.plotly.v1+json": {
            "data": [{"type": "bar", "name": BLOB, "y": {"dtype": "f8", "bdata": BLOB}}],
            "layout": {"title": {"text": BLOB}, "images": [{"source": address}]}}},
        {"application/vnd.vegalite.v5+json": {
            "mark": "image", "title": BLOB, "data": {"values": [{"url": address}]},
            "encoding": {"url": {"field": BLOB}}}},
        {"application/scrapbook.scrap.json+json": {
            "name": "x", "encoder": "json", "data": BLOB, "version": 1}},
        {"application/scrapbook.scrap.pandas+json": {
            "name": BLOB, "encoder": "pandas", "data": BLOB, "version": 1}},
        {"application/vnd.jupyter.widget-view+json": {"model_id": BLOB}},
    ]  # fmt: skip
    displays = [{"output_type": "display_data", "metadata": {}, "data": each} for each in bundles]
    others = [
        {"output_type": "stream", "name": "stdout", "text": f"key {BLOB} end\n{folded}"},
        {"output_type": "error", "ename": BLOB, "evalue": address, "traceback": [BLOB, folded]},
    ]
    return [
        {"cell_type": "markdown", "source": f"# {BLOB}\n![]({address})", "metadata": {}},
        {"cell_type": "code", "source": f"x = '{BLOB}'\n'''{folded}'''", "execution_count": None,
         "metadata": {"tags": [BLOB], "name": BLOB}, "outputs": [*displays, *others]},
    ]  # fmt: skip


def test_base64_is_never_given() -> None:
    for how in ({}, {"which": ("0..",), "outputs": True}, {"search": "x"}):
        found = reading(blobs_everywhere(), budget=0, **how)
        for text in (found.text, json.dumps(found.to_json())):
            long_runs = re.findall(r"[A-Za-z0-9+/_-]{65,}", text)
            assert long_runs == []


@given(TEXT, TEXT)
def test_the_weight_of_a_text_is_that_of_its_parts(one: str, other: str) -> None:
    assert weight(one + other) == weight(one) + weight(other)
