"""What `docs/authoring.md` says is so."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from cli.calling import variables
from octavo.authoring.creating.choosing import BUILT_IN
from octavo.authoring.editing.operations import OPERATIONS, read_edits
from octavo.authoring.editing.request import EditRequest, edits_asked
from octavo.surfaces.cli.commands import find
from octavo.surfaces.cli.parser import parse
from octavo.surfaces.cli.shape import Shape

PAGE = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text(encoding="utf-8")
CALLS = re.findall(r"^    (octavo .*?)(?:  +#.*)?$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("call", CALLS)
def test_every_command_that_is_shown_is_understood(call: str, tmp_path: Path) -> None:
    _, name, *words = shlex.split(call)
    entry = find(name)
    assert entry is not None
    request = parse(Shape(entry), words).request
    if isinstance(request, EditRequest) and not request.file and not request.standard:
        assert edits_asked(request, str(tmp_path))


def test_the_edits_that_are_shown_are_read() -> None:
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert {edit.op for edit in read_edits(shown)} | {"untag"} == set(OPERATIONS)
    assert len(json.loads(shown)) == len(read_edits(shown))


def test_every_operation_has_its_keys_in_the_table() -> None:
    for op, (needed, optional) in OPERATIONS.items():
        (row,) = re.findall(
            rf"^\| [^|]*`{op}`[^|]*\|.*$", PAGE.partition("| op |")[2], re.MULTILINE
        )
        for key in (*needed, *optional):
            assert f"`{key}`" in row, (op, key)


def test_every_template_is_listed() -> None:
    for path in BUILT_IN.iterdir():
        assert f"| `{path.stem}` |" in PAGE


def test_the_python_that_is_shown_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    (tmp_path / "octavo.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(import octavo\n.*?)```", PAGE, re.DOTALL)
    exec(code, {})
