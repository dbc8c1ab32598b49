"""Values are collected in Papermill's order, checked and coerced before any cell runs."""

from __future__ import annotations

import base64
import datetime
import enum
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import papermill.cli
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import ParameterError
from octavo.notebook.literals import Spelled
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.parameters import Parameter, declared
from octavo.notebook.values import Given, bind, collect, typed

#: More digits than Python converts to decimal text.
LARGE = 1 << 20000


def parameters(source: str) -> tuple[Parameter, ...]:
    return declared(Notebook((Cell("code", source, {"tags": ["parameters"]}),)))


def bound(source: str, value: Any) -> Any:
    return bind(parameters(source), {"x": value}).values["x"]


def typed_as(source: str, text: str) -> Any:
    """What `-p x TEXT` becomes."""
    return bind(parameters(source), collect(parameters=[("x", text)])).values["x"]


def refusal(source: str, values: dict[str, Any], **options: Any) -> ParameterError:
    with pytest.raises(ParameterError) as refused:
        bind(parameters(source), values, **options)
    return refused.value


def same(left: Any, right: Any) -> bool:
    return repr(left) == repr(right)


# -- values given as Python objects, or from YAML and JSON ------------------------------------


@pytest.mark.parametrize(
    ("source", "value", "fitted"),
    [
        ("x: int = 1", 3, 3),
        ("x: int = 1", "3", 3),
        ("x: int = 1", 3.0, 3),
        ("x: int = 1", "1e3", 1000),
        ("x: float = 1.0", 3, 3.0),
        ("x: float = 1.0", "1e3", 1000.0),
        ("x: float = 1.0", "inf", float("inf")),
        ("x: bool = True", "no", False),
        ("x: bool = True", "TRUE", True),
        ("x: bool = True", "off", False),
        ("x: bool = True", 1, True),
        ("x: bool = True", 0, False),
        ("x: str = ''", "3", "3"),
        ("x: Optional[int] = 1", None, None),
        ("x: Optional[int] = 1", "null", None),
        ("x: Optional[int] = 1", "None", None),
        ("x: int | None = 1", "3", 3),
        ("x: Optional[str] = None", "none", "none"),
        ("x: list[int] = []", ["1", 2, 3.0], [1, 2, 3]),
        ("x: list[int] = []", (1, 2), [1, 2]),
        ("x: list[int] = []", "[1, 2]", [1, 2]),
        ("x: list[str] = []", "[a, b]", ["a", "b"]),
        ("x: list[str] = []", "- a\n- b", ["a", "b"]),
        ("x: dict[str, float] = {}", {"a": 1}, {"a": 1.0}),
        ("x: dict[str, float] = {}", '{"a": 1}', {"a": 1.0}),
        ("x: dict[str, float] = {}", "a: 1\nb: 2", {"a": 1.0, "b": 2.0}),
        ("x: dict[int, str] = {}", {"1": "a"}, {1: "a"}),
        ("x: tuple[int, str] = (1, '')", [1, "a"], (1, "a")),
        ("x: tuple[int, str] = (1, '')", "(1, 'a')", (1, "a")),
        ("x: tuple[int, ...] = ()", [1, "2"], (1, 2)),
        ("x: set[int] = set()", [2, 1, 2], {1, 2}),
        ("x: Literal['a', 'b'] = 'a'", "b", "b"),
        ("x: Literal[1, 2] = 1", "2", 2),
        ("x: Literal['1', '2'] = '1'", "2", "2"),
        ("x: Literal[1, 2] = 1", 2.0, 2),
        ("x: Literal[1, None] = 1", "none", None),
        ("x: Literal[True, 'auto'] = 'auto'", "yes", True),
        ("x: int | str = 1", "3", "3"),
        ("x: bool | int = 1", 1, 1),
        ("x: float | int = 1", 3, 3),
        ("x: float | None = 1", 3, 3.0),
        ("x: Path = 'a'", "b", "b"),
        ("x: date = '2026-01-01'", "20260131", "2026-01-31"),
        ("x: date = '2026-01-01'", datetime.date(2026, 1, 31), "2026-01-31"),
        ("x: time = '10:00'", "11:30", "11:30:00"),
        ("x: Path", Path("b"), Spelled("b", 'Path("b")')),
        ("x = dt.datetime.now()", "2026-01-31", None),
        ("x: SomeClass = None", {"a": (1,)}, {"a": (1,)}),
        ("x = None", "text", "text"),
        ("x = None", 3, 3),
        ("x = 1", 1.5, 1.5),
        ("x = 1", "1.5", 1.5),
        ("x = 1", True, True),
        ("x = 1.5", 1, 1.0),
        ("x = [1]", ["a", None], ["a", None]),
        ("x = {}", {"a": [1]}, {"a": [1]}),
        ("x = (1,)", [1, 2], (1, 2)),
        ("x = None", numpy.int64(3), 3),
        ("x = None", numpy.float32(0.5), 0.5),
        ("x: list[float] = []", numpy.array([1, 2]), [1.0, 2.0]),
        ("x = None", enum.IntEnum("E", "a")(1), 1),
        ("x = None", enum.Enum("E", {"a": "b"})("b"), "b"),
    ],
)
def test_a_value_that_can_fit_is_made_to_fit(source: str, value: Any, fitted: Any) -> None:
    if source == "x = dt.datetime.now()":
        iso = "2026-01-31T00:00:00"
        fitted = Spelled(iso, f'dt.datetime.fromisoformat("{iso}")')
    assert same(bound(source, value), fitted)


