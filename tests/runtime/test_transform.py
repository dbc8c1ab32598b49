"""The quick way from a cell to code gives what IPython's own gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.compilerop import CachingCompiler
from IPython.core.inputtransformer2 import TransformerManager

from octavo_runtime.transform import KernelCompiler, QuickTransformer

_PIECES = st.sampled_from(
    [
        "x = 1",
        "print('a % b')",
        "%time x",
        "y = %who",
        "z = !ls",
        "!ls",
        "!!ls",
        "len?",
        "?len",
        "len??",
        "/print 1",
        ",f a b",
        ";f a b",
        "%%bash",
        "if x:",
        "    y = 2",
        "'''",
        "a, b = 1, 2",
        "x = (1",
        ")",
        ">>> x",
        "In [1]: x",
        "# 100% sure?",
        "5 / 2",
        "    ; z",
        "",
        "def f(:",
        "\\",
    ]
)


@given(st.lists(_PIECES, max_size=6).map("\n".join))
def test_cells_are_transformed_as_ever(cell: str) -> None:
    expected: object
    try:
        expected = TransformerManager().transform_cell(cell)
    except Exception as error:
        expected = type(error)
    found: object
    try:
        found = QuickTransformer().transform_cell(cell)
    except Exception as error:
        found = type(error)
    assert found == expected


@pytest.mark.filterwarnings("ignore:.make_tokens_by_line")
@given(st.text(max_size=200))
def test_any_text_is_transformed_as_ever(cell: str) -> None:
    expected: object
    try:
        expected = TransformerManager().transform_cell(cell)
    except Exception as error:
        expected = type(error)
    found: object
    try:
        found = QuickTransformer().transform_cell(cell)
    except Exception as error:
        found = type(error)
    assert found == expected


def test_a_transformer_of_the_notebook_is_asked() -> None:
    asked = []

    class Mine:
        @classmethod
        def find(cls, tokens_by_line: object) -> None:
            asked.append(tokens_by_line)

    quick = QuickTransformer()
    quick.token_transformers.append(Mine)
    quick.transform_cell("x = 1")
    assert asked


@pytest.mark.parametrize("code", ["x = 1\n", "print('é')\n", ""])
def test_code_is_named_as_ever(code: str) -> None:
    names = {
        compiler().get_code_name(code, code, 7) for compiler in (KernelCompiler, CachingCompiler)
    }
    assert len(names) == 1
