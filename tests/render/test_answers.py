"""Outputs as answers: within the budget, with head, tail and handle, without base64."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo.render.answers import LEAST, Answer, Author, answer
from octavo.render.tokens import tokens

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"".join(n.to_bytes(4, "big") for n in (640, 480))


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def result(data: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}


def error(*traceback: str, name: str = "ValueError", value: str = "bad") -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": list(traceback)}


def picture(content: bytes = PNG) -> dict[str, Any]:
    data = {"image/png": base64.b64encode(content).decode(), "text/plain": "<Figure size 1x1>"}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def spelled(found: Answer) -> str:
    return json.dumps(found.items, ensure_ascii=False, separators=(",", ":"))


def test_short_outputs_are_whole_and_have_no_handle() -> None:
    found = answer([stream("hello\n"), result({"text/plain": "42"})], 500, handle="abcd1234:3")
    assert found.items == (
        {"type": "text", "name": "stdout", "text": "hello"},
        {"type": "result", "kind": "text", "text": "42"},
    )
    assert found.omitted == 0


def test_of_a_flood_there_are_head_tail_and_a_handle() -> None:
    text = "".join(f"line {number}\n" for number in range(100_000))
    (item,) = answer([stream(text)], 300, handle="abcd1234:3").items
    lines = item["text"].split("\n")
    assert (lines[0], lines[-1]) == ("line 0", "line 99999")
    assert item["handle"] == "abcd1234:3:0"
    assert item["omitted"] > 1_000_000
    (told,) = [line for line in lines if line.startswith("…")]
    shown = len(lines) - 1
    assert told == f"… {100_000 - shown:,} lines left out …"


def test_one_endless_line_is_cut_within() -> None:
    (item,) = answer([stream("a b" + "x y " * 500_000 + "end")], 300, handle="r:0").items
    assert item["text"].startswith("a bx y ")
    assert item["text"].endswith("y end")
    assert "characters left out" in item["text"]


@pytest.mark.parametrize("width", [90_000, 100_000, 300_000])
def test_of_lines_that_are_longer_than_what_is_looked_at_there_are_both_ends(width: int) -> None:
    line = ("a word, " * width)[:width]
    (item,) = answer([stream(f"first {line}\n" + f"{line} last\n" * 5)], handle="abcd1234:3").items
    assert item["text"].startswith("first a word")
    assert item["text"].endswith(" last")
    assert item["handle"] == "abcd1234:3:0"


def test_a_flood_of_what_looks_like_base64_is_told_and_not_nothing() -> None:
    encoded = base64.b64encode((PNG * 4000)[:75_000]).decode()
    (item,) = answer([stream((encoded + "\n") * 100)], handle="abcd1234:3").items
    first, told, last = item["text"].split("\n")
    assert all(each.endswith("characters left out)") for each in (first, last))
    assert told == "… 99 lines left out …"


@pytest.mark.parametrize("output", [stream, lambda text: result({"text/plain": text})])
def test_encoded_text_that_is_left_out_has_a_handle_to_the_whole(output: Any) -> None:
    encoded = base64.b64encode(bytes(range(256)) * 4).decode()
    (item,) = answer([output(f"key {encoded} end")], handle="abcd1234:3").items
    assert item["text"] == f"key ({len(encoded):,} characters left out) end"
    assert len(encoded) - 40 < item["omitted"] < len(encoded)
    assert item["handle"] == "abcd1234:3:0"


@pytest.mark.parametrize("letters", ["GATTACA", "y", "DEADBEEF00"])
def test_of_a_long_sequence_of_letters_there_are_both_ends(letters: str) -> None:
    assert answer([stream(letters * 50)], handle="abcd1234:3").items[0]["text"] == letters * 50
    (item,) = answer([stream(letters * 30_000)], handle="abcd1234:3").items
    assert item["text"].startswith(letters * 20)
    assert item["text"].endswith(letters[-1])
    assert item["handle"] == "abcd1234:3:0"


def test_what_one_output_does_not_need_another_gets() -> None:
    flood = stream("word " * 40 + "\n" + "more words here\n" * 5000)
    alone = answer([flood], 1000).items[0]["text"]
    beside = answer([flood, result({"text/plain": "1"})], 1000).items[0]["text"]
    assert len(beside) > 0.8 * len(alone)


def test_images_go_to_files_once_and_are_never_in_an_answer() -> None:
    kept: list[tuple[int, str, bytes]] = []

    def keep(index: int, mime: str, content: bytes) -> str:
        kept.append((index, mime, content))
        return f"images/{index}.png"

    big = PNG + bytes(range(256)) * 2000
    found = answer([picture(big)] * 3, 500, keep=keep)
    assert found.items[1] == {
        "type": "image",
        "mime": "image/png",
        "path": "images/1.png",
        "width": 640,
        "height": 480,
        "bytes": len(big),
    }
    assert kept == [(at, "image/png", big) for at in range(3)]
    assert len(spelled(found)) < 1000


def test_an_image_that_is_none_is_told() -> None:
    broken = {"output_type": "display_data", "data": {"image/png": "not base64!"}, "metadata": {}}
    (item,) = answer([broken], 500, keep=lambda *_: pytest.fail("kept")).items
    assert item["type"] == "display"


def test_a_drawing_is_a_file_with_its_words() -> None:
    svg = '<svg width="10" height="20"><text>Sales by month</text></svg>'
    output = {"output_type": "display_data", "data": {"image/svg+xml": svg}, "metadata": {}}
    (item,) = answer([output], 500, keep=lambda at, mime, content: "a.svg").items
    assert (item["type"], item["path"], item["bytes"]) == ("image", "a.svg", len(svg))
    assert "Sales by month" in item["text"]


def test_an_error_names_the_line_of_the_authors_file() -> None:
    lines = (
        "-" * 75,
        "ValueError                                Traceback (most recent call last)",
        "Cell In[3], line 2\n      1 x = 1\n----> 2 f(x)\n",
        "Cell In[2], line 3, in f(x)\n      2     y = x\n----> 3     raise ValueError('bad')",
        "File /usr/lib/python3.11/json/decoder.py:355, in raw_decode(s)\n--> 355 raise x",
        "ValueError: bad",
    )
    (item,) = answer(
        [error(*lines)], 500, handle="abcd1234:7", author=Author("report.py", {3: 20, 2: 9})
    ).items
    assert item == {
        "type": "error",
        "name": "ValueError",
        "message": "bad",
        "where": "report.py:11",
        "lines": [
            "Cell In[3], line 2 (report.py:21)",
            "> 2 f(x)",
            "Cell In[2], line 3 (report.py:11), in f(x)",
            "> 3     raise ValueError('bad')",
            "… 1 frame in json",
        ],
        "handle": "abcd1234:7:0",
    }


def test_a_place_that_is_named_already_is_not_named_twice() -> None:
    line = "Cell In[3], line 2 (report.py:21)\n----> 2 f(x)"
    (item,) = answer([error(line)], 500, author=Author("other.py", {3: 1})).items
    assert item["where"] == "report.py:21"
    assert "other.py" not in str(item)


def test_an_error_in_code_of_the_project_is_where_it_was_raised() -> None:
    frames = ("Cell In[1], line 1\n----> 1 lib.f()", "File /w/lib.py:7, in f()\n----> 7 boom")
    (item,) = answer([error(*frames)], 500).items
    assert item["where"] == "/w/lib.py:7"


def test_of_many_outputs_the_first_the_last_and_the_error_are_there() -> None:
    outputs = [stream(f"{at}\n", "stdout" if at % 2 else "stderr") for at in range(1000)]
    outputs[700] = error("Cell In[1], line 1\n----> 1 boom")
    found = answer(outputs, 600, handle="abcd1234:3")
    assert found.items[0]["text"] == "0"
    assert found.items[-1]["text"] == "999"
    assert [each["name"] for each in found.items if each["type"] == "error"] == ["ValueError"]
    (note,) = [each for each in found.items if each["type"] == "omitted"]
    assert note == {"type": "omitted", "outputs": found.omitted, "handle": "abcd1234:3"}
    assert found.omitted == 1000 - (len(found.items) - 1)


def test_tables_are_tables() -> None:
    html = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    (item,) = answer([result({"text/html": html, "text/plain": "…"})], 500).items
    assert item["kind"] == "table"
    assert "<" not in item["text"]


TEXTS = st.text(max_size=400) | st.text(alphabet='"\\\n\t é漢😀\x1b[', max_size=300).map(
    lambda text: text * 40
)
OUTPUTS = st.one_of(
    st.builds(stream, TEXTS, st.sampled_from(["stdout", "stderr"])),
    st.builds(lambda text: result({"text/plain": text}), TEXTS),
    st.builds(lambda text: result({"text/html": f"<p>{text}</p>"}), TEXTS),
    st.builds(lambda text, name: error(text, name=name, value=text), TEXTS, TEXTS),
    st.builds(lambda extra: picture(PNG + extra), st.binary(max_size=400)),
    st.dictionaries(st.text(max_size=9), st.none() | st.integers() | TEXTS, max_size=4),
)


@settings(max_examples=75, deadline=None)
@given(st.lists(OUTPUTS, max_size=60), st.integers(0, 3000), st.booleans())
@example(
    [error('[[[[[[[[[[[""\n[[[\n' * 40, value='[[[[[[[[[[[""\n[[[\n' * 40, name="")], 521, False
)
def test_an_answer_stays_within_its_budget(
    outputs: list[dict[str, Any]], budget: int, named: bool
) -> None:
    found = answer(
        outputs, budget, handle="abcd1234:12" if named else "", keep=lambda at, *_: f"i/{at}.png"
    )
    assert tokens(spelled(found)) == found.tokens <= max(budget, LEAST)
    shown = [each for each in found.items if each["type"] != "omitted"]
    assert len(shown) + found.omitted == len(outputs)


def test_an_error_in_a_cell_of_no_file_is_where_the_cell_is() -> None:
    (item,) = answer([error("Cell In[4], line 2\n----> 2 boom")], 500).items
    assert item["where"] == "Cell In[4], line 2"
