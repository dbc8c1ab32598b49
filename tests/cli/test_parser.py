"""How words become a request."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.errors import UsageError
from octavo.surfaces.cli.commands import find
from octavo.surfaces.cli.parser import Asked, parse
from octavo.surfaces.cli.shape import Shape


def asked(*words: str, command: str = "run") -> Asked:
    entry = find(command)
    assert entry is not None
    return parse(Shape(entry), words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a.py b.py", {"paths": ("a.py", "b.py")}),
        ("a.py -p x -5 b.py -p y 1", {"parameters": (("x", "-5"), ("y", "1")), "jobs": 1}),
        ("-j2 a.py", {"jobs": 2, "paths": ("a.py",)}),
        ("a.py --jobs=3", {"jobs": 3}),
        ("a.py --output=", {"output": ""}),
        ("a.py --timeout 1.5m --memory 2GiB", {"timeout": 90.0, "memory": 2 * 1024**3}),
        ("a.py --env A --env B=1", {"env": ("A", "B=1")}),
        ("-- -odd.py", {"paths": ("-odd.py",)}),
        ("a.py -", {"paths": ("a.py", "-")}),
        ("a.py -j 1 -j 4", {"jobs": 4}),
    ],
)
def test_requests(words: str, expected: dict[str, Any]) -> None:
    request = asked(*words.split()).request
    assert {name: getattr(request, name) for name in expected} == expected


def test_a_text_may_begin_with_a_dash() -> None:
    """A list in Markdown is no option."""
    words = ("nb.md", "-1", "- one\n- two")
    request = asked(*words, command="notebook_edit").request
    assert (request.cell_index, request.new_source) == ("-1", "- one\n- two")
    with pytest.raises(UsageError, match="there is no option -one"):
        asked("nb.md", "-1", "-one", command="notebook_edit")


def test_options_of_the_surface_are_kept_apart() -> None:
    found = asked("a.py", "-q", "--json")
    assert (found.options.quiet, found.options.json, found.options.log_output) == (
        True,
        True,
        False,
    )
    assert not hasattr(found.request, "quiet")


def test_short_flags_may_be_joined() -> None:
    assert asked("last", "-ec3", command="show").request.cells == ("3",)
    assert asked("last", "-ec3", command="show").request.errors


def test_what_was_not_given_is_as_the_request_says() -> None:
    request = asked(command="rerun").request
    assert (request.run, request.recorded, request.parameters) == ("last", False, ())


def test_hidden_options_work_and_are_not_suggested() -> None:
    assert asked("a.py", "--parent-run", "x").request.parent_run == "x"
    with pytest.raises(UsageError) as caught:
        asked("a.py", "--parent-rum", "x")
    assert "parent" not in caught.value.hint.replace("--parameters", "")


@pytest.mark.parametrize(
    ("words", "held"),
    [
        (("--hold", "a.py"), 1800.0),
        (("a.py", "--hold"), 1800.0),
        (("--hold", "10m", "a.py"), 600.0),
        (("--hold=90", "a.py"), 90.0),
        (("a.py",), None),
    ],
)
def test_the_value_of_an_option_may_be_left_out_where_it_has_a_usual_one(
    words: tuple[str, ...], held: float | None
) -> None:
    request = asked(*words).request
    assert (request.paths, request.hold) == (("a.py",), held)


def test_a_value_that_hangs_on_such_an_option_must_fit() -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        asked("a.py", "--hold=10x")
