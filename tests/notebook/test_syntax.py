"""A cell that cannot run is found before anything runs; one that IPython accepts never is."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell

from octavo.errors import NotebookError
from octavo.notebook.ipython_syntax import LINE_MAGICS
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.syntax import check, refuse


def problems(*sources: str, path: str = "nb.py", line: int = 1) -> list[str]:
    notebook = Notebook(tuple(Cell("code", source, line=line) for source in sources))
    return [f"{each.place}: {each.message}" for each in check(notebook, path)]


ACCEPTED = [
    "",
    "x = 1",
    "await thing()",
    "async with a as b:\n    pass",
    "async for x in y: print(x)",
    "[await x for x in y]",
    "%matplotlib inline",
    "%matplotlib inline\nimport os",
    "import os\n%time x = 1\nprint(x)",
    "%time",
    "x = %pwd",
    "x = %time f(1)",
    "files = !ls -l *.py",
    "a, b = !ls",
    "a.b[0] = !ls",
    "!pip install a b",
    "!!ls",
    "!ls \\\n  -l \\\n  -a\nx = 1",
    "%run x.py \\\n  --flag",
    "if True:\n    !ls\nelse:\n    %pwd",
    "for x in y:\n    files = !ls $x\n    print(files)",
    "with a:\n    %time f()",
    "def f():\n    !ls\n    return 1",
    "?str",
    "??str",
    "str?",
    "str??",
    "a.b.c?",
    "a[0]?",
    "%time?",
    "*.txt?",
    "x = 1\nstr?\ny = 2",
    "%%bash\nif [ 1 ]; then echo; fi",
    "%%html\n<b>",
    "%%javascript\nlet x = {",
    "%%unknown of course\n%%%",
    "\n\n%%bash\necho 'a",
    "%%time\nx = 1",
    "%%time\n!ls\nx = %pwd",
    "%%capture out --no-stderr\nawait f()",
    "%%time\n%%bash\nif [ 1 ]; then",
    "%%timeit\nreturn 1",
    "%%bash?",
    "/f a b",
    ",f a b",
    ";f a b",
    "  x = 1\n  y = 2",
    "\n\n    x = 1\n",
    "    %pwd\n    x = 1",
    ">>> x = 1\n>>> if x:\n...     y = 2",
    "In [1]: x = 1\n   ...: y = 2",
    "pip install x y",
    "ls -la",
    "cd /tmp/a b",
    "timeit f()",
    "who_ls int str",
    "'''\n%notmagic\n!no\n'''",
    "x = '''\nwhy?\n'''\n!ls",
    "x = '''\n% a ' b\n''' + 'c'\n%pwd",
    "f'''{\n1}\n'''\n!ls",
    "x = (1\n     % 2)\n!ls",
    "x = [\n  1,\n  2]\n%pwd",
    "x = 10 \\\n  % 3\n!ls",
    "x = 1\nfrom __future__ import annotations",
    "x = 1\nglobal x",
    "print('is this so?')",
    "# so?\n!ls",
    "!echo 'unclosed",
    '!echo "don\'t"\nx = 1',
    "%alias_magic t timeit",
    "x = 1 # !ls\n%pwd # where",
    "\x0cx = 1",
    "x = 1;",
    "def f():\n    yield 1\n    return",
    "for x in y:\n    if x: break\n    continue",
    "match x:\n    case 1: pass",
    "lambda: (yield)",
    "print(f'{x!r}')\n!ls",
    "if x != 1:\n    !ls",
    "x = '%s' % y\n!ls",
    "assert x, '\\d'",
    "if x is 1: pass",
    "\t!ls",
    "x=!ls",
    "x =!ls",
    "x = ! ls",
    "!  ls",
    "%  pwd",
    "x: int = 1\n!ls",
    "x = 1\r\n!ls\r\ny = 2",
    "get_ipython().system('ls')",
]


@pytest.mark.parametrize("source", ACCEPTED)
def test_what_ipython_runs_is_accepted(source: str) -> None:
    assert problems(source) == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = = 1", 1),
        ("x = 1\ny = (2\n", 2),
        ("if True:\nx = 1", 2),
        ("def f(:\n    pass", 1),
        ("x = 'unclosed", 1),
        ("x = '''unclosed\n\n", 1),
        ("print 'hello'", 1),
        ("return 1", 1),
        ("x = 1\nyield x", 2),
        ("x = 1\nif x:\n    break", 3),
        ("def f():\n    await x", 2),
        ("x = 1\n  y = 2", 2),
        ("%matplotlib inline\nx = = 1", 2),
        ("!ls \\\n  -l\n\nx = = 1", 4),
        ("files = !ls\nfor f in files\n    print(f)", 2),
        ("%%time\nx = 1\ny = = 2", 3),
        ("%%capture\n!ls\ny = = 2", 3),
        ("x = 5\nx + + + ", 2),
        ("1 = x", 1),
        ("f(x for x in y, 1)", 1),
        ("x = 1\n# !ls\ny = = 2", 3),
        ("x = '''\n!ls\n'''\ny = = 2", 4),
        ("else:\n    pass", 1),
        ("ls = = 1", 1),
        ("nonlocal x", 1),
        ("x = ]", 1),
        ("str?\ny = = 2", 2),
        ("f(a=1)?", 1),
    ],
)
def test_what_cannot_run_is_found_with_its_line(source: str, line: int) -> None:
    (found,) = check(Notebook((Cell("code", source, line=10),)), "nb.py")
    assert found.line == 9 + line
    assert found.place == f"nb.py:{9 + line}"
    assert found.message


def test_every_cell_that_cannot_run_is_named() -> None:
    assert problems("x = 1", "x = = 1", "y", "(", line=4) == [
        "nb.py:4: invalid syntax",
        "nb.py:4: '(' was never closed",
    ]
    assert problems("x = 1", "x\n= 1", path="nb.ipynb") == [
        "nb.ipynb, cell 1, line 2: invalid syntax"
    ]
    assert problems("x\n= 1", path="") == ["cell 0, line 2: invalid syntax"]


def test_only_cells_that_will_run_count() -> None:
    wrong = "x = = 1"
    cells = (
        Cell("markdown", wrong),
        Cell("raw", wrong),
        Cell("code", wrong, {"tags": ["skip"]}),
        Cell("code", wrong, {"tags": ["skip-if: quick"]}),
        Cell("code", wrong, {"tags": ["raises-exception"]}),
    )
    assert check(Notebook(cells), "nb.py") == []
    julia = Notebook((Cell("code", wrong),), {"kernelspec": {"language": "julia"}})
    assert check(julia, "nb.ipynb") == []


def test_a_newer_interpreter_decides_for_itself() -> None:
    notebook = Notebook((Cell("code", "x = = 1"),))
    ours = sys.version_info[:2]
    assert check(notebook, python=(ours[0], ours[1] + 1)) == []
    assert len(check(notebook, python=ours)) == 1
    assert len(check(notebook, python=(3, 8))) == 1


def test_magics_that_other_cells_bring_are_left_to_the_kernel() -> None:
    assert len(problems("sql SELECT 1")) == 1
    assert problems("%load_ext sql", "sql SELECT 1") == []
    assert len(problems("%load_ext sql", "x = = 1\ny")) == 1
    assert problems("get_ipython().input_transformers_post.append(f)", "a := := b") == []


def test_the_magics_without_a_percent_are_all_known() -> None:
    shell = InteractiveShell()
    assert set(shell.magics_manager.magics["line"]) <= LINE_MAGICS


def test_the_refusal_names_every_problem() -> None:
    cells = (Cell("code", "x = = 1", line=3), Cell("code", "(", line=7))
    with pytest.raises(NotebookError) as refused:
        refuse(check(Notebook(cells), "nb.py"))
    error = refused.value
    assert (error.kind, error.place) == ("notebook-syntax", "nb.py:3")
    assert error.message == "invalid syntax\nnb.py:7: '(' was never closed"
    assert error.hint == "correct this line: x = = 1"
    refuse([])


@pytest.mark.parametrize("source", ["x\x00y", "(" * 300, "-" * 100_000 + "1", "x = '\ud800'"])
def test_what_breaks_the_parser_does_not_break_the_check(source: str) -> None:
    assert isinstance(problems(source), list)


def test_no_warning_about_the_code_is_shown(recwarn: pytest.WarningsRecorder) -> None:
    assert problems("x = '\\d'\nif x is 1:\n    pass\nf = lambda: 1 and await_(x)") == []
    assert problems("def f():\n    return '\\d'") == []
    assert list(recwarn) == []


def test_no_warning_of_ipython_is_shown(recwarn: pytest.WarningsRecorder) -> None:
    assert problems("print(x)\x1c")
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("x = 1\ny = (\n1]\n", "on line 12"),
        ("x = 1\nif x:\ny = 2\n", "on line 12"),
        ('x = 1\ny = """abc\nz\n', "at line 13"),
    ],
)
def test_lines_within_a_message_are_those_of_the_file(source: str, word: str) -> None:
    [found] = check(Notebook((Cell("code", source.rstrip("\n"), line=11),)), "nb.py")
    assert word in found.message