@pytest.mark.parametrize(
    ("source", "value", "says"),
    [
        ("x: int = 1", "abc", "is 'abc', not an integer"),
        ("x: int = 1", 1.5, "is 1.5, not an integer"),
        ("x: int = 1", True, "is True, not an integer"),
        ("x: int = 1", float("inf"), "is inf, not an integer"),
        ("x: int = 1", None, "is None, not an integer"),
        ("x: float = 1", "high", "is 'high', not a number"),
        ("x: float = 1", False, "is False, not a number"),
        ("x: float = 1", 10**400, "is too large for a float"),
        ("x: bool = True", "maybe", "is 'maybe', not true or false"),
        ("x: bool = True", 2, "is 2, not true or false"),
        ("x: bool = True", 1.0, "is 1.0, not true or false"),
        ("x: str = ''", 5, "is 5, not text: write it in quotes"),
        ("x: str = ''", False, "is False, not text: write it in quotes"),
        ("x = 'no'", False, "is False, not text: write it in quotes"),
        ("x: Optional[int] = 1", "abc", "is 'abc', not int | None"),
        ("x: list[int] = []", "web1,web2", "is 'web1,web2', not a list"),
        ("x: list[int] = []", "[1", "is '[1', not a list"),
        ("x: list[int] = []", {"a": 1}, "is {'a': 1}, not a list"),
        ("x: list[int] = []", [1, "b"], "has an item that is 'b', not an integer"),
        ("x: dict[str, int] = {}", [1], "is [1], not a mapping"),
        ("x: dict[str, int] = {}", {"a": "b"}, "has an item that is 'b', not an integer"),
        ("x: tuple[int, int] = (1, 2)", [1], "has 1 items, not 2"),
        ("x: tuple[int, int] = (1, 2)", "(1, f())", "is '(1, f())', not a tuple"),
        ("x: set[list] = set()", [[1]], "has items that a set cannot hold"),
        ("x: Literal['a', 'b'] = 'a'", "c", "is 'c', not one of 'a', 'b'"),
        ("x: Literal[1, 2] = 1", True, "is True, not one of 1, 2"),
        ("x: date = ''", "yesterday", "is 'yesterday', not a date such as 2026-01-31"),
        ("x: date = ''", 20260131, "is 20260131, not a date"),
        ("x: Path = ''", 3, "is 3, not a path"),
        ("x = 1", "many", "is 'many', not a number"),
        ("x = 1", None, "is None, not a number"),
        ("x = 1", [1], "is [1], not a number"),
        ("x = None", object(), "is of type object, which cannot be written into a cell"),
        ("x = None", [print], "which cannot be written into a cell"),
        ("x = 1", "m" * 100, "is '" + "m" * 56 + "..., not a number"),
        ("x: str = ''", [LARGE], "is a large list, not text"),
    ],
)
def test_a_value_that_cannot_fit_is_refused(source: str, value: Any, says: str) -> None:
    error = refusal(source, {"x": value})
    assert error.kind == "parameter-type"
    assert error.message.startswith("the value of `x` ")
    assert says in error.message


