"""What can be asked of a live session over its socket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import UsageError
from octavo.sessions.hosts import asked_editing, asked_executing, asked_looking, asked_state
from octavo.sessions.hosts.desk import Desk, Tell
from octavo.sessions.values import Answer

#: What is asked of every session for a list, and so does not make it live on.
_LOOKS = ("info", "jobs")


class Asked(Desk):
    """The requests of clients, as a session carries them out."""

    async def answer(self, op: str, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
        """Carry out one request; OctavoError when it cannot be."""
        carry_out = _OPS.get(op)
        if carry_out is None:
            hint = "the program that asks is newer than the session; restart the session"
            raise UsageError("wrong-argument", f"a session cannot {op!r}", hint=hint)
        if self.live.ended and op != "stop":
            hint = f"octavo session restore {self.live.short} executes its cells again in a new one"
            raise UsageError("session-dead", "the session has just ended", hint=hint)
        if op not in _LOOKS:
            self.live.renew()
        given = dict(arguments)
        follow = tell if given.pop("follow", False) else None
        answered = await carry_out(self, given, follow)
        return answered.to_json() if isinstance(answered, Answer) else dict(answered)


_OPS: dict[str, Any] = {
    "exec": asked_executing.execute,
    "run-cell": asked_executing.run_cell,
    "run-all": asked_executing.run_all,
    "edit": asked_editing.edit,
    "job": asked_looking.job,
    "jobs": asked_looking.jobs,
    "cancel": asked_looking.cancel,
    "interrupt": asked_looking.interrupt,
    "restart": asked_state.restart,
    "rewind": asked_state.rewind,
    "branch": asked_state.branch,
    "ask": asked_state.ask,
    "info": asked_looking.info,
    "show": asked_looking.show,
    "document": asked_looking.document,
    "stop": asked_looking.stop,
}
