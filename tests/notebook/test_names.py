"""What is told of the names of cells, case by case."""

from __future__ import annotations

import pytest

from octavo.notebook.model import Cell, Notebook
from octavo.notebook.names import Names, analyse
from octavo.notebook.names.near import near_names


def names(*sources: str, tags: dict[int, list[str]] | None = None) -> Names:
    cells = (
        Cell("code", source, {"tags": (tags or {}).get(index, [])})
        for index, source in enumerate(sources)
    )
    return analyse(Notebook(tuple(cells)))


def missing(found: Names) -> list[tuple[int, str, bool]]:
    return [(cell.index, each.name, each.sure) for cell in found.cells for each in cell.undefined]


def edges(found: Names) -> set[tuple[int, int]]:
    return {(edge.source, edge.target) for edge in found.edges}


FINE = {
    "builtins": "print(len('x'), __name__, display, get_ipython)",
    "comprehension": "[x for x in range(3) if x]\n{k: v for k, v in {}.items()}",
    "nested comprehension": "[y for x in [[1]] for y in x]",
    "walrus": "if (n := 3) > 2:\n    print(n)\nprint(n)",
    "global in a function": "def f():\n    global made\n    made = 1\nf()\nprint(made)",
    "class body": "class A:\n    x = 1\n    y = x\n    def m(self):\n        return A\nA().m()",
    "try import": "try:\n    import nowhere\nexcept ImportError:\n    nowhere = None\nnowhere",
    "both branches": "import sys\nif sys.argv:\n    a = 1\nelse:\n    a = 2\na",
    "one branch": "import sys\nif sys.argv:\n    a = 1\na",
    "guarded": "if 'x' in globals():\n    print(x)",
    "guarded by an exception": "try:\n    x\nexcept NameError:\n    x = 1\nx",
    "match": "match [1, 2]:\n    case [a, *rest]:\n        print(a, rest)\n    "
    "case {'k': v, **more}:\n        print(v, more)\n    case other:\n        print(other)",
    "loop over turns": "for i in [1, 2]:\n    if i > 1:\n        print(last)\n    last = i",
    "function before its names": "def f():\n    return later\nlater = 1\nf()",
    "decorator": "import functools\n@functools.cache\ndef f(n):\n    return f(n)\nf(1)",
    "annotation": "def f(x: Unknown) -> Other:\n    pass\ny: Thing = 1",
    "recursive": "def f(n):\n    return f(n - 1) if n else 0\nf(2)",
    "nonlocal": "def f():"
    "\n    x = 1\n    def g():\n        nonlocal x\n        x += 1\n    g()\nf()",
    "lambda default": "k = 1\nf = lambda x, y=k: x + y\nf(1)",
    "main": "if __name__ == '__main__':\n    a = 1\na",
    "star": "from os.path import *\nprint(join('a', 'b'))",
    "run": "%run other.py\nprint(from_there)",
    "pylab": "%pylab inline\nplot([1])",
    "magic assignment": "files = !ls\nprint(files)",
    "time": "%time x = 1\nprint(x)",
    "cell time": "%%time\ny = 2\nprint(y)",
    "capture": "%%capture out\nprint(1)",
    "bash": "%%bash\necho $HOME",
    "shell": "!ls {folder} $HOME",
    "help": "thing?",
    "bare command": "ls",
    "pip": "pip install x",
    "await": "import asyncio\nawait asyncio.sleep(0)",
    "with": "with open('x') as f:\n    text = f.read()\ntext",
    "exec of a text": "exec('a = 1')\na",
    "starred": "first, *rest = [1, 2]\nprint(first, rest)",
    "type checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from x import Y\n",
    "del and again": "a = 1\ndel a\na = 2\na",
    "except name": "try:\n    1 / 0\nexcept Exception as e:\n    print(e)",
    "generator": "def g():\n    yield later_too\nit = g()\nlater_too = 1\nlist(it)",
    "last result": "1 + 1\n_ * 2",
    "globals": "globals()['made'] = 1\nmade",
    "suppressed": "from contextlib import suppress\nwith suppress(NameError):\n    pass",
    "class scope": "x = 1\nclass A:\n    x = x\n",
    "return in a function": "def f():\n    if True:\n        return 1\n    return nothing\nf()",
    "dunder": "print(__file__)",
    "infinite loop left": "while True:\n    a = 1\n    break\na",
    "augmented attribute": "class A: n = 0\na = A()\na.n += 1\na.x = [1]\na.x[0] += 1",
    "f-string": "v = 1\nf'{v:>{v}} {v!r} {v=}'",
}


@pytest.mark.parametrize("source", FINE.values(), ids=FINE)
def test_nothing_is_missing(source: str) -> None:
    assert [each for each in missing(names(source)) if each[2]] == []