# -- values typed on a command line ------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text", "fitted"),
    [
        ("x: str = ''", "1.10", "1.10"),
        ("x: str = ''", "007", "007"),
        ("x: str = ''", "None", "None"),
        ("x = 'v'", "1e5", "1e5"),
        ("x = 1", "2", 2),
        ("x = 1", "2.5", 2.5),
        ("x: int = 1", "2.0", 2),
        ("x: bool = False", "true", True),
        ("x: bool = False", "0", False),
        ("x: Optional[str] = 'a'", "none", None),
        ("x: Optional[str] = 'a'", "None", None),
        ("x: Optional[str] = 'a'", "12", "12"),
        ("x: int | str = 1", "3", 3),
        ("x: int | str = 1", "three", "three"),
        ("x: str | list[int] = ''", "[1]", [1]),
        ("x: Path | None = None", "out/1", Spelled("out/1", 'Path("out/1")')),
        ("x: Literal['1', '2'] = '1'", "2", "2"),
        ("x: Literal['auto'] | int = 1", "auto", "auto"),
        ("x: date = ''", "20260131", "2026-01-31"),
        ("x: list[str] = []", "[a, 'b c']", ["a", "b c"]),
        ("x = None", "3", 3),
        ("x = None", "True", True),
        ("x = None", "true", "true"),
    ],
)
def test_typed_text_is_understood_as_the_parameter_wants(
    source: str, text: str, fitted: Any
) -> None:
    assert same(typed_as(source, text), fitted)


def test_a_raw_string_stays_one_where_strings_are_allowed() -> None:
    given_ = collect(raw=[("x", "None")])
    assert bind(parameters("x: Optional[str] = 'a'"), given_).values == {"x": "None"}
    assert bind(parameters("x = None"), given_).values == {"x": "None"}


def test_a_later_source_takes_its_text_along() -> None:
    overridden = collect(parameters=[("x", "1.10")], raw=[("x", "raw")])
    assert bind(parameters("x = 'v'"), overridden).values == {"x": "raw"}


@given(text=st.text(max_size=12) | st.from_regex(r"[-+]?[0-9_.eE]{1,8}|nan|inf|True|None"))
def test_typed_values_are_papermills(text: str) -> None:
    assert same(typed(text), papermill.cli._resolve_type(text))


MAPPINGS = st.dictionaries(
    st.sampled_from("abcd"),
    st.integers() | st.text(alphabet="xyz -:'", max_size=5) | st.none() | st.booleans(),
    max_size=3,
)
PAIRS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["1", "2.5", "True", "None", "word", ""])),
    max_size=3,
)