def test_lines_within_a_message_are_those_of_the_cell_where_it_has_no_file_of_lines() -> None:
    [found] = check(Notebook((Cell("code", "y = (\n1]"),)), "nb.ipynb")
    assert "on line 1" in found.message


def ipython_runs(source: str) -> bool:
    """IPython's own answer: it transforms and parses a cell, then compiles each statement."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    while source.lstrip().startswith("%%time\n"):  # its body is transformed when it runs
        source = source.lstrip().removeprefix("%%time\n")
    try:
        transformed = TransformerManager().transform_cell(source)
        for node in compile(transformed, "x", "exec", flags | ast.PyCF_ONLY_AST).body:
            compile(ast.Module([node], []), "x", "exec", flags)
    except SyntaxError:
        return False
    except (ValueError, RecursionError, MemoryError):
        return True
    return True


LINES = st.sampled_from(
    [
        "x = 1",
        "if x:",
        "    y = 2",
        "    !ls",
        "        %pwd",
        "!ls \\",
        "  -l",
        "x = !ls",
        "y = %time f()",
        "str?",
        "?str",
        "%%bash",
        "%%time",
        "'''",
        '"""text',
        "# so?",
        "(",
        "1,",
        ")",
        "[",
        "% 2",
        "/f a",
        ",f a",
        "]",
        "def f():",
        "    await x",
        "await x",
        "f'{x!r}'",
        "x = 'a",
        "%time x = '",
        '!echo "',
        "",
        "\\",
        ">>> x",
        "ls -l",
        "else:",
    ]
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
@given(lines=st.lists(LINES, min_size=1, max_size=6))
def test_nothing_that_ipython_runs_is_refused(lines: list[str]) -> None:
    source = "\n".join(lines)
    if problems(source):
        assert not ipython_runs(source)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
