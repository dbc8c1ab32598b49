"""What is in a session, seen from the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.sessions import looking
from octavo.sessions.requests import VarsRequest
from sessions.live_projects import Live, info, live_in

pytestmark = pytest.mark.kernel

_CODE = """
import pandas
table = pandas.DataFrame({"city": ["Oslo", None, "Rome"], "price": [1.5, None, 3.25]})
config = {"paths": ["/data/a.csv"], "limit": 0.5}
class Spoken:
    def __repr__(self):
        global table
        del table
        return "said by itself"
class Endless:
    def __repr__(self):
        while True:
            pass
spoken, endless = Spoken(), Endless()
"""


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


def test_variables_and_one_of_them_in_part(live: Live) -> None:
    session = live.start()
    name = session.place.short
    session.call("exec", code=_CODE)
    listed = live.octavo("session", "vars", name, "--json").json
    told = {each["name"]: each for each in listed["variables"]}
    assert told["table"]["shape"] == [3, 2]
    assert told["config"]["preview"] == "{'paths': ['/data/a.csv'], 'limit': 0.5}"
    assert listed["lease_ends"] > 0
    drawn = live.octavo("session", "preview", name, "table").out
    assert "missing" in drawn
    assert "Rome" in drawn
    assert live.octavo("session", "preview", name, "config['paths'][0]").out.endswith("/a.csv\n")
    chosen = live.octavo("session", "vars", name, "conf*", "--json").json
    assert [each["name"] for each in chosen["variables"]] == ["config"]


def test_objects_speak_in_a_copy_only_and_not_for_ever(live: Live) -> None:
    session = live.start()
    name = session.place.short
    session.call("exec", code=_CODE)
    spoken = live.octavo("session", "preview", name, "spoken", "--json").json
    assert spoken["text"] == "said by itself"
    assert live.octavo("session", "preview", name, "table", "--json").json["kind"] == "table"
    endless = live.octavo("session", "preview", name, "endless", "--json").json
    assert endless["text"] == "<Endless>"
    assert "takes too long" in endless["notes"][0]
    assert info(session).position == 1


def test_packages_of_the_environment(live: Live) -> None:
    session = live.start()
    name = session.place.short
    found = live.octavo("session", "vars", name, "--packages", "ipytho?", "--json").json
    assert [each["name"] for each in found["packages"]] == ["ipython"]
    assert "variables" not in found


def test_bad_names_and_numbers_are_told(live: Live) -> None:
    session = live.start()
    name = session.place.short
    session.call("exec", code="price = 1")
    missing = live.octavo("session", "preview", name, "prise", code=2)
    assert "there is no variable 'prise'" in missing.err
    assert "did you mean price?" in missing.err
    assert "no path" in live.octavo("session", "preview", name, "price + 1", code=2).err
    assert "--rows" in live.octavo("session", "preview", name, "price", "--rows", 0, code=2).err
    assert "no session" in live.octavo("session", "vars", "zzzzzzzz", code=2).err


def test_secrets_are_not_shown(live: Live) -> None:
    live.variables["API_TOKEN"] = "s3cr3t-value-of-some-length"
    session = live.start("--env", "API_TOKEN")
    name = session.place.short
    session.call("exec", code="import os; key = os.environ['API_TOKEN']; nested = {'a': [key]}")
    for words in (("vars", name), ("preview", name, "key"), ("preview", name, "nested")):
        answer = live.octavo("session", *words, "--json")
        assert "s3cr3t" not in answer.out
        assert "redacted" in answer.out


def test_a_session_that_is_at_work_says_so(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    session = live.start()
    session.call("exec", code="import time; time.sleep(1000)", detach=True)
    monkeypatch.setattr(looking, "PATIENCE", 0.1)
    monkeypatch.setattr(looking, "LOOK", 0.1)
    context: Any = SimpleNamespace(runtime=live.runtime)
    request = VarsRequest(session=session.place.short)
    with pytest.raises(OctavoError) as caught:
        asyncio.run(looking.variables(request, context))
    assert caught.value.kind == "session-busy"
    assert "session interrupt" in caught.value.hint


def test_a_kernel_that_cannot_be_copied_is_looked_into_itself(live: Live) -> None:
    session = live.start("--engine", "jupyter")
    name = session.place.short
    session.call("exec", code=_CODE)
    spoken = live.octavo("session", "preview", name, "spoken", "--json").json
    assert spoken["text"] == "<Spoken>"
    assert "Rome" in live.octavo("session", "preview", name, "table").out


def test_a_kernel_that_died_has_no_variables(live: Live) -> None:
    session = live.start()
    session.call("exec", code="import os; os.kill(os.getpid(), 9)")
    answer = live.octavo("session", "vars", session.place.short, code=None)
    assert answer.code in (2, 3)
    assert "restart" in answer.err
