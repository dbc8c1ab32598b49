from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from octavo.environments.scripttext import script_text
from octavo.notebook.comment_blocks import find_block
from octavo.notebook.scriptblock import ScriptMetadata


def read(text: str) -> dict[str, Any]:
    block = find_block(text, "script.py")
    assert block is not None
    return tomllib.loads(block.content)


def test_ipython_is_resolved_along_with_what_is_declared() -> None:
    table = read(script_text(ScriptMetadata(("six",), ">=3.9", {}), "3.12", "/nb"))
    assert table == {"requires-python": "==3.12.*", "dependencies": ["six", "ipython>=8"]}


def test_paths_stay_those_that_the_author_meant() -> None:
    uv = {
        "sources": {
            "a": {"path": "../a", "editable": True},
            "b": [{"path": "/abs", "marker": "x"}, {"git": "https://host/b"}],
        },
        "index": [{"url": "https://host/simple"}, {"url": "wheels"}],
        "find-links": ["links"],
    }
    settings = read(script_text(ScriptMetadata((), None, uv), "3.12", "/nb/sub"))["tool"]["uv"]
    assert settings == {
        "sources": {
            "a": {"path": "/nb/a", "editable": True},
            "b": [{"path": "/abs", "marker": "x"}, {"git": "https://host/b"}],
        },
        "index": [{"url": "https://host/simple"}, {"url": "/nb/sub/wheels"}],
        "find-links": ["/nb/sub/links"],
    }


leaves = st.text() | st.integers(-(2**60), 2**60) | st.booleans() | st.datetimes()
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text().filter(lambda name: name not in ("sources", "index")), values))
def test_any_setting_survives(uv: dict[str, Any]) -> None:
    uv.pop("find-links", None)
    table = read(script_text(ScriptMetadata((), None, uv), "3.12", "/nb"))
    assert table.get("tool", {}).get("uv", {}) == uv
