"""What a notebook declares is read from its `parameters` cell, without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papermill import inspect_notebook

from octavo.errors import NotebookError, ParameterError
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.parameter_types import ParameterType, type_name
from octavo.notebook.parameters import Parameter, declared, inferred


def notebook(source: str, *, line: int = 1, before: str = "") -> Notebook:
    first = [Cell("code", before)] if before else []
    return Notebook((*first, Cell("code", source, {"tags": ["parameters"]}, line=line)))


def one(source: str, **options: Any) -> Parameter:
    (parameter,) = declared(notebook(source, **options))
    return parameter


@pytest.mark.parametrize(
    ("source", "type_", "default"),
    [
        ("x: int = 3", "int", 3),
        ("x: float = -1.5e3", "float", -1500.0),
        ("x: bool = True", "bool", True),
        ("x: str = 'a' 'b'", "str", "ab"),
        ("x: Optional[int] = None", "int | None", None),
        ("x: typing.Optional[int] = None", "int | None", None),
        ("x: int | None = 3", "int | None", 3),
        ("x: Union[int, str, None] = 3", "int | str | None", 3),
        ("x: list[int] = [1, 2]", "list[int]", [1, 2]),
        ("x: List[str] = []", "list[str]", []),
        ("x: dict[str, float] = {'a': 1.0}", "dict[str, float]", {"a": 1.0}),
        ("x: tuple[int, str] = (1, 'a')", "tuple[int, str]", (1, "a")),
        ("x: tuple[int, ...] = ()", "tuple[int, ...]", ()),
        ("x: set[int] = {1}", "set[int]", {1}),
        ("x: Literal['a', 'b'] = 'a'", "one of 'a', 'b'", "a"),
        ("x: Literal[1, None] = None", "one of 1, None", None),
        ("x: 'int' = 3", "int", 3),
        ("x: Annotated[int, 'how many'] = 3", "int", 3),
        ("x: pd.DataFrame = None", "any", None),
        ("x: Any = 3", "any", 3),
        ("x: int | Whatever = 3", "any", 3),
        ("x: 3 = 3", "any", 3),
        ("x: 'not a type' = 3", "any", 3),
        ("x = 3", "number", 3),
        ("x = 3.5", "float", 3.5),
        ("x = True", "bool", True),
        ("x = 'a'", "str", "a"),
        ("x = None", "any", None),
        ("x = [1]", "list", [1]),
        ("x = {'a': 1}", "dict", {"a": 1}),
        ("x = (1, 2)", "tuple", (1, 2)),
        ("x = 24 * 60 * 60", "number", 86400),
        ("x = 10**6", "number", 1000000),
        ("x = -(2 + 1.5)", "any", None),
        ("x = float('inf')", "float", float("inf")),
        ("x = 4  # type: int", "int", 4),
        ("x = 4  # type: ignore", "number", 4),
    ],
)
def test_type_and_default(source: str, type_: str, default: Any) -> None:
    parameter = one(source)
    assert parameter.name == "x"
    assert type_name(parameter.type) == type_
    assert parameter.default == default
    assert type(parameter.default) is type(default)
    assert not parameter.required


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x = os.environ['HOME']", "any"),
        ("x = load()", "any"),
        ("x = f'{y}'", "str"),
        ("x = [y, 1]", "list"),
        ("x = {k: 1 for k in y}", "dict"),
        ("x = str(y)", "str"),
        ("x = int(y)", "number"),
        ("x = 10 ** 10 ** 10", "any"),
        ("x = 1 / 0", "any"),
        ("x = module.float(3)", "any"),
        ("x = Path('a') / 'b'", "path"),
        ("x = pathlib.Path.cwd()", "path"),
        ("x = datetime.date(2026, 1, 1)", "date"),
        ("x = date.today()", "date"),
        ("x = datetime.now()", "datetime"),
        ("x = thing.today()", "any"),
    ],
)
def test_a_default_that_must_be_run_is_kept_as_source(source: str, kind: str) -> None:
    parameter = one(source)
    assert not parameter.is_literal
    assert parameter.default_source == source.removeprefix("x = ")
    assert parameter.type.kind == kind


@pytest.mark.parametrize("source", ["x: int", "x: int = ..."])
def test_without_a_default_a_parameter_is_required(source: str) -> None:
    assert one(source).required
    assert one(source).default_source is None


@pytest.mark.parametrize(
    ("source", "help_"),
    [
        ("x = 1  # how many", "how many"),
        ("x = 1  ## how many #1", "how many #1"),
        ("# how many\n# there are\nx = 1", "how many there are"),
        ("# above\nx = 1  # behind", "behind"),
        ("# not mine\n\nx = 1", ""),
        ("x = 1  # noqa: E501", ""),
        ("# how many\nx = 1  # noqa", "how many"),
        ("x = 1  # type: int how many", "how many"),
        ("x = 1  # type: ignore", ""),
        ("# Parameters\nx = 1", ""),
        ("x = [\n    1,  # one\n    2,\n]  # all of them", "all of them"),
        ("x = (  # all of them\n    1,\n    2,\n)", "all of them"),
        ("x = 'a # b'", ""),
        ("x: Annotated[int, 'how many'] = 1", "how many"),
        ("x: Annotated[int, Gt(3)] = 1", ""),
        ("# NBVAL_SKIP\nx = 1", ""),
    ],
)
def test_help_comes_from_comments(source: str, help_: str) -> None:
    assert one(source).help == help_


def names(source: str) -> dict[str, str | None]:
    return {each.name: each.default_source for each in declared(notebook(source))}


def test_several_names_in_one_assignment() -> None:
    assert names("a = b = 1") == {"a": "1", "b": "1"}
    assert names("a, (b, c) = 1, (2, 'x')") == {"a": "1", "b": "2", "c": "'x'"}
    assert names("a, b = f()") == {"a": "f()[0]", "b": "f()[1]"}
    assert names("a, *b = 1, 2") == {"a": "(1, 2)[0]"}
    assert names("a = 1; b = 2") == {"a": "1", "b": "2"}


def test_other_statements_are_passed_over() -> None:
    source = """