@given(source=st.text(alphabet="ab1 =%!?/,;'\"()[]\\\n#", max_size=30))
def test_nothing_that_ipython_runs_is_refused_in_any_text(source: str) -> None:
    if problems(source):
        assert not ipython_runs(source)


def test_ipython_is_not_imported_for_cells_that_can_run() -> None:
    code = (
        "import sys\n"
        "from octavo.notebook.model import Cell, Notebook\n"
        "from octavo.notebook.syntax import check\n"
        "sources = ['%matplotlib inline\\nx = 1', '!ls', 'y = !ls', 'str?', '%%bash\\nfi']\n"
        "assert check(Notebook(tuple(Cell('code', s) for s in sources))) == []\n"
        "print([m for m in ('IPython', 'yaml', 'asyncio', 'difflib') if m in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def shipped_cells() -> list[str]:
    """The code cells of every notebook that the installed packages bring."""
    sources = []
    for path in Path(sysconfig.get_path("purelib")).rglob("*.ipynb"):
        try:
            cells = json.loads(path.read_text(encoding="utf-8")).get("cells", [])
        except ValueError:
            continue
        sources += ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
    return sources


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_shipped_notebooks_are_judged_as_ipython_judges_them() -> None:
    sources = shipped_cells()
    assert sources
    refused = [source for source in sources if problems(source)]
    assert [source for source in refused if ipython_runs(source)] == []
