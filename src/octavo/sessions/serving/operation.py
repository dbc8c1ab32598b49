"""`octavo session attach --jupyter`."""

from __future__ import annotations

from octavo.runs.context import Said
from octavo.sessions.context import SessionContext
from octavo.sessions.requests import AttachRequest
from octavo.sessions.serving.served import Served
from octavo.sessions.serving.sockets import Sockets
from octavo.sessions.serving.speaker import SessionSpeaker
from octavo.sessions.values import Answer


class ServedAnswer(Answer):
    """A session that was served and goes on; `reason` is why the serving ended."""

    session: str
    executed: int
    reason: str


async def serve(request: AttachRequest, context: SessionContext) -> ServedAnswer:
    """Serve a session to Jupyter's programs until one of them, or Ctrl-C, ends that."""
    speaker = await SessionSpeaker.open(context.runtime, request.session)
    try:
        sockets = Sockets("octavo", speaker.place.take_folder())
        try:
            context.emit(Said(f"jupyter console --existing {sockets.connection.file}"))
            context.emit(Said("Ctrl-C ends the serving; the session goes on"))
            served = Served(speaker, sockets)
            await served.run()
            context.emit(Said(f"no longer served: {served.reason}"))
        finally:
            sockets.close()
    finally:
        speaker.close()
    return ServedAnswer(request.session, served.executed, served.reason)
