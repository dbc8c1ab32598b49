"""Notebooks that run to their end: nothing in them is said to be certainly missing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from octavo.notebook.model import Cell, Notebook
from octavo.notebook.names import Names, analyse

CELL = "\n# next\n"
#: Each begins with a line that names it.
TEXT = """\
=== an exception before a line
try:
    print({}['k'])
    print(gone)
except KeyError:
    pass
=== an exception instead of else
try:
    int('x')
except ValueError:
    pass
else:
    gone
=== bound before a raise
try:
    if 1 + 1:
        b = 2
        raise ValueError
except ValueError:
    pass
print(b)
=== bound by a function before it raises
def f():
    global b
    if 1 + 1:
        b = 2
        raise ValueError
try:
    f()
except ValueError:
    pass
print(b)
=== not deleted after all
try:
    x = 1
    int('x')
    del x
except ValueError:
    pass
x
=== not deleted in a with
import contextlib
x = 1
with contextlib.suppress(ValueError):
    int('x')
    del x
x
=== continue
for i in [1, 2]:
    if i > 0:
        continue
    print(gone)
=== break
for i in range(3):
    if i == 0:
        break
    print(gone)
=== break out of while
n = 0
while True:
    n += 1
    if n == 1:
        break
    print(gone)
=== an exception in a function
def f():
    try:
        return int('x') + gone
    except ValueError:
        return 0
f()
=== the end of the run
import sys
if sys.argv is not None:
    sys.exit()
# next
print(gone)
=== the end of the run, raised
if 1 + 1:
    raise SystemExit
# next
print(gone)
=== push
from IPython import get_ipython
ip = get_ipython()
ip.push({'p': 1})
# next
print(p)
=== push, called otherwise
from IPython import get_ipython as g
g().push({'p': 1})
print(p)
=== push through the package
import IPython
IPython.get_ipython().push({'p': 1})
print(p)
=== push through the class
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.instance().push({'p': 1})
print(p)
=== push, if there is a shell
try:
    ip = get_ipython()
except NameError:
    ip = None
if ip:
    ip.push({'p': 1})
print(p)
=== push in a method
ip = get_ipython()
class A:
    def go(self):
        ip.push({'p': 1})
A().go()
print(p)
=== globals in a coroutine
async def f():
    globals()['made'] = 1
await f()
print(made)
=== globals in a method
class A:
    def __init__(self):
        self.alpha = 1
    def out(self):
        globals().update(vars(self))
a = A()
# next
a.out()
# next
alpha
=== globals in a decorator
def keep(f):
    globals()['kept'] = f
    return f
@keep
def f():
    return 1
kept()
=== frames in a method
import sys
class A:
    def go(self):
        sys._getframe(1).f_globals['made'] = 1
A().go()
print(made)
=== setattr of builtins
import builtins
setattr(builtins, 'say', print)
say(1)
=== builtins, called otherwise
import builtins as b
b.say = print
say(1)
=== setattr of the main module
import sys
setattr(sys.modules['__main__'], 'z', 1)
print(z)
=== attribute of this module
import sys
sys.modules[__name__].z = 1
print(z)
=== this module by a name
import sys
me = sys.modules[__name__]
setattr(me, 'z', 1)
print(z)
=== main module, imported
import __main__
vars(__main__)['z'] = 1
print(z)
=== main module by its name
import importlib
importlib.import_module('__main__').z = 1
print(z)
=== names of a metaclass
class Meta(type):
    def __prepare__(name, bases):
        return {"brought": 1}
class A(metaclass=Meta):
    y = brought
=== capture with options
%%capture --no-stderr out
print(1)
# next
print(out.stdout)
=== timeit with a first line
%%timeit -n1 -r 1 q = 5
w = q + 1
"""
RUNNING = {
    name: source.rstrip("\n")
    for name, _, source in (part.partition("\n") for part in TEXT.split("=== ")[1:])
}

RUN = """
import asyncio, json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
sys.modules["__main__"] = shell.user_module
failed = {}
for name, cells in json.load(sys.stdin).items():
    shell.reset()
    for cell in cells:
        result = shell.run_cell(cell, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        if isinstance(error, SystemExit):
            break
        if error is not None:
            failed[name] = repr(error)
print("\\nFAILED", json.dumps(failed))
"""


def names(source: str) -> Names:
    return analyse(Notebook(tuple(Cell("code", each) for each in source.split(CELL))))


@pytest.mark.parametrize("source", RUNNING.values(), ids=RUNNING)
def test_what_runs_is_not_said_to_fail(source: str) -> None:
    found = names(source)
    assert [each.name for cell in found.cells for each in cell.undefined if each.sure] == []


def test_these_do_run() -> None:
    cells = {name: source.split(CELL) for name, source in RUNNING.items()}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN],
        input=json.dumps(cells), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "FAILED {}"


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nif 'google.colab' in sys.modules:\n    pass\n# next\nprint(gone)",
        "import sys\nsys.modules.pop('json', None)\nsys.modules['x'] = None\n# next\nprint(gone)",
        "import builtins\nprint(builtins.len([]), getattr(builtins, 'len'))\n# next\nprint(gone)",
        "is_main = __name__ == '__main__'\n# next\nprint(gone)",
        "def colab():\n    return get_ipython() is not None\ncolab()\n# next\nprint(gone)",
        "%%timeit -n1 -r1\ngone = 1\n# next\nprint(gone)",
        "for i in [1]:\n    if i:\n        break\n# next\nprint(gone)",
        "try:\n    x = 1\nexcept ValueError:\n    x = 2\n# next\nprint(gone)",
    ],
)
def test_what_is_certainly_missing_is_still_told(source: str) -> None:
    found = names(source)
    assert [(each.name, each.sure) for each in found.cells[-1].undefined] == [("gone", True)]


if sys.version_info >= (3, 12):

    def test_names_of_types_belong_to_what_they_are_declared_for() -> None:
        found = names(
            "type Pair[T] = tuple[T, T]\ndef first[T](x: list[T]) -> T:\n    y: T = x[0]\n"
            "    return y, T\nclass Base[T]: pass\nclass Box[T](Base[T]):\n    kept = T\n"
            "    def get(self) -> T:\n        return T\nfirst([1])\n# next\nprint(Pair, Box, T)"
        )
        assert [[each.name for each in cell.undefined] for cell in found.cells] == [[], ["T"]]


def test_a_parameter_without_a_value_is_there_once_the_notebook_runs() -> None:
    cells = (Cell("code", "rate: float", {"tags": ["parameters"]}), Cell("code", "print(rate)"))
    found = analyse(Notebook(cells))
    assert [cell.undefined for cell in found.cells] == [(), ()]
    assert [(edge.source, edge.target) for edge in found.edges] == [(0, 1)]
