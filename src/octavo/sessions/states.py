"""`octavo session diff`: what differs between the variables of two states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo.errors import UsageError
from octavo.sessions import places
from octavo.sessions.client import SessionClient, ask
from octavo.sessions.context import SessionContext
from octavo.sessions.requests import DiffRequest
from octavo.sessions.values import Answer
from octavo.value import Value

_LISTING = "variables:listing"
_MOST = 2000
_SECONDS = 10.0
#: What tells of a variable without looking into it.
_FACTS = ("type", "module", "kind", "shape", "length", "dtype", "size", "preview")

Variable = Mapping[str, Any]


class Difference(Value):
    """A variable that is not the same in both; None in the state that has it not."""

    name: str
    before: Variable | None
    after: Variable | None

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()


class Differences(Value):
    """What was added, removed and changed. `unsure` are variables that look the same and could
    not be compared; `same` counts those that are.
    """

    added: tuple[Difference, ...]
    removed: tuple[Difference, ...]
    changed: tuple[Difference, ...]
    unsure: tuple[str, ...]
    same: int


class StatesDiff(Answer):
    """The variables of two states, each named as people call it."""

    session: str
    before: str
    after: str
    added: tuple[Mapping[str, Any], ...] = ()
    removed: tuple[Mapping[str, Any], ...] = ()
    changed: tuple[Mapping[str, Any], ...] = ()
    unsure: tuple[str, ...] = ()
    same: int = 0
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None


class _State(Value):
    """The variables of a state, and what to call it."""

    called: str
    variables: tuple[Variable, ...]
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None


def differences(before: Iterable[Variable], after: Iterable[Variable]) -> Differences:
    """Compare two listings of variables by name."""
    old = {str(each["name"]): each for each in before}
    new = {str(each["name"]): each for each in after}
    both = [name for name in new if name in old]
    verdicts = {name: _same(old[name], new[name]) for name in both}
    return Differences(
        added=tuple(Difference(name, None, new[name]) for name in new if name not in old),
        removed=tuple(Difference(name, old[name], None) for name in old if name not in new),
        changed=tuple(
            Difference(name, old[name], new[name]) for name in both if verdicts[name] is False
        ),
        unsure=tuple(name for name in both if verdicts[name] is None),
        same=sum(verdict is True for verdict in verdicts.values()),
    )


def _same(one: Variable, other: Variable) -> bool | None:
    """Whether two variables hold the same; None where nobody can tell."""
    digests = one.get("digest"), other.get("digest")
    if None not in digests:
        return digests[0] == digests[1]
    alike = all(one.get(fact) == other.get(fact) for fact in _FACTS)
    return None if alike else False


async def diff(request: DiffRequest, context: SessionContext) -> StatesDiff:
    """What differs between the variables of two states, of one session or of two."""
    before = await _state(request.session, request.before, context)
    after = await _state(request.session, request.after, context)
    found = differences(before.variables, after.variables)
    place = places.find(context.runtime, request.session)
    return StatesDiff(
        session=place.short,
        before=before.called,
        after=after.called,
        added=_plain(found.added),
        removed=_plain(found.removed),
        changed=_plain(found.changed),
        unsure=found.unsure,
        same=found.same,
        notes=(*before.notes, *after.notes),
        lease_ends=after.lease_ends or before.lease_ends,
    )


def _plain(found: Sequence[Difference]) -> tuple[Mapping[str, Any], ...]:
    return tuple(each.to_json() for each in found)


async def _state(session: str, word: str, context: SessionContext) -> _State:
    """The state that a word means: a cell of the session, another session, or as it stands."""
    if not word:
        return await _as_it_stands(session, "now", context)
    other = _other(word, context)
    if other is not None:
        return await _as_it_stands(other, f"session {other}", context)
    return await _before(session, word, context)


def _other(word: str, context: SessionContext) -> str | None:
    """The session that a word means; a number is a cell, whatever sessions there are."""
    if word.removeprefix("-").isdecimal() and len(word) < places.SHORT:
        return None
    try:
        return places.find(context.runtime, word).short
    except UsageError:
        return None


async def _as_it_stands(session: str, called: str, context: SessionContext) -> _State:
    answer = await ask(
        context.runtime, session, "ask", function=_LISTING, arguments=_asked(), seconds=_SECONDS
    )
    return _told(called, answer)


async def _before(session: str, word: str, context: SessionContext) -> _State:
    async with await SessionClient.open(context.runtime, session) as client:
        answer = await client.call(
            "ask", function=_LISTING, arguments=_asked(), seconds=_SECONDS, before=word
        )
        called = f"before cell {answer.get('before', word)}"
        if not answer.get("no_snapshot"):
            return _told(called, answer)
        branch = await client.call("branch", cell=str(word), name=f"for a look {called}")
    short = str(branch["id"])[-places.SHORT :]
    try:
        state = await _as_it_stands(short, called, context)
    finally:
        await ask(context.runtime, short, "stop")
    note = f"there is no snapshot {called}: its cells were executed again in another kernel"
    return state.replace(notes=(*state.notes, note))


def _asked() -> dict[str, Any]:
    return {"limit": _MOST, "digest": True}


def _told(called: str, answer: Mapping[str, Any]) -> _State:
    value = answer.get("value") or {}
    variables = tuple(value.get("variables") or ())
    more = int(value.get("total") or 0) - len(variables)
    notes = (f"{more} variables of the state {called} are left out",) if more > 0 else ()
    return _State(called, variables, notes, answer.get("lease_ends"))