MISSED = {
    "plain": ("x", "x"),
    "in an expression": ("a = 1\na + b", "b"),
    "after del": ("a = 1\ndel a\na", "a"),
    "deleted twice": ("a = 1\ndel a\ndel a", "a"),
    "augmented": ("n += 1", "n"),
    "exception is gone": ("try:\n    1\nexcept Exception as e:\n    e\nprint(e)", "e"),
    "comprehension variable": ("[i for i in [1]]\nprint(i)", "i"),
    "called function": ("def f():\n    return later\nf()\nlater = 1", "later"),
    "called through another": (
        "def g():\n    return later\ndef f():\n    return g()\nf()\nlater = 1",
        "later",
    ),
    "called lambda": ("f = lambda: later\nf()\nlater = 1", "later"),
    "decorator": ("@nowhere\ndef f(): pass", "nowhere"),
    "base class": ("class A(Nowhere): pass", "Nowhere"),
    "default": ("def f(a=nowhere): pass", "nowhere"),
    "in a sure loop": ("for i in [1, 2]:\n    print(nowhere)", "nowhere"),
    "f-string": ("f'{nowhere}'", "nowhere"),
    "item": ("nowhere['x'] = 1", "nowhere"),
    "keyword": ("print(sep=nowhere)", "nowhere"),
    "after time": ("%%time\nprint(nowhere)", "nowhere"),
    "beside a magic": ("%matplotlib inline\nprint(nowhere)", "nowhere"),
}


@pytest.mark.parametrize(("source", "name"), MISSED.values(), ids=MISSED)
def test_what_is_missing_is_told(source: str, name: str) -> None:
    assert missing(names(source)) == [(0, name, True)]


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nif sys.argv:\n    print(nowhere)",
        "def f():\n    return nowhere",
        "class A:\n    def m(self):\n        return nowhere",
        "import sys\nfor i in sys.argv:\n    print(nowhere)",
        "with something() as s:\n    pass".replace("something()", "memoryview(b'')")
        + "\nwith s:\n    nowhere",
    ],
)
def test_what_is_missing_on_some_way_is_not_sure(source: str) -> None:
    assert missing(names(source)) == [(0, "nowhere", False)]


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    x: Nowhere = 1\n    return x",
        "class A:\n    x: Nowhere\n    def m(self):\n        self.x: Nowhere = 1",
        "def f():\n    global made\n    made = 1\ndef g():\n    return made",
        "from typing import TYPE_CHECKING\ndef f():\n    if TYPE_CHECKING:\n        nowhere",
        "def f():\n    try:\n        return unicode\n    except NameError:\n        return str",
    ],
)
def test_names_in_functions_that_nobody_looks_up_are_not_missing(source: str) -> None:
    assert missing(names(source)) == []


def test_the_cell_that_defines_a_name_later_is_told() -> None:
    (found,) = names("print(df)", "x = 1", "df = 2").cells[0].undefined
    assert (found.name, found.later, found.sure) == ("df", 2, True)


def test_the_function_that_misses_a_name_and_the_line_of_its_call_are_told() -> None:
    found = names("def f():\n    return later", "1\nf()", "later = 1").cells[1].undefined[0]
    assert (found.name, found.through, found.line, found.later) == ("later", "f", 2, 2)


UNKNOWN = {
    "exec": "exec(text)",
    "eval": "text = 'x'\neval(text)",
    "globals": "globals().update({})",
    "run": "%run other.py",
    "magic": "%%sql\nselect 1",
    "syntax": "def f(:",
    "prompts": ">>> x = 1",
    "shell object": "get_ipython().push({'x': 1})",
    "frames": "import sys\nsys._getframe().f_globals['x'] = 1",
    "builtins": "import builtins\nbuiltins.x = 1",
    "function that execs": "def f(t):\n    exec(t)\nf('x = 1')",
}


