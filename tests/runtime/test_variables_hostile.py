"""Objects that lie, hang, print, raise, end the process: none of it happens when they are told."""

from __future__ import annotations

import collections
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import octavo_runtime
from octavo_runtime.variables import listing, preview


def evil(*_: Any, **__: Any) -> Any:
    raise AssertionError("code of the notebook was called")


class Touchy(type):
    """A metaclass that minds being looked at."""

    __getattribute__ = __eq__ = __hash__ = __instancecheck__ = __subclasscheck__ = evil
    __repr__ = __len__ = __dir__ = evil


_METHODS = (
    "__repr__", "__str__", "__len__", "__iter__", "__getitem__", "__getattr__", "__sizeof__",
    "__eq__", "__hash__", "__bool__", "__contains__", "__format__", "__dir__", "__float__",
    "__index__", "__call__", "__reduce_ex__", "keys", "items", "values", "__buffer__",
)  # fmt: skip
EVIL: dict[str, Any] = dict.fromkeys(_METHODS, evil)


def kind_of(*bases: type, **extra: Any) -> Any:
    return type("Evil", bases, {**EVIL, "__class__": property(evil), **extra})


class Liar:
    @property
    def __class__(self) -> Any:  # type: ignore[misc]
        return pandas.DataFrame

    @property
    def shape(self) -> Any:
        return evil()


class Many:
    """Every attribute exists, and none may be asked for."""

    def __getattribute__(self, name: str) -> Any:
        return evil()


def hostile_values() -> dict[str, Any]:
    touchy = type.__call__(Touchy, "Touched", (), {**EVIL, "__module__": "__main__"})
    frame = type("Frame", (pandas.DataFrame,), {"_marker": 1})({"a": [1, 2]})
    for name in ("shape", "columns", "iloc", "memory_usage", "dtypes", "__len__", "__getitem__",
                 "_mgr", "index", "__repr__", "__getattr__"):  # fmt: skip
        type.__setattr__(type(frame), name, property(evil))
    array: Any = numpy.zeros((2, 2)).view(type("Array", (numpy.ndarray,), {}))
    for name in ("shape", "nbytes", "dtype", "__getitem__", "__array_finalize__", "view"):
        type.__setattr__(type(array), name, property(evil))
    objects: Any = numpy.empty(2, object)
    objects[0] = object.__new__(kind_of(object))
    zone = type("Zone", (datetime.tzinfo,), {"utcoffset": evil, "dst": evil, "tzname": evil})()
    base_list = kind_of(list)
    filled = list.__new__(base_list)
    list.extend(filled, [1, 2])
    mapping = dict.__new__(kind_of(dict))
    dict.__setitem__(mapping, "a", 1)
    keyed = {"a": 1}
    dict.__setitem__(keyed, object.__new__(kind_of(object, __hash__=lambda self: 1)), 2)
    cyclic: dict[str, Any] = {}
    cyclic["self"] = [cyclic]
    return {
        "touched": type.__call__(touchy),
        "its_class": touchy,
        "liar": Liar(),
        "many": Many(),
        "frame": frame,
        "array": array,
        "objects": objects,
        "column": pandas.DataFrame({"o": pandas.Series(objects, dtype=object)}),
        "moment": datetime.datetime(2026, 1, 1, tzinfo=zone),
        "text": str.__new__(kind_of(str), "words"),
        "number": int.__new__(kind_of(int), 7),
        "real": float.__new__(kind_of(float), 1.5),
        "listed": filled,
        "mapped": mapping,
        "raw": bytes.__new__(kind_of(bytes), b"ab"),
        "keyed": keyed,
        "cyclic": cyclic,
        "default": collections.defaultdict(evil, {"a": 1}),
        "module_name": type("Named", (), {"__module__": Many()})(),
        "claims": type("DataFrame", (), {"__module__": "pandas", "__repr__": evil})(),
        "slotted": type("Slotted", (), {"__slots__": ("x",), **EVIL})(),
        "dict_lies": type("Lies", (), {"__dict__": property(evil)})(),
        "ends": iter(int, 1),
        "error": type("Bad", (Exception,), dict(EVIL))("why"),
    }


@pytest.mark.parametrize("name", list(hostile_values()))
def test_nothing_of_a_hostile_object_is_called(name: str, capfd: Any) -> None:
    namespace = {"it": hostile_values()[name]}
    listed = listing(namespace, digest=True)
    looked = preview(namespace, "it")
    json.dumps([listed, looked]).encode()
    (found,) = listed["variables"]
    assert found["name"] == "it"
    assert "cannot be looked" not in found["preview"]
    assert "notes" not in looked
    preview(namespace, "it['a'].b")
    preview(namespace, "it.a")
    assert capfd.readouterr() == ("", "")


def test_what_inherits_from_a_table_is_shown_as_the_table() -> None:
    found = preview(hostile_values(), "frame")
    assert (found["type"], found["kind"], found["rows"]) == ("Frame", "table", [["1"], ["2"]])
    assert preview(hostile_values(), "array")["rows"] == [["0", "0"], ["0", "0"]]
    assert preview(hostile_values(), "claims")["kind"] == "object"
    assert preview(hostile_values(), "liar")["kind"] == "object"


def test_values_of_classes_that_inherit_keep_their_content() -> None:
    values = hostile_values()
    shown = {each["name"]: each["preview"] for each in listing(values)["variables"]}
    assert shown["text"] == "Evil('words')"
    assert shown["number"] == "Evil(7)"
    assert shown["listed"] == "Evil([1, 2])"
    assert shown["mapped"] == "Evil({'a': 1})"
    assert shown["moment"] == "2026-01-01 00:00:00 Zone"
    assert shown["default"] == "defaultdict({'a': 1})"


_COPY = """
import json, sys
from octavo_runtime.variables import preview
class It:
    def __init__(self): self.kept = 1
    def __repr__(self): {body}
found = preview(dict(it=It()), "it", characters=200, safe=False)
sys.stdout.flush()
print(json.dumps(found))
"""


def in_a_copy(body: str) -> dict[str, Any]:
    """What a process says that could be thrown away."""
    root = str(Path(octavo_runtime.__file__).parent.parent)
    ran = subprocess.run(
        [sys.executable, "-c", _COPY.replace("{body}", body)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == 1
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_in_a_copy_an_object_may_speak() -> None:
    assert in_a_copy("return 'It is ' + str(self.kept)")["text"] == "It is 1"


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ("raise SystemExit(3)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("return 5", "TypeError"),
        ("return repr(self)", "RecursionError"),
        ("return 'x' * (1 << 40)", "MemoryError"),
    ],
)
def test_in_a_copy_an_object_that_fails_to_speak_is_told(body: str, raised: str) -> None:
    found = in_a_copy(body)
    assert found["notes"] == [f"its repr raised {raised}"]
    assert found["text"] == "<It kept=1>"


def test_in_a_copy_nothing_is_printed_and_long_texts_are_cut() -> None:
    found = in_a_copy("print('noise'); return 'a' + 'é\\ud800' * 10_000_000 + 'z'")
    assert len(found["text"]) < 2000
    assert found["text"].startswith("aé\\ud800")
    assert found["text"].endswith("z")