import os
from pathlib import Path
"a string"
print("x")
def f(inner=1):
    local = 2
class C:
    attribute = 3
for i in range(3):
    pass
table["key"] = 1
thing.attribute: int = 2
x = 1
x += 1
del y
"""
    assert list(names(source)) == ["x"]


def test_a_name_set_in_a_branch_is_declared_without_a_sure_default() -> None:
    source = "if quick:\n    n = 1\nelse:\n    n = 2\ntry:\n    m: int = 3\nexcept E:\n    m = 4"
    n, m = declared(notebook(source))
    assert (n.type.kind, n.is_literal, n.required) == ("any", False, False)
    assert (m.type.kind, m.is_literal) == ("int", False)


def test_the_last_assignment_counts_and_the_first_annotation_stays() -> None:
    parameter = one("x: float  # how high\nx = 3")
    assert parameter.type == ParameterType("float")
    assert parameter.default == 3
    assert parameter.help == "how high"
    assert not parameter.required


def test_ipython_syntax_in_the_cell_does_not_matter() -> None:
    source = (
        "%matplotlib inline\n!pip install x \\\n  y\nx: int = 3  # how many\nhelp?\nfiles = !ls\n"
    )
    assert list(names(source)) == ["x", "files"]
    x, _ = declared(notebook(source, line=10))
    assert (x.help, x.line) == ("how many", 13)
    assert declared(notebook("%%bash\nx=1")) == ()
    assert list(names("%%time\nx = 1")) == ["x"]
    assert list(names("  x = 1\n  y = 2")) == ["x", "y"]


def test_non_ascii_text_does_not_shift_the_source() -> None:
    assert names("größe = 'é'; x = f('ü')  # Höhe") == {"größe": "'é'", "x": "f('ü')"}


def test_a_notebook_without_parameters_declares_none() -> None:
    assert declared(Notebook(())) == ()
    assert declared(Notebook((Cell("code", "x = 1"),))) == ()
    assert declared(Notebook((Cell("markdown", "x = 1", {"tags": ["parameters"]}),))) == ()
    r = Notebook(
        (Cell("code", "x <- 1", {"tags": ["parameters"]}),), {"kernelspec": {"language": "R"}}
    )
    assert declared(r) == ()


def test_two_parameters_cells_are_refused_with_both_places() -> None:
    tagged = {"tags": ["parameters"]}
    cells = (
        Cell("code", "x = 1", tagged, line=3),
        Cell("code", "pass", line=7),
        Cell("code", "y = 1", tagged, line=11),
    )
    with pytest.raises(ParameterError) as refused:
        declared(Notebook(cells), "nb.py")
    assert refused.value.kind == "parameters-ambiguous"
    assert refused.value.details["places"] == ["nb.py:3", "nb.py:11"]
    assert "nb.py:3, nb.py:11" in refused.value.message
    with pytest.raises(ParameterError) as refused:
        declared(Notebook(tuple(Cell("code", "x", tagged) for _ in "ab")), "nb.ipynb")
    assert refused.value.details["places"] == [
        "nb.ipynb, cell 0, line 1",
        "nb.ipynb, cell 1, line 1",
    ]


def test_a_cell_that_does_not_parse_is_refused_with_its_line() -> None:
    with pytest.raises(NotebookError) as refused:
        declared(notebook("x = 1\ny = = 2", line=5), "nb.py")
    assert refused.value.kind == "notebook-syntax"
    assert refused.value.place == "nb.py:6"


@pytest.mark.parametrize(
    ("source", "before", "constructor"),
    [
        ("out: Path = Path('a')", "", "Path"),
        ("out: pathlib.Path | None = None", "", "pathlib.Path"),
        ("out: list[Path] = []", "", "Path"),
        ("out: Path", "", "Path"),
        ("out: Path = 'a'", "", ""),
        ("out: list[Path] = ['a']", "", ""),
        ("out: dict[str, Path] = {'a': 'b'}", "", ""),
        ("out: 'Path' = None", "", ""),
        ("out: Path", "from __future__ import annotations", ""),
        ("out: Path = Path('a')", "from __future__ import annotations", "Path"),
        ("out: 'Path' = Path('a')", "", "Path"),
    ],
)
def test_a_path_is_built_where_the_notebook_has_paths(
    source: str, before: str, constructor: str
) -> None:
    found = one(source, before=before).type
    while found.kind != "path":
        found = next(item for item in found.items if item.kind in ("path", "list"))
    assert found.constructor == constructor


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "x: int = 1  # how many",
        "x: List[int] = [1, 2]\ny: Dict[str, float] = {}",
        "x = 4  # type: int how many",
        "x = 'a'  # the name\n\n# a remark\n\ny: float = 1.5",
        "x: 'int' = 1",
        "import os\nx = None\ny = load(3)\nz = os.environ",
        "x = f(1, 2)  # made",
        "x = [\n1,\n2]  # both",
    ],
)
def test_the_inferred_shape_is_papermills(source: str, tmp_path: Path) -> None:
    made = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}}
    )
    made.cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": ["parameters"]}))
    path = tmp_path / "nb.ipynb"
    nbformat.write(made, path)
    ours = inferred(declared(notebook(source)))
    for each in ours.values():  # Papermill joins the lines of a default
        each["default"] = "".join(line.strip() for line in each["default"].splitlines())
    assert ours == inspect_notebook(path)


@given(
    defaults=st.dictionaries(
        st.from_regex(r"p_[a-z]{1,5}", fullmatch=True),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=5,
    )
)
def test_literal_defaults_are_read_back(defaults: dict[str, Any]) -> None:
    source = "\n".join(f"{name} = {value!r}" for name, value in defaults.items())
    found = declared(notebook(source))
    assert {each.name: each.default for each in found} == defaults
    assert all(each.is_literal for each in found)


@given(source=st.text(alphabet="abx=:#'\"()[]{}\n %!?,0123. ", max_size=60))
def test_no_text_in_the_cell_crashes(source: str) -> None:
    try:
        assert isinstance(declared(notebook(source)), tuple)
    except NotebookError as error:
        assert error.kind == "notebook-syntax"
