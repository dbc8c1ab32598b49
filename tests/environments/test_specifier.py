from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from octavo.environments.specifier import satisfies

versions = st.tuples(st.just(3), st.integers(8, 15), st.integers(0, 20)).map(
    lambda numbers: ".".join(map(str, numbers))
)
targets = st.lists(st.integers(2, 15), min_size=2, max_size=3).map(
    lambda numbers: ".".join(map(str, [3, *numbers[1:]]))
)
plain = st.builds("{}{}".format, st.sampled_from([">=", "<=", ">", "<", "==", "!=", "~="]), targets)
starred = st.builds("{}{}.*".format, st.sampled_from(["==", "!="]), targets)


@given(versions, st.lists(plain | starred, min_size=1, max_size=3))
def test_specifiers_mean_what_they_mean_to_packaging(version: str, parts: list[str]) -> None:
    text = ", ".join(parts)
    assert satisfies(version, text) == SpecifierSet(text).contains(version)


@pytest.mark.parametrize(
    ("version", "asked", "fits"),
    [
        ("3.12.4", "3.12", True),
        ("3.12.4", "3.12.4", True),
        ("3.12.4", "3.12.3", False),
        ("3.11.9", "3.1", False),
        ("3.12.4", "3", True),
        ("3.14.0rc1", ">=3.14", True),
        ("3.12.4", "", True),
        ("3.12.4", "nonsense", False),
        ("3.12.4", ">=", False),
    ],
)
def test_a_bare_version_stands_for_all_that_begin_with_it(
    version: str, asked: str, fits: bool
) -> None:
    assert satisfies(version, asked) is fits
