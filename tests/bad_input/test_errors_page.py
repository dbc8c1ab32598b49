"""The kinds of errors: each is raised, explained, and comes with a hint."""

from __future__ import annotations

import re

from bad_input.kinds import PAGE, exit_codes, mentioned, page_with_table, raised
from octavo.errors import KINDS


def test_the_page_has_the_kinds_of_now() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == page_with_table(page), "PYTHONPATH=tests python -m bad_input.kinds"


def test_every_kind_is_raised_somewhere() -> None:
    assert set(KINDS) == mentioned()
    assert [kind for kind in KINDS if not exit_codes(kind)] == []


def test_a_kind_has_one_exit_code() -> None:
    assert {kind: codes for kind in KINDS if len(codes := exit_codes(kind)) > 1} == {}


def test_every_error_says_what_to_do_next() -> None:
    bare = {each.where for each in raised() if not each.has_hint and each.exit_code != 1}
    assert bare == set()


def test_the_exit_codes_of_the_page_are_those_of_the_errors() -> None:
    page = PAGE.read_text(encoding="utf-8")
    explained = {int(code) for code in re.findall(r"^\| (\d+) \| ", page, re.MULTILINE)}
    assert explained == {0, 1, 2, 3, 130}
    assert {code for kind in KINDS for code in exit_codes(kind)} <= explained
