from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.environments.envfile import parse_env, read_env_file
from octavo.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("# nothing\n\n   \n", {}),
        ("A=1\nB = two words \n", {"A": "1", "B": "two words"}),
        ("export A=1", {"A": "1"}),
        ("A=\nB=", {"A": "", "B": ""}),
        ("A=x # comment\nB=x#y\nC=# all comment\n", {"A": "x", "B": "x#y", "C": ""}),
        ("A='raw \\n $HOME # x' # comment", {"A": "raw \\n $HOME # x"}),
        ('A="tab\\tline\\nquote\\" back\\\\ \\$x \\q"', {"A": 'tab\tline\nquote" back\\ $x \\q'}),
        ('KEY="-----BEGIN\nabc\n-----END"\nB=2', {"KEY": "-----BEGIN\nabc\n-----END", "B": "2"}),
        ("KEY='one\ntwo'\nB=2", {"KEY": "one\ntwo", "B": "2"}),
        ("A=1\nA=2", {"A": "2"}),
        ("A=$(rm -rf /)\nB=`x`\nC=${A}", {"A": "$(rm -rf /)", "B": "`x`", "C": "${A}"}),
        ("URL=https://x/?a=b&c=d", {"URL": "https://x/?a=b&c=d"}),
    ],
)
def test_what_a_file_says_is_what_is_set(text: str, expected: dict[str, str]) -> None:
    assert parse_env(text, ".env") == expected


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("A=1\nnonsense\n", 2, "nonsense"),
        ("\n\n1A=2", 3, "1A"),
        ("A=1\nB='open\nmore\n", 2, "no end"),
        ('A="x" y', 1, "after the closing quote"),
        ("=x", 1, "NAME=VALUE"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, word: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_env(text, "my.env")
    assert caught.value.place == f"my.env:{line}"
    assert word in caught.value.message


@given(st.dictionaries(st.from_regex(r"[A-Z_][A-Z0-9_]{0,5}", fullmatch=True), st.text()))
def test_double_quotes_can_hold_any_value(values: dict[str, str]) -> None:
    def quoted(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"')

    text = "\n".join(f'{name}="{quoted(value)}"' for name, value in values.items())
    assert parse_env(text, ".env") == values


def test_files_from_windows_are_read(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xef\xbb\xbfA=1\r\nB=2\r\n")
    assert read_env_file(str(file)) == {"A": "1", "B": "2"}


@pytest.mark.parametrize("content", [None, b"A=\xff\xfe", "folder"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, content: object) -> None:
    file = tmp_path / ".env"
    if content == "folder":
        file.mkdir()
    elif isinstance(content, bytes):
        file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_env_file(str(file))
    assert (caught.value.kind, caught.value.place) == ("wrong-argument", str(file))
