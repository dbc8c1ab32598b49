"""What the analysis of names says, held against what happens when the cells are run."""

from __future__ import annotations

import contextlib
import copy
import io
import os
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from octavo.notebook.model import Cell, Notebook
from octavo.notebook.names import Names, analyse

pytestmark = pytest.mark.every_python

NAMES = st.sampled_from(["a", "b", "c", "f", "g"])
NUMBERS = st.integers(0, 3).map(str)


def indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.split("\n"))


def expressions() -> st.SearchStrategy[str]:
    plain = st.one_of(
        NUMBERS, NAMES, NUMBERS.map(lambda n: f"[{n}]"), NAMES.map(lambda n: f"[{n}]")
    )
    return st.recursive(
        plain,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda two: f"[{two[0]}, {two[1]}]"),
            inner.map(lambda e: f"str({e})"),
            inner.map(lambda e: f"list([{e}])"),
            inner.map(lambda e: f"[x for x in [{e}]]"),
            inner.map(lambda e: f"({e} if 1 else 2)"),
            inner.map(lambda e: f"(0 or {e})"),
            inner.map(lambda e: f'f"{{str({e})}}"'),
            st.tuples(NAMES, inner).map(lambda two: f"({two[0]} := {two[1]})"),
            st.tuples(NAMES, inner).map(lambda two: f"call({two[0]}, {two[1]})"),
            inner.map(lambda e: f"first({e})"),
        ),
        max_leaves=3,
    )


def simple_statements() -> st.SearchStrategy[str]:
    value = expressions()
    return st.one_of(
        st.tuples(NAMES, value).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(NAMES, value).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(NAMES, NAMES).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(NAMES, value).map(lambda p: f"put({p[0]}, {p[1]})"),
        st.tuples(NAMES, value).map(lambda p: f"{p[0]} += {p[1]}"),
        st.tuples(NAMES, value).map(lambda p: f"{p[0]}.append({p[1]})"),
        st.tuples(NAMES, value).map(lambda p: f"{p[0]}[0] = {p[1]}"),
        st.tuples(NAMES, NAMES).map(lambda p: f"{p[0]}, {p[1]} = {p[1]}, 1"),
        NAMES.map(lambda n: f"del {n}"),
        NAMES.map(lambda n: f"print({n})"),
        NAMES.map(lambda n: f"{n}()"),
        NAMES.map(lambda n: f"{n} = lambda: {n}"),
    )


def statements() -> st.SearchStrategy[str]:
    simple = simple_statements()

    def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        body = st.lists(inner, min_size=1, max_size=2).map("\n".join).map(indented)
        return st.one_of(
            st.tuples(NAMES, body).map(lambda p: f"if flag({p[0]!r}):\n{p[1]}"),
            st.tuples(body, body).map(lambda p: f"if flag(1):\n{p[0]}\nelse:\n{p[1]}"),
            st.tuples(NAMES, body).map(lambda p: f"for {p[0]} in [1, 2]:\n{p[1]}"),
            st.tuples(NAMES, NAMES, body).map(lambda p: f"for {p[0]} in each({p[1]}):\n{p[2]}"),
            body.map(lambda b: f"try:\n{b}\nexcept NameError:\n    pass"),
            st.tuples(body, body).map(
                lambda p: f"try:\n{p[0]}\nexcept Exception as error:\n{p[1]}"
            ),
            st.tuples(body, body).map(lambda p: f"try:\n{p[0]}\nfinally:\n{p[1]}"),
            st.tuples(NAMES, body).map(lambda p: f"def {p[0]}(a=0):\n{p[1]}\n    return a"),
            st.tuples(NAMES, NAMES, body).map(
                lambda p: f"def {p[0]}():\n    global {p[1]}\n{p[2]}"
            ),
            st.tuples(NAMES, NAMES).map(lambda p: f"def {p[0]}():\n    return {p[1]}"),
            st.tuples(NAMES, NAMES).map(lambda p: f"def {p[0]}():\n    {p[1]}.append(1)"),
            st.tuples(NAMES, body).map(lambda p: f"class {p[0]}:\n{p[1]}"),
            body.map(lambda b: f"while flag(2):\n{b}\n    break"),
            st.tuples(NAMES, NAMES, body).map(
                lambda p: (
                    f"match {p[0]}:\n    case [{p[1]}]:\n{indented(p[2])}\n    case _:\n"
                    "        pass"
                )
            ),
        )

    return st.one_of(simple, simple, nested(st.one_of(simple, nested(simple))))


