"""`octavo session diff`: what differs between the variables of two states."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.render.states import difference_lines
from octavo.render.style import Style
from octavo.sessions.states import differences
from sessions.live_projects import Live, live_in


def variable(name: str, preview: str, **facts: Any) -> dict[str, Any]:
    return {"name": name, "type": "int", "kind": "value", "preview": preview, **facts}


def names(found: Any) -> list[str]:
    return [each.name for each in found]


def test_variables_are_added_removed_and_changed() -> None:
    before = [variable("a", "1", digest="x"), variable("b", "2", digest="y"), variable("c", "3")]
    after = [variable("b", "2", digest="z"), variable("c", "3"), variable("d", "4", digest="w")]

    found = differences(before, after)

    assert (names(found.added), names(found.removed)) == (["d"], ["a"])
    assert names(found.changed) == ["b"]
    assert (found.unsure, found.same) == (("c",), 0)
    assert found.changed[0].before == before[1]


def test_what_has_no_digest_is_changed_where_it_looks_otherwise() -> None:
    one = variable("t", "rows", shape=[2, 3], digest=None)
    assert names(differences([one], [{**one, "shape": [2, 4]}]).changed) == ["t"]
    assert differences([one], [{**one, "digest": "known"}]).unsure == ("t",)
    assert differences([{**one, "digest": "d"}], [{**one, "digest": "d"}]).same == 1


def test_differences_are_shown_with_both_values_and_no_tricks_for_the_terminal() -> None:
    found = differences(
        [variable("x", "1", digest="a"), variable("gone", "0")],
        [variable("x", "2", digest="b"), variable("evil\x1b[31m", "\x1b]0;title\x07", digest="e")],
    )
    told = {
        "before": "before cell 2",
        "after": "now",
        "added": [each.to_json() for each in found.added],
        "removed": [each.to_json() for each in found.removed],
        "changed": [each.to_json() for each in found.changed],
        "unsure": [],
        "same": 3,
    }

    lines = difference_lines(told, Style(colour=False))

    assert lines[0].startswith("before cell 2")
    assert "~ x" in lines
    assert "    - int  1" in lines
    assert "    + int  2" in lines
    assert "- gone  int  0" in lines
    assert not any("\x1b" in line or "\x07" in line for line in lines)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


@pytest.mark.kernel
def test_two_states_of_one_session_are_compared(live: Live) -> None:
    session = live.start()
    for code in ("a = [1]\nb = 2", "a.append(3)\ndel b\nc = 'new'"):
        session.call("exec", code=code)
    short = session.place.short

    answer = live.octavo("session", "diff", short, "1", "--json").json

    assert (answer["before"], answer["after"]) == ("before cell 1", "now")
    assert [each["name"] for each in answer["added"]] == ["c"]
    assert [each["name"] for each in answer["removed"]] == ["b"]
    (changed,) = answer["changed"]
    assert (changed["before"]["preview"], changed["after"]["preview"]) == ("[1]", "[1, 3]")
    # Looking changed nothing.
    assert session.call("exec", code="a")["outputs"][0]["text"] == "[1, 3]"


@pytest.mark.kernel
def test_without_snapshots_cells_are_executed_again_elsewhere_and_that_is_told(live: Live) -> None:
    session = live.start("--no-snapshots")
    for code in ("a = 1", "a = 2"):
        session.call("exec", code=code)
    short = session.place.short

    answer = live.octavo("session", "diff", short, "1", "--json").json

    assert [each["name"] for each in answer["changed"]] == ["a"]
    assert "executed again" in answer["notes"][0]
    listed = live.octavo("session", "list", "--json").json["sessions"]
    assert [each["id"][-8:] for each in listed] == [short]


@pytest.mark.kernel
def test_two_sessions_are_compared(live: Live) -> None:
    one, other = live.start(), live.start()
    one.call("exec", code="x = 1\nsame = [1, 2]")
    other.call("exec", code="x = 2\nsame = [1, 2]")
    words = ("session", "diff", one.place.short, other.place.short, "--json")

    answer = live.octavo(*words).json

    (changed,) = answer["changed"]
    assert (changed["name"], changed["before"]["preview"]) == ("x", "2")
    assert answer["same"] == 1
    error = live.octavo("session", "diff", one.place.short, "77", "--json", code=2).json["error"]
    assert error["kind"] == "cell-not-found"


@pytest.mark.kernel
def test_python_has_the_same_calls(live: Live) -> None:
    live.write(
        "import octavo\n"
        "with octavo.Session.start() as session:\n"
        "    session.exec('a = 1')\n"
        "    session.exec('b = [a]')\n"
        "    print([each['name'] for each in session.diff(1).added])\n"
        "    print(session.save('saved.py').cells)\n"
        "    print(session.promote('final.py', parameters=['a']).parameters)\n"
        "    session.stop()\n",
        "program.py",
    )
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=live.root,
        env=live.variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "['b']\n2\n('a',)\n", done.stderr
    assert (live.root / "final.py").read_text().startswith('# %% tags=["parameters"]\na = 1\n')
