"""An entry comes into a configuration and goes out again; whatever else is in it stays."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import UsageError
from octavo.surfaces.installing.servers import (
    DIALECTS,
    Server,
    found,
    is_ours,
    with_server,
    without_server,
)

SERVER = Server('/opt/octavo\'s "own"/bin/octavo', ("mcp",))
_WORDS = st.text("abcxyzé\\\"' -#:{}[]", min_size=1, max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=6,
)
_SERVERS = st.dictionaries(_WORDS, st.fixed_dictionaries({"command": _WORDS}), max_size=3)
_SETTINGS = st.dictionaries(_WORDS, _VALUES, max_size=4)


@given(_SETTINGS, st.none() | _SERVERS, st.sampled_from([None, 0, 1, 2, 4, "\t"]))
def test_json_keeps_all_else(settings: dict[str, Any], servers: Any, indent: Any) -> None:
    if servers is not None:
        settings = {**settings, "mcpServers": servers}
    text = json.dumps(settings, indent=indent)
    after = with_server(text, DIALECTS["claude"], SERVER, "f")
    put = json.loads(after)
    entry = put["mcpServers"].pop("octavo")
    assert entry == {"type": "stdio", "command": SERVER.command, "args": ["mcp"]}
    assert put == {**settings, "mcpServers": servers or {}}
    out = json.loads(without_server(after, DIALECTS["claude"], "f"))
    assert out == {**settings, "mcpServers": servers or {}}


@given(_SETTINGS, st.none() | _SERVERS, st.booleans(), st.sampled_from([2, 4]))
def test_yaml_keeps_all_else(
    settings: dict[str, Any], servers: Any, flow: bool, indent: int
) -> None:
    if servers is not None:
        settings = {**settings, "mcp_servers": servers}
    style = True if flow else None
    text = yaml.safe_dump(settings, indent=indent, sort_keys=False, allow_unicode=True)
    if flow and servers:
        text = text[: text.rindex("mcp_servers:")]
        text += "mcp_servers: " + yaml.safe_dump(servers, default_flow_style=style, width=10**6)
    if not settings:
        text = ""
    after = with_server(text, DIALECTS["hermes"], SERVER, "f")
    put = yaml.safe_load(after)
    assert put["mcp_servers"].pop("octavo") == {"command": SERVER.command, "args": ["mcp"]}
    assert put == {**settings, "mcp_servers": servers or {}}
    out = yaml.safe_load(without_server(after, DIALECTS["hermes"], "f")) or {}
    assert out.pop("mcp_servers", None) in (servers, None, {})
    assert out == {name: each for name, each in settings.items() if name != "mcp_servers"}


TOML = """\
# mine
model = "gpt-5.5"   # the good one

[mcp_servers.other]
command = "other"
[mcp_servers.other.env]
KEY = "value"
"""
YAML = """\
# mine
model: {provider: custom}
mcp_servers:
    # the other one
    other:
        command: other   # so
# behind it
plugins:
- one
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "text"), [("codex", TOML), ("hermes", YAML)])
def test_comments_and_line_ends_stay(name: str, text: str, end: str) -> None:
    text = text.replace("\n", end)
    after = with_server(text, DIALECTS[name], SERVER, "f")
    added = [line for line in after.split(end) if line not in text.split(end)]
    assert len(added) == 3 and all("octavo" in line or "args" in line for line in added)
    assert found(after, DIALECTS[name], "f")["args"] == ["mcp"]
    assert without_server(after, DIALECTS[name], "f").rstrip() == text.rstrip()


def test_comments_behind_our_entry_are_not_ours() -> None:
    text = "mcp_servers:\n  octavo:\n    command: octavo\n    args: [mcp]\n# mine\nplugins: 1\n"
    assert without_server(text, DIALECTS["hermes"], "f") == "# mine\nplugins: 1\n"


def test_tables_below_ours_go_with_it() -> None:
    text = with_server(TOML, DIALECTS["codex"], SERVER, "f")
    text += '[mcp_servers.octavo.env]\nA = "b"\n[tui]\ntheme = 1\n'
    left = tomllib.loads(without_server(text, DIALECTS["codex"], "f"))
    assert left == {**tomllib.loads(TOML), "tui": {"theme": 1}}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("claude", "{", "configuration"),
        ("claude", "[1]", "configuration"),
        ("claude", '{"mcpServers": 3}', "setup"),
        ("codex", "a =", "configuration"),
        ("codex", "mcp_servers = {other = {command = 'x'}}\n", "setup"),
        ("hermes", "a: [", "configuration"),
        ("hermes", "--- a\n--- b\n", "configuration"),
        ("hermes", "{a: 1}\n", "setup"),
        ("hermes", "mcp_servers: [1]\n", "setup"),
        ("hermes", "a: " + "[" * 5000, "configuration"),
    ],
)
def test_what_cannot_be_changed_safely_is_left(name: str, text: str, kind: str) -> None:
    with pytest.raises(UsageError) as raised:
        with_server(text, DIALECTS[name], SERVER, "the/file")
    assert (raised.value.kind, raised.value.place) == (kind, "the/file")
    assert raised.value.hint


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "/x/octavo", "args": ["mcp"]}, True),
        ({"command": "/x/python", "args": ["-m", "octavo", "mcp"]}, True),
        ({"command": "octavo.exe", "args": ["mcp"]}, True),
        ({"command": "octavo"}, False),
        ({"command": "npx", "args": ["octavo-mcp"]}, False),
        ({"url": "http://127.0.0.1/mcp"}, False),
        ("text", False),
    ],
)
def test_what_is_ours(entry: Any, ours: bool) -> None:
    assert is_ours(entry) is ours
