"""Sanitize files, as nbval reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import OctavoError
from octavo.gate.nbval.sanitize import read_sanitizer


def written(path: Path, text: str) -> Path:
    file = path / "sanitize.cfg"
    file.write_bytes(text.encode())
    return file


def test_replacements_are_made_in_order(tmp_path: Path) -> None:
    text = "[a]\nregex: \\d+\nreplace: N\n\n[b]\nregex: N (\\w+)\nreplace: \\1 N\n"
    sanitize = read_sanitizer(written(tmp_path, text))
    assert sanitize("7 days, 14 nights") == "days N, nights N"


def test_other_lines_and_broken_pairs_do_not_count(tmp_path: Path) -> None:
    text = "regex: a\n\nreplace: b\n regex: c\nreplace: d\nreplace: e\nregex: f"
    assert read_sanitizer(written(tmp_path, text))("a c f") == "a c f"


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    sanitize = read_sanitizer(written(tmp_path, "regex: a$\r\nreplace: b\r\n"))
    assert sanitize("a") == "b"


def test_of_the_same_regex_the_last_replacement_counts_at_the_first_place(tmp_path: Path) -> None:
    text = "regex: a\nreplace: b\nregex: b\nreplace: c\nregex: a\nreplace: d\n"
    assert read_sanitizer(written(tmp_path, text))("ab") == "dc"


@pytest.mark.parametrize(
    ("regex", "replacement"), [("(", "x"), ("a", "\\1"), ("a", "\\g<name>"), ("*", "x")]
)
def test_a_wrong_pair_is_told_with_its_line(tmp_path: Path, regex: str, replacement: str) -> None:
    file = written(tmp_path, f"[one]\nregex: {regex}\nreplace: {replacement}\n")
    with pytest.raises(OctavoError) as caught:
        read_sanitizer(file)
    assert caught.value.kind == "wrong-argument"
    assert caught.value.place == f"{file}:2"
    assert caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OctavoError) as caught:
        read_sanitizer(tmp_path / "none.cfg")
    assert (caught.value.kind, caught.value.exit_code) == ("wrong-argument", 2)


@given(st.text(alphabet="regxplac: \\d()\n+ab", max_size=120))
def test_the_pairs_are_those_that_nbval_finds(text: str) -> None:
    from tempfile import TemporaryDirectory

    from nbval.plugin import get_sanitize_patterns  # type: ignore[import-untyped]

    with TemporaryDirectory() as folder:
        try:
            ours = read_sanitizer(written(Path(folder), text)).patterns
        except OctavoError:
            return
    theirs: dict[str, str] = dict(get_sanitize_patterns(text))
    assert {pattern.pattern: new for pattern, new in ours} == theirs
    assert all(isinstance(pattern, re.Pattern) for pattern, _ in ours)