@pytest.mark.parametrize("source", UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_told_is_unknown_and_names_after_it_are_not_missing(source: str) -> None:
    found = names("text = ''", source, "x")
    assert found.cells[1].unknown
    assert not any(each.sure for each in found.cells[2].undefined)
    assert found.downstream(0) == (1, 2)


@pytest.mark.parametrize(
    "change",
    [
        "df['x'] = 1",
        "df.append(1)",
        "df += [1]",
        "df.x = 1",
        "del df[0]",
        "other = df\nother.append(1)",
        "for row in df:\n    row.clear()",
        "def f(x):\n    x.append(1)\nf(df)",
        "def f():\n    df.append(1)\nf()",
        "import random\nrandom.shuffle(df)",
        "import heapq\nheapq.heappush(df, 1)",
        "df.sort_values('x', inplace=True)",
        "df.fit_somehow()",
        "from my_own import clean\nclean(df)",
    ],
)
def test_who_changes_a_value_stands_between_it_and_its_later_users(change: str) -> None:
    found = names("df = [[1]]", change, "print(df)")
    assert {(0, 1), (1, 2)} <= edges(found)
    assert "df" in (*found.cells[1].changed, *found.cells[1].defined)


@pytest.mark.parametrize(
    "look",
    ["print(df)", "len(df)", "df.head()", "sorted(df)", "import math\nmath.fsum(df)", "x = df[0]",
     "for row in df:\n    print(row)", "def f(x):\n    return len(x)\nf(df)", "f'{df}'"],
)  # fmt: skip
def test_who_only_looks_at_a_value_does_not_touch_its_later_users(look: str) -> None:
    assert edges(names("df = [[1]]", look, "print(df)")) == {(0, 1), (0, 2)}


def test_a_value_that_is_another_name_of_one_is_changed_with_it() -> None:
    assert edges(names("a = []", "b = a", "b.append(1)", "print(a)")) == {
        (0, 1), (1, 2), (0, 3), (2, 3),
    }  # fmt: skip


def test_a_new_value_ends_what_was_before() -> None:
    found = names("x = 1", "print(x)", "x = 2", "print(x)")
    assert edges(found) == {(0, 1), (2, 3)}
    assert found.downstream(0) == (1,)


def test_a_function_takes_names_where_it_is_called() -> None:
    found = names("def f():\n    return k", "k = 1", "f()")
    assert edges(found) == {(0, 2), (1, 2)}
    assert found.upstream(2) == (0, 1)


def test_methods_take_names_where_their_object_is_used() -> None:
    found = names("class A:\n    def m(self):\n        return k", "a = A()", "k = 1", "a.m()")
    assert (2, 3) in edges(found)


def test_random_numbers_depend_on_who_drew_before() -> None:
    found = names("import numpy as np", "np.random.seed(1)", "np.pi", "np.random.rand()")
    assert edges(found) == {(0, 1), (0, 2), (0, 3), (1, 3)}


def test_to_run_again_brings_back_what_was_replaced() -> None:
    found = names("x = 1", "y = x", "x = 2", "print(x)")
    assert found.downstream(1) == ()
    assert found.rerun(1) == (0, 1, 2, 3)


def test_cells_that_are_skipped_or_meant_to_fail_are_not_held_to_it() -> None:
    tags = {0: ["skip"], 1: ["raises-exception"], 2: ["skip-if: fast"]}
    found = names("a = nowhere", "b = nowhere", "c = nowhere", "print(b)", tags=tags)
    assert missing(found) == []


def test_cells_after_the_end_of_the_run_are_not_reached() -> None:
    found = names("import sys\nif sys.argv:\n    sys.exit()", "1\nraise SystemExit", "print(x)")
    assert [cell.reached for cell in found.cells] == [True, True, False]
    assert (found.cells[1].ends, missing(found)) == (2, [])


def test_other_languages_have_no_names() -> None:
    metadata = {"kernelspec": {"name": "ir", "language": "R"}}
    assert analyse(Notebook((Cell("code", "x <- 1"),), metadata)) == Names((), ())


def test_deep_nesting_and_many_calls_are_survived() -> None:
    deep = "x = " + "(" * 150 + "1" + ")" * 150 + " + 1" * 3000
    chain = "\n".join(f"def f{n}():\n    f{n - 1}()\n    f{n - 1}()" for n in range(1, 40))
    found = names(f"def f0():\n    pass\n{chain}\nf39()", deep, "print(x)")
    assert len(found.cells) == 3


def test_what_is_too_entangled_to_be_followed_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.notebook.names.memory._MOST_WORK", 100)
    knot = [f"x{n} = any_of(xs)\nxs.append(x{n})" for n in range(40)]
    found = names("from somewhere import any_of\nxs = []", *knot, "print(nowhere)")
    assert found.cells[-1].unknown == "there is too much to follow"
    assert missing(found) == []
    assert found.downstream(0)[-1] == 41


def test_a_generator_has_its_variable_for_itself() -> None:
    found = names("x = [1]", "data = [2]", "print(max(load(x for x in data)))")
    assert "x" not in found.cells[2].used


def test_functions_without_a_name_are_not_taken_for_each_other() -> None:
    """Of a function that is gone nothing is remembered for one that comes after it."""
    first = "\n".join(f"a{n} = {n}" for n in range(100))
    found = names(first, *(f"print(sorted([1], key=lambda v: v + a{n}))" for n in range(100)))
    assert [cell.used for cell in found.cells[1:]] == [(f"a{n}",) for n in range(100)]


@pytest.mark.parametrize(
    "use",
    (
        "print(sorted([1], key=lambda v: v + a))",
        "max([1, 2], key=lambda v: v * a)",
        "list(map(lambda v: v + a, [1]))",
        "for x in map(lambda v: v + a, [1]):\n    print(x)",
        "[x for x in filter(lambda v: v > a, [1])]",
    ),
)
def test_what_python_calls_at_once_is_used(use: str) -> None:
    assert names("a = 1", use).downstream(0) == (1,)


def test_names_that_look_like_a_missing_one_are_found_where_code_makes_them() -> None:
    sources = [
        "scaled = 1",
        "import scalar",
        "def scale():\n    inner_scales = 1",
        "%%time\nrow = 1",
    ]
    assert near_names("scales", [*sources, "not python ("])[:2] == ("scale", "scaled")
    assert near_names("rows", sources) == ("row",)
    assert near_names("inner_scale", []) == ()