def papermills(options: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The parameters that Papermill's own command line would execute with."""
    seen: dict[str, Any] = {}
    monkeypatch.setattr(papermill.cli, "execute_notebook", lambda **call: seen.update(call))
    monkeypatch.setattr(papermill.cli, "INPUT_PIPED", False)
    result = CliRunner().invoke(papermill.cli.papermill, ["in.ipynb", "out.ipynb", *options])
    assert result.exit_code == 0, result.output
    found = seen["parameters"]
    assert isinstance(found, dict)
    return found


@given(
    typed_pairs=PAIRS,
    raw=PAIRS,
    files=st.lists(MAPPINGS, max_size=2),
    texts=st.lists(MAPPINGS, max_size=2),
    encoded=st.lists(MAPPINGS, max_size=2),
)
def test_the_order_of_precedence_is_papermills(
    tmp_path_factory: pytest.TempPathFactory,
    typed_pairs: list[tuple[str, str]],
    raw: list[tuple[str, str]],
    files: list[dict[str, Any]],
    texts: list[dict[str, Any]],
    encoded: list[dict[str, Any]],
) -> None:
    import yaml

    folder = tmp_path_factory.mktemp("files")
    named = []
    for number, mapping in enumerate(files):
        path = folder / f"{number}.yaml"
        path.write_text(yaml.safe_dump(mapping))
        named.append((str(path), path.read_text()))
    in_yaml = [yaml.safe_dump(mapping) for mapping in texts]
    in_base64 = [base64.b64encode(yaml.safe_dump(m).encode()).decode() for m in encoded]
    options = [part for name, value in typed_pairs for part in ("-p", name, value)]
    options += [part for name, value in raw for part in ("-r", name, value)]
    options += [part for name, _ in named for part in ("-f", name)]
    options += [part for text in in_yaml for part in ("-y", text)]
    options += [part for text in in_base64 for part in ("-b", text)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        expected = papermills(options, monkeypatch)
    collected = collect(typed_pairs, raw, named, in_yaml, in_base64)
    assert same(dict(collected), expected)


@given(st.text(max_size=20))
def test_json_is_yaml_whatever_the_letters(text: str) -> None:
    pair = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert collect(yaml=[json.dumps({"a": {text: [text]}})]) == {"a": {pair: [pair]}}
    assert collect(yaml=[json.dumps({"a": "🦉"})]) == {"a": "🦉"}


def test_dates_in_yaml_stay_text_as_with_papermill() -> None:
    assert collect(yaml=["day: 2026-01-31"]) == {"day": "2026-01-31"}


def test_json_files_are_read_without_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert collect(files=[("p.json", '{"a": 1e3}')]) == {"a": 1000.0}
    assert bind(parameters("x: list[int] = []"), {"x": "[1]"}).values == {"x": [1]}


@pytest.mark.parametrize(
    ("options", "place", "says"),
    [
        (
            {"files": [("p.yaml", "- 1\n- 2")]},
            "p.yaml",
            "does not map names to values: it holds a value of type list",
        ),
        ({"files": [("p.yaml", "text")]}, "p.yaml", "holds a value of type str"),
        ({"files": [("p.yaml", "a: [1")]}, "p.yaml", "is not YAML: line 1, column 6"),
        ({"files": [("p.json", '{"a": }')]}, "p.json", "is not JSON: line 1, column 7"),
        (
            {"files": [("p.json", "[]")]},
            "p.json",
            "does not map names to values: it holds a value of type list",
        ),
        ({"files": [("p.json", "[" * 100_000)]}, "p.json", "is not JSON: nested too deeply"),
        ({"files": [("p.yaml", "1: a")]}, "p.yaml", "has the key 1, which is not a name"),
        ({"files": [("p.yaml", "a: !!python/none x")]}, "p.yaml", "is not YAML"),
        ({"yaml": ["a: b: c"]}, "-y", "is not YAML: line 1, column 5"),
        ({"yaml": ["a: !!timestamp x"]}, "-y", "is not YAML"),
        ({"yaml": ["a: !!int ''"]}, "-y", "is not YAML"),
        ({"yaml": ["a: " + "9" * 5000]}, "-y", "is not YAML"),
        ({"yaml": ["3"]}, "-y", "holds a value of type int"),
        ({"base64": ["???"]}, "-b", "is not base64"),
        ({"base64": [base64.b64encode(b"\xff\xfe\x00").decode()]}, "-b", "is not YAML"),
    ],
)
def test_what_holds_no_mapping_is_refused(options: dict[str, Any], place: str, says: str) -> None:
    with pytest.raises(ParameterError) as refused:
        collect(**options)
    assert refused.value.kind == "parameter-file"
    assert refused.value.place == place
    assert says in refused.value.message


@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_a_byte_order_mark_does_no_harm(name: str) -> None:
    assert collect(files=[(name, '\ufeff{"a": 1}')]) == {"a": 1}


@pytest.mark.parametrize("name", ["p.yaml", "p.json", "p.yml"])
def test_an_empty_file_gives_nothing(name: str) -> None:
    assert collect(files=[(name, "  \n")], yaml=["", "# only a remark"]) == {}


# -- names -------------------------------------------------------------------------------------


def test_an_unknown_name_is_refused_with_the_closest() -> None:
    error = refusal("threshold = 1\nhostname = ''", {"treshold": 2})
    assert error.kind == "parameter-unknown"
    assert "`treshold`; the closest is `threshold`" in error.message
    assert "--allow-unknown" in error.hint
    assert refusal("Threshold = 1", {"threshold": 2}).details["problems"] == [
        {
            "kind": "parameter-unknown",
            "name": "threshold",
            "message": "the notebook declares no parameter `threshold`; the closest is `Threshold`",
            "closest": "Threshold",
        }
    ]


def test_without_a_close_one_the_names_are_listed() -> None:
    assert "only threshold, hostname" in refusal("threshold, hostname = 1, ''", {"q": 1}).message
    assert "declares no parameters" in refusal("", {"q": 1}).message


def test_unknown_names_are_let_through_on_request() -> None:
    allowed = bind(parameters("a = 1"), {"b": (1,), "a": 2}, allow_unknown=True)
    assert allowed.values == {"b": (1,), "a": 2}
    assert allowed.to_json() == {"b": [1], "a": 2}


@pytest.mark.parametrize("name", ["not a name", "class", "1st", "", "a.b", "x = 1; y"])
def test_what_is_no_python_name_is_never_let_through(name: str) -> None:
    error = refusal("a = 1", {name: 1}, allow_unknown=True)
    assert error.kind == "parameter-unknown"
    assert "is not a Python name" in error.message


def test_all_problems_are_told_at_once() -> None:
    source = "threshold: float = 1\nmode: Literal['a'] = 'a'\nneeded: int"
    error = refusal(source, {"tresholds": 1, "threshold": "high", "mode": "b"})
    problems = error.details["problems"]
    assert isinstance(problems, list)
    assert [(each["name"], each["kind"]) for each in problems] == [
        ("tresholds", "parameter-unknown"),
        ("threshold", "parameter-type"),
        ("mode", "parameter-type"),
        ("needed", "parameter-missing"),
    ]
    assert error.kind == "parameter-unknown"
    assert len(error.message.splitlines()) == 4


def test_a_required_parameter_must_be_given() -> None:
    error = refusal("x: int", {})
    assert error.kind == "parameter-missing"
    assert error.message == "`x` (int) has no default and was given no value"
    assert bind(parameters("x: int"), {"x": 1}).values == {"x": 1}


def test_what_is_known_before_the_run() -> None:
    bound_ = bind(parameters("a = 1\nb = f()\nc = 'x'\nd: int\ne = (1, 2)"), {"c": "y", "d": 3})
    assert bound_.effective == {"a": 1, "c": "y", "d": 3, "e": (1, 2)}
    assert bound_.defaults == {"a": 1, "b": "f()", "c": "x", "e": [1, 2]}
    assert list(bound_.values) == ["c", "d"]


# -- laws --------------------------------------------------------------------------------------

DECLARED = st.sampled_from(
    [
        "int",
        "float",
        "bool",
        "str",
        "Path",
        "date",
        "datetime",
        "Optional[int]",
        "Optional[str]",
        "Optional[Path]",
        "int | str | None",
        "float | bool",
        "list[int]",
        "list[Optional[str]]",
        "list[list[float]]",
        "dict[str, float]",
        "dict[int, bool]",
        "tuple[int, str]",
        "tuple[float, ...]",
        "set[int]",
        "Literal['a', 1, None, True]",
        "Literal['1', 1]",
    ]
)
WORDS = st.sampled_from(
    ["1", "0", "2.5", "true", "no", "None", "null", "a", "[1, 2]", "{a: 1}", "2026-01-31", "1e3"]
)
VALUES = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers() | st.floats() | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS, inner, max_size=2)
        | st.tuples(inner, inner)
    ),
    max_leaves=4,
)