CELLS = st.lists(statements(), min_size=1, max_size=3).map("\n".join)
NOTEBOOKS = st.lists(CELLS, min_size=2, max_size=5)
#: Something to begin with, so that most notebooks get beyond their first cells.
BEGINNINGS = st.sampled_from(
    (
        "a = [1]\nb = [a, 2]\nc = 3\ndef f(x=0):\n    return [a, x]\ng = b",
        "a = b = [1]\nc = [b]\ndef f(x=0):\n    b.append(x)\n    return b\ng = lambda: c",
        "class f:\n    def __init__(self, x=0):\n        a.append(x)\na = [1]\nb, c, g = 1, a, [f]",
    )
)
STARTED = st.tuples(BEGINNINGS, NOTEBOOKS).map(lambda p: [p[0], *p[1]])
MANY = settings(
    max_examples=int(os.environ.get("NAMES_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def call(function: Any, *given: Any) -> Any:
    return function(*given) if callable(function) else given


def put(where: Any, what: Any) -> None:
    if isinstance(where, list) and len(where) < 50:
        where.append(what)


def first(what: Any) -> Any:
    return what[0] if isinstance(what, list) and what else what


def each(what: Any) -> Any:
    return what[:3] if isinstance(what, list) else [what]


def flag(what: Any) -> bool:
    return what in ("a", "b", 1)


GIVEN: dict[str, Callable[..., Any]] = {
    "call": call, "put": put, "first": first, "each": each, "flag": flag,
}  # fmt: skip
PRELUDE = "from given import call, put, first, each, flag"


class Ran:
    """A cell that was run: what it printed, how it ended, and the state behind it."""

    def __init__(
        self, printed: str, error: BaseException | None, namespace: dict[str, Any]
    ) -> None:
        self.printed = printed
        self.error = error
        self.state = snapshot(namespace)
        self.values = dict(namespace)


def snapshot(namespace: dict[str, Any]) -> dict[str, str]:
    return {
        name: shown(value)
        for name, value in namespace.items()
        if name in ("a", "b", "c", "f", "g", "error")
    }


def shown(value: Any, depth: int = 0) -> str:
    """A value as text that is the same for the same content."""
    if depth > 6:
        return "…"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(shown(part, depth + 1) for part in value[:60])}]"
    if isinstance(value, type):
        inner = {k: shown(v, depth + 1) for k, v in vars(value).items() if k in "abcfg"}
        return f"class {inner}"
    if callable(value):
        return type(value).__name__
    return re.sub("0x[0-9a-f]+", "0x", repr(value))[:200]


def execute(source: str, namespace: dict[str, Any]) -> Ran:
    printed = io.StringIO()
    error: BaseException | None = None
    namespace["print"] = lambda *what: printed.write(f"{[shown(each) for each in what]}\n")
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "<cell>", "exec"), namespace)
        except Exception as raised:
            error = raised
    return Ran(printed.getvalue(), error, namespace)


def fresh() -> dict[str, Any]:
    return {**GIVEN, "__name__": "__main__", "str": shown}


def run(sources: list[str], namespace: dict[str, Any]) -> list[Ran]:
    """Cell after cell until one fails."""
    done: list[Ran] = []
    for source in sources:
        done.append(execute(source, namespace))
        if done[-1].error is not None:
            break
    return done


def bound_anew(done: list[Ran], index: int) -> set[str]:
    """The names that a cell gave another value; not those whose value it only changed, which may
    be the one of another name.
    """
    after, before = done[index], done[index - 1] if index else None
    return {
        name
        for name in {*after.state, *(before.state if before else ())}
        if before is None
        or (
            before.state.get(name) != after.state.get(name)
            and before.values.get(name) is not after.values.get(name)
        )
    }


def analysed(sources: list[str]) -> Names:
    """With a cell before that imports the functions which are given; it is number 0."""
    return analyse(Notebook(tuple(Cell("code", source) for source in [PRELUDE, *sources])))


