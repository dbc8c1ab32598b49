"""What `uv` says, as it says it, becomes one of our errors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octavo.environments.request import Request
from octavo.environments.uv import find_uv, required_uv
from octavo.environments.uvcall import UvFailed, call_uv, failure, shortened
from octavo.errors import EnvironmentFailure

UNSOLVABLE = """\
Using script environment at: /cache/environments/x
warning: something else
error: No solution found when resolving dependencies
  cause: Because only six<=1.17.0 is available and you require six>1.17.0, we can conclude that \
your requirements are unsatisfiable.
"""
OFFLINE = """\
error: No solution found when resolving dependencies
  cause: Because ipython was not found in the cache and you require ipython>=8, we can conclude \
that your requirements are unsatisfiable.

hint: Packages were unavailable because the network was disabled. When the network is disabled, \
registry packages may only be read from the cache.
"""
NO_ROUTE = """\
error: Request failed after 3 retries in 6.9s
  cause: Failed to fetch: https://ada:pa55word@index.example/simple/six/
  cause: error sending request for url (https://index.example/simple/six/)
  cause: dns error
"""
NO_PYTHON = "error: No interpreter found for Python >=3.99 in managed installations\n"
FORBIDDEN = """\
error: Failed to fetch: https://index.example/simple/six/
  cause: HTTP status client error (403 Forbidden) for url (https://index.example/simple/six/)
"""


BAD_REQUIREMENT = """\
error: TOML parse error at line 2, column 17
  |
2 | dependencies = ["numpy===", "ipython>=8"]
  |                 ^^^^^^^^^^
Unexpected end of version specifier, expected version
numpy===
     ^^^
"""


@pytest.mark.parametrize(
    ("said", "kind", "retryable"),
    [
        (UNSOLVABLE, "environment-unresolved", False),
        (FORBIDDEN, "environment-unresolved", False),
        (OFFLINE, "environment-offline", True),
        (NO_ROUTE, "environment-offline", True),
        (NO_PYTHON, "interpreter-missing", False),
    ],
)
def test_each_cause_has_its_kind(said: str, kind: str, retryable: bool) -> None:
    error = failure(said, "the environment of nb.py", "nb.py:1")
    assert (error.kind, error.retryable, error.place) == (kind, retryable, "nb.py:1")
    assert error.hint
    assert error.message.startswith("the environment of nb.py")


def test_the_reason_is_one_short_line() -> None:
    expected = "Because only six<=1.17.0 is available and you require six>1.17.0"
    assert shortened(UNSOLVABLE) == expected
    assert len(shortened("error: " + "x" * 5000)) <= 400


def test_a_requirement_that_does_not_parse_is_a_mistake_in_the_block() -> None:
    error = failure(BAD_REQUIREMENT, "the environment of nb.py", "nb.py:1")
    assert (error.kind, error.exit_code, error.place) == ("environment-block", 2, "nb.py:1")
    assert error.message == (
        "the script block cannot be read: "
        "Unexpected end of version specifier, expected version numpy==="
    )


def test_logins_of_an_index_are_not_shown() -> None:
    assert "pa55word" not in shortened(NO_ROUTE)
    assert "https://index.example" in shortened(NO_ROUTE)


def script(folder: Path, text: str) -> str:
    file = folder / "uv"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_progress_is_told_line_by_line(tmp_path: Path) -> None:
    lines: list[str] = []
    uv = script(
        tmp_path, "echo 'Resolved 3 packages' >&2; echo 'chatter' >&2; echo /usr/bin/python"
    )
    output = call_uv([uv], dict(os.environ), cwd=str(tmp_path), say=lines.append)
    assert (lines, output) == (["Resolved 3 packages"], "/usr/bin/python\n")


def test_uv_does_not_see_the_callers_environment_but_its_target(tmp_path: Path) -> None:
    uv = script(tmp_path, 'echo "$VIRTUAL_ENV $PYTHONPATH $INDEX"')
    caller = {"VIRTUAL_ENV": "/caller", "PYTHONPATH": "/x", "INDEX": "kept"}
    assert call_uv([uv], caller, cwd=str(tmp_path), target="/target") == "/target  kept\n"
    assert call_uv([uv], caller, cwd=str(tmp_path)) == "  kept\n"


def test_a_failing_uv_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(UvFailed) as caught:
        call_uv([script(tmp_path, "echo 'error: no' >&2; exit 2")], {}, cwd=str(tmp_path))
    assert caught.value.said == "error: no\n"


def test_uv_is_looked_for_where_it_is_named_then_beside_python_then_on_the_path(
    tmp_path: Path,
) -> None:
    for name in ("named", "beside", "path"):
        (tmp_path / name).mkdir()
        script(tmp_path / name, "true")
    current, path = str(tmp_path / "beside/python"), f"/nowhere:{tmp_path / 'path'}"
    assert find_uv(str(tmp_path / "named/uv"), current, path) == str(tmp_path / "named/uv")
    assert find_uv(None, current, path) == str(tmp_path / "beside/uv")
    assert find_uv(None, "/nowhere/python", path) == str(tmp_path / "path/uv")
    assert find_uv(None, "/nowhere/python", "") is None
    assert find_uv("/nowhere/uv", current, path) is None


def test_a_missing_uv_is_an_extra_to_install() -> None:
    request = Request("nb.py", "", "/", "/nowhere/python", "/cache", {"PATH": ""})
    with pytest.raises(EnvironmentFailure) as caught:
        required_uv(request, "a notebook with a script block")
    assert caught.value.kind == "extra-missing"
    assert caught.value.hint.endswith("pip install 'octavo[uv]'")
