from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.runs.redact import Redactor, forms
from octavo.value import Value

SECRET = "hunter2/correct+horse"


def redact(text: str, **secrets: str) -> str:
    return Redactor(secrets).text(text)


def streamed(redactor: Redactor, pieces: list[str]) -> str:
    stream = redactor.stream("stdout")
    return "".join([*map(stream.feed, pieces), stream.flush()])


def test_a_secret_is_replaced_by_its_name() -> None:
    assert redact(f"key={SECRET}.", KEY=SECRET) == "key=[redacted:KEY]."


def test_a_secret_split_over_three_writes_is_caught() -> None:
    stream = Redactor({"KEY": SECRET}).stream("stdout")
    shown = [stream.feed("key=hun"), stream.feed("ter2/correct"), stream.feed("+horse, done\n")]
    assert "".join(shown) == "key=[redacted:KEY], done\n"
    assert shown[:2] == ["key=", ""]


def test_only_what_may_be_a_beginning_is_held_back() -> None:
    stream = Redactor({"KEY": SECRET}).stream("stdout")
    assert stream.feed("progress 10 %\n") == "progress 10 %\n"
    assert stream.feed("launch") == "launc"
    assert stream.flush() == "h"
    assert stream.flush() == ""


@pytest.mark.parametrize(
    "spelling",
    [
        json.dumps('pass"word\\with\nlines-and-ü')[1:-1],
        repr('pass"word\\with\nlines-and-ü')[1:-1],
        quote('pass"word\\with\nlines-and-ü', safe=""),
        quote_plus('pass"word\\with\nlines-and-ü'),
    ],
)
def test_escaped_and_quoted_spellings_are_caught(spelling: str) -> None:
    assert redact(f"<{spelling}>", P='pass"word\\with\nlines-and-ü') == "<[redacted:P]>"


@given(st.binary(max_size=5), st.binary(max_size=5))
def test_base64_is_caught_wherever_the_secret_stands_in_the_data(
    before: bytes, after: bytes
) -> None:
    encoded = base64.b64encode(before + b"correct-horse-battery" + after).decode()
    shown = redact(encoded, P="correct-horse-battery")
    assert "[redacted:P]" in shown
    assert len(shown) <= len("[redacted:P]") + 20


def test_basic_authentication_is_caught() -> None:
    header = "Basic " + base64.b64encode(b"admin:s3cr3t-passphrase").decode()
    assert "[redacted:P]" in redact(header, P="s3cr3t-passphrase")


def test_lines_of_a_private_key_are_caught_one_by_one() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nshort\n-----END KEY-----\n"
    assert redact("> MIIEvQIBADANBgkqhkiG9w0BAQEF", K=key) == "> [redacted:K]"
    assert redact("-----BEGIN KEY----- short", K=key) == "-----BEGIN KEY----- short"
    assert redact(f"[{key.strip()}]", K=key) == "[[redacted:K]]"


def test_the_longer_of_two_secrets_names_the_place() -> None:
    shown = redact("abcdefgh-and-more abcdefgh", SHORT="abcdefgh", LONG="abcdefgh-and-more")
    assert shown == "[redacted:LONG] [redacted:SHORT]"


def test_overlapping_secrets_leave_nothing_of_either() -> None:
    assert redact("xx abcdefghijkl yy", A="abcdefgh", B="efghijkl") == "xx [redacted:A] yy"


def test_without_secrets_nothing_is_copied() -> None:
    redactor = Redactor({})
    value = {"a": ["b" * 100]}
    text = "c" * 100
    assert not redactor.active
    assert redactor.value(value) is value
    assert redactor.text(text) is text
    assert redactor.stream("stdout").feed(text) is text


def test_an_empty_secret_hides_nothing() -> None:
    assert redact("text", E="", S=" \n ") == "text"


def test_values_are_cleaned_in_depth_and_in_keys() -> None:
    redactor = Redactor({"KEY": SECRET})
    dirty = {"text/plain": f"'{SECRET}'", SECRET: [1, None, {"a": (SECRET,)}]}
    assert redactor.value(dirty) == {
        "text/plain": "'[redacted:KEY]'",
        "[redacted:KEY]": [1, None, {"a": ("[redacted:KEY]",)}],
    }


def test_a_clean_value_is_the_same_object() -> None:
    value = {"a": [1, "b", {"c": ("d",)}]}
    assert Redactor({"KEY": SECRET}).value(value) is value


def test_frozen_records_are_cleaned() -> None:
    class Cell(Value):
        index: int
        sources: tuple[str, ...]

    redactor = Redactor({"KEY": SECRET})
    clean = Cell(2, ("a",))
    assert redactor.value((Cell(1, (SECRET,)), clean)) == (Cell(1, ("[redacted:KEY]",)), clean)
    assert redactor.value(clean) is clean


# The law: however a text is cut, the result is that of the whole; and no secret is left.

letters = st.text("abA", min_size=1, max_size=6)
secrets = st.lists(letters, min_size=1, max_size=4)
pieces = st.lists(st.text("abA-", max_size=8), max_size=12)


@given(secrets, pieces)
def test_cutting_a_text_into_pieces_changes_nothing(values: list[str], parts: list[str]) -> None:
    redactor = Redactor({f"N{i}": value for i, value in enumerate(values)})
    assert streamed(redactor, parts) == redactor.text("".join(parts))


@given(secrets, pieces)
def test_no_secret_is_left(values: list[str], parts: list[str]) -> None:
    redactor = Redactor({f"#{i}": value for i, value in enumerate(values)})
    shown = redactor.text("".join(parts))
    for i in range(len(values)):
        shown = shown.replace(f"[redacted:#{i}]", "\0")
    assert not any(value in shown for value in values)


@given(st.lists(st.text(min_size=4, max_size=12), min_size=1, max_size=3), st.data())
def test_every_spelling_is_caught_in_any_pieces(values: list[str], data: st.DataObject) -> None:
    redactor = Redactor({f"N{i}": value for i, value in enumerate(values)})
    spellings = sorted({form for value in values for form in forms(value)})
    alphabet = st.one_of(st.text(max_size=5), *([st.sampled_from(spellings)] if spellings else []))
    text = "".join(data.draw(st.lists(alphabet, max_size=6)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert streamed(redactor, parts) == redactor.text(text)


@given(st.lists(st.text("ab", max_size=4), max_size=10))
def test_text_without_secrets_comes_out_whole(parts: list[str]) -> None:
    assert streamed(Redactor({"N": "abcabc", "M": "abbac"}), parts) == "".join(parts)
