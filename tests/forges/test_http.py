"""Calls to a forge that is down, slow, busy, or not a forge at all."""

from __future__ import annotations

import socket
from typing import Any
from urllib.request import Request

import pytest

from forges.hostile_server import PAGE, Drips, HangsUp, Hostile, Says, Stalls, hostile_server
from octavo.errors import OctavoError
from octavo.forges import http
from octavo.forges.http import Api, Refused

FINE = Says(200, {"fine": True})
BUSY = Says(503, "<html>busy</html>")


class Waits:
    """How long a call would have waited."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def api(server: Hostile, **named: Any) -> Api:
    return Api(server.address, "token s3cret", **{"wait": Waits(), "timeout": 10.0, **named})


def failure(call: Any) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        call()
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("trouble", [BUSY, Says(429), HangsUp(), Says(200, {"a": 1}, lies=500)])
def test_a_question_is_asked_again(hostile: Hostile, trouble: Any) -> None:
    hostile.will(trouble, trouble, FINE)
    waits = Waits()
    assert api(hostile, wait=waits).get("x") == {"fine": True}
    first, second = waits.seconds
    assert 0.3 < first < 0.7 < second < 1.3
    assert len(hostile.asked) == 3


def test_it_is_given_up_after_some_attempts(hostile: Hostile) -> None:
    hostile.will(BUSY)
    error = failure(lambda: api(hostile).get("x"))
    assert (error.kind, error.retryable, len(hostile.asked)) == ("forge-down", True, 4)
    assert "503" in error.message


def test_a_forge_says_how_long_to_wait(hostile: Hostile) -> None:
    hostile.will(
        Says(429, headers={"Retry-After": "7"}), Says(503, {}, {"Retry-After": "9999"}), FINE
    )
    waits = Waits()
    api(hostile, wait=waits).get("x")
    assert 5 < waits.seconds[0] < 9
    assert 20 < waits.seconds[1] < 40


@pytest.mark.parametrize("trouble", [BUSY, HangsUp()])
def test_what_may_have_been_done_is_not_done_again(hostile: Hostile, trouble: Any) -> None:
    hostile.will(trouble, FINE)
    error = failure(lambda: api(hostile).call("POST", "x", {"a": 1}))
    assert (error.kind, len(hostile.asked)) == ("forge-down", 1)


def test_once_looks_before_it_tries_again(hostile: Hostile) -> None:
    hostile.will(BUSY, Says(200, []), BUSY, Says(200, ["made"]))
    calls = api(hostile)
    made = calls.once(
        lambda: str(calls.call("POST", "x", {}).body), lambda: (calls.get("x") or [None])[0]
    )
    assert made == "made"
    assert [each.method for each in hostile.asked] == ["POST", "GET", "POST", "GET"]


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        waits = Waits()
        error = failure(lambda: Api(address, "token s3cret", wait=waits).get("x"))
    assert (error.kind, error.place, len(waits.seconds)) == ("forge-down", address, 3)
    assert "refused" in error.message.lower()


def test_a_name_that_nobody_has() -> None:
    error = failure(lambda: Api("http://octavo.invalid", wait=Waits()).get("x"))
    assert error.kind == "forge-down"


@pytest.mark.parametrize("slow", [Stalls(), Drips()])
def test_a_slow_server(hostile: Hostile, slow: Any) -> None:
    hostile.will(slow)
    error = failure(lambda: api(hostile, timeout=0.05, attempts=1).get("x"))
    assert (error.kind, error.retryable) == ("forge-down", True)
    assert "in time" in error.message


def test_a_page_instead_of_an_answer(hostile: Hostile) -> None:
    hostile.will(PAGE)
    error = failure(lambda: api(hostile).get("some/where", secret="no"))
    assert error.kind == "forge-answer"
    assert "a page" in error.message
    assert error.place == f"{hostile.address}/some/where"
    assert len(hostile.asked) == 1


@pytest.mark.parametrize("body", ["no json", "[" * 100_000, '{"a": '])
def test_no_json_at_all(hostile: Hostile, body: str) -> None:
    hostile.will(Says(200, body))
    assert failure(lambda: api(hostile).get("x")).kind == "forge-answer"


def test_an_answer_without_end(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_LARGEST", 1000)
    hostile.will(Says(200, "x" * 5000))
    error = failure(lambda: api(hostile, attempts=1).get("x"))
    assert "larger" in error.message


def test_a_refusal_says_why(hostile: Hostile) -> None:
    hostile.will(Says(422, {"message": "Validation", "errors": [{"message": "head"}, "base"]}))
    error = failure(lambda: api(hostile).get("x"))
    assert isinstance(error, Refused)
    assert (error.status, error.said) == (422, "Validation: head, base")
    hostile.will(Says(418, "<html>teapot</html>"))
    assert "no reason" in failure(lambda: api(hostile).get("x")).message


def test_a_wrong_token(hostile: Hostile) -> None:
    hostile.will(Says(401, {"message": "who?"}))
    assert failure(lambda: api(hostile).get("x")).kind == "token-refused"


def test_a_redirect_on_the_same_host_is_followed(hostile: Hostile) -> None:
    hostile.will(Says(307, headers={"Location": "/moved"}), FINE)
    assert api(hostile).call("POST", "x", {"a": 1}).body == {"fine": True}
    assert [(each.method, each.path) for each in hostile.asked] == [
        ("POST", "/x"),
        ("POST", "/moved"),
    ]
    assert hostile.asked[1].body == b'{"a": 1}'
    assert hostile.asked[1].authorization == "token s3cret"


def test_a_redirect_to_another_host_is_not(hostile: Hostile) -> None:
    with hostile_server() as other:
        other.will(FINE)
        hostile.will(Says(302, headers={"Location": f"{other.address}/x?token=1"}))
        error = failure(lambda: api(hostile).get("x"))
        assert error.kind == "forge-answer"
        assert "elsewhere" in error.message
        assert other.asked == []


def test_a_redirect_that_gives_up_encryption_is_not_followed() -> None:
    handler, request = http._SameHost(), Request("https://git.example.org/x")
    follow = handler.redirect_request
    assert follow(request, None, 302, "", {}, "http://git.example.org/x") is None
    assert follow(request, None, 302, "", {}, "https://git.example.org/y") is not None
    assert follow(Request("http://h/x"), None, 301, "", {}, "https://h/x") is not None


def test_a_token_that_is_none() -> None:
    error = failure(lambda: Api("http://h", "token abc\ndef"))
    assert error.kind == "token-refused"
    assert "abc" not in str(error.to_json())


@pytest.mark.parametrize("headers", ["none", "total", "link"])
def test_pages_are_followed(hostile: Hostile, headers: str) -> None:
    """Also where a forge gives fewer on a page than it was asked for, and says how many are."""
    size = 50 if headers == "none" else 30
    items = list(range(123))

    def answer(asked: Any) -> Says:
        page = int(asked.path.rpartition("page=")[2])
        told = {"total": {"X-Total-Count": "123"}, "none": {}}.get(headers)
        if told is None:
            told = {"Link": '<x>; rel="next"' if page * size < 123 else '<x>; rel="first"'}
        return Says(200, items[(page - 1) * size : page * size], told)

    hostile.answers = answer
    assert list(api(hostile).pages("x", state="all")) == items
    assert "state=all" in hostile.asked[0].path


def test_a_list_that_is_none(hostile: Hostile) -> None:
    hostile.will(Says(200, {"message": "what list?"}))
    assert failure(lambda: list(api(hostile).pages("x"))).kind == "forge-answer"
    hostile.will(Says(200, None))
    assert list(api(hostile).pages("x")) == []