@given(annotation=DECLARED, value=VALUES, as_text=st.booleans())
def test_binding_twice_changes_nothing(annotation: str, value: Any, as_text: bool) -> None:
    found = parameters(f"x: {annotation}")
    given_: Any = {"x": value}
    if as_text and isinstance(value, str):
        given_ = collect(parameters=[("x", value)])
    try:
        once = bind(found, given_)
    except ParameterError as error:
        assert error.kind == "parameter-type"
        return
    assert same(bind(found, once.values), once)
    # What a record keeps of the values is enough to bind them again.
    assert same(bind(found, once.to_json()), once)


@given(value=VALUES)
def test_an_untyped_parameter_takes_what_is_given(value: Any) -> None:
    taken = bound("x = None", value)
    if not isinstance(value, datetime.date | list | dict | tuple):
        assert same(taken, value)


def test_a_plain_mapping_is_enough() -> None:
    assert bind(parameters("x = 1"), {"x": 2}) == bind(parameters("x = 1"), collect(yaml=["x: 2"]))
    assert isinstance(collect(), Given)


def test_values_from_the_command_line_load_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from octavo.notebook.injection import inject\n"
        "from octavo.notebook.model import Cell, Notebook\n"
        "from octavo.notebook.parameters import declared\n"
        "from octavo.notebook.values import bind, collect\n"
        "notebook = Notebook((Cell('code', 'x = 1.0\\ny = []', {'tags': ['parameters']}),))\n"
        "given = collect(parameters=[('x', '2'), ('y', '[1]')])\n"
        "inject(notebook, bind(declared(notebook), given).values)\n"
        "heavy = ('IPython', 'yaml', 'asyncio', 'difflib', 'datetime', 'papermill')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