def is_name_error(error: BaseException | None) -> bool:
    return isinstance(error, NameError) and not isinstance(error, UnboundLocalError)


@MANY
@given(st.one_of(NOTEBOOKS, STARTED))
def test_a_name_that_is_said_to_be_missing_is_missing(sources: list[str]) -> None:
    done = run(sources, fresh())
    for index, ran in enumerate(done):
        cell = analysed(sources).cells[index + 1]
        sure = [each for each in cell.undefined if each.sure]
        assert not (sure and ran.error is None), (sources, index, sure)


@MANY
@given(st.one_of(NOTEBOOKS, STARTED))
def test_a_name_that_is_missing_is_told_or_open(sources: list[str]) -> None:
    """Where nothing is said, nothing is missing; names of branches and functions may be."""
    done = run(sources, fresh())
    if not is_name_error(done[-1].error):
        return
    names = analysed(sources)
    cell = names.cells[len(done)]
    missing = str(done[-1].error).split("'")[1]
    told = {each.name for each in cell.undefined}
    everything = {name for each in names.cells for name in (*each.used, *each.defined)}
    plain = not any(word in "\n".join(sources[: len(done)]) for word in _BRANCHES)
    assert missing in (told if plain else told | everything), (sources, missing, told)


_BRANCHES = ("if ", "for ", "while ", "try", "def ", "lambda", "match", "class", " or ", "call(")


@MANY
@given(STARTED, st.data())
def test_cells_that_are_not_downstream_do_the_same(sources: list[str], data: Any) -> None:
    at = data.draw(st.integers(0, len(sources) - 1))
    edited = [*sources]
    edited[at] = data.draw(CELLS)
    before, after = run(sources, fresh()), run(edited, fresh())
    touched = {*analysed(sources).downstream(at + 1), *analysed(edited).downstream(at + 1), at + 1}
    whole = min(len(before), len(after))
    for index in range(whole):
        one, other = before[index], after[index]
        if one.error is not None or other.error is not None:
            break
        if index + 1 not in touched:
            assert one.printed == other.printed, (sources, edited, at, index)
            cell = analysed(sources).cells[index + 1]
            for name in {*cell.defined} & (bound_anew(before, index) | bound_anew(after, index)):
                assert one.state.get(name) == other.state.get(name), (sources, edited, at, name)


@MANY
@given(STARTED, st.data())
def test_running_again_what_is_downstream_gives_the_same_state(
    sources: list[str], data: Any
) -> None:
    assert_again_the_same(sources, data.draw(st.integers(0, len(sources) - 1)))


def assert_again_the_same(sources: list[str], at: int) -> None:
    """One cell gets other numbers; running what that asks for ends where a fresh run does."""
    edited = [*sources]
    edited[at] = sources[at].translate(str.maketrans("0123", "1230"))
    namespace = fresh()
    if run(sources, namespace)[-1].error is not None or analysed(edited).cells[at + 1].unknown:
        return
    expected = run(edited, fresh())
    if expected[-1].error is not None:
        return
    again = {*analysed(sources).rerun(at + 1), *analysed(edited).rerun(at + 1)}
    for index, source in enumerate(edited):
        if index + 1 in again:
            execute(source, namespace)
    assert snapshot(namespace) == expected[-1].state, (sources, edited, at, again)


@pytest.mark.parametrize(
    "sources",
    (
        ["a = [1]", "b = [a, 2]", "a = (0 or (b := 0))"],
        ["a = [1]", "b = [a, 2]", "if flag(1):\n    b = 0"],
        ["b = [3]", "def f(x):\n    global b\n    if flag(x):\n        b = 0", "f(1)"],
        ["b = [3]\nc = 1", "b.append(2)", "for c in range(3):\n    b = c"],
        ["b = [3]", "try:\n    [1][0]\n    b = 0\nexcept IndexError:\n    pass"],
    ),
)
def test_a_cell_that_leaves_a_name_alone_after_an_edit_gets_back_what_was_there(
    sources: list[str],
) -> None:
    assert_again_the_same(sources, len(sources) - 1)


def test_values_are_shown_alike_when_they_are_alike() -> None:
    value = [1, ["x"], (2,)]
    assert shown(value) == shown(copy.deepcopy(value))
