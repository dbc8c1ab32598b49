"""Live sessions as bytes and descriptors, to be handed from one process to another of ours.

Only sessions in which nothing goes on are packed, so whatever waits or is waited for (locks,
futures, threads) is made anew. Descriptors keep their meaning: a lock that is held through one,
as that of the journal, is held all the time.
"""

from __future__ import annotations

import asyncio
import io
import pickle
import socket
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from octavo.errors import OctavoError
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.work import mistake
from octavo.sessions.wire import raised, told
from octavo.systems import Descriptor
from octavo.value import Value

_CONTEXT = "context"
_ENGINE = "engine"


class Parcel(Value):
    """What another process needs to go on with these sessions."""

    content: bytes
    descriptors: tuple[int, ...]


def pack(what: object, context: SessionContext, engine: str) -> Parcel:
    """The descriptors in it stay open here, and are ours until they have been taken over."""
    file = io.BytesIO()
    packer = _Packer(file, context, engine)
    packer.dump(what)
    return Parcel(zlib.compress(file.getvalue(), 1), tuple(packer.descriptors))


def unpack(parcel: Parcel, context: SessionContext, engine: str) -> Any:
    """The same in this process, in which an event loop runs. The bytes came from our own code."""
    return _Unpacker(parcel, context, engine).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, context: SessionContext, engine: str) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.descriptors: list[int] = []
        self._places = {id(context): _CONTEXT, id(context.engine(engine)): _ENGINE}

    def persistent_id(self, obj: Any) -> Any:
        if type(obj) is Descriptor:
            self.descriptors.append(obj.number)
            return len(self.descriptors) - 1
        return self._places.get(id(obj))

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, socket.socket):
            return _socket, (Descriptor(obj.fileno()),)
        if isinstance(obj, Exception):
            # Others may be made in ways that cannot be repeated, which would be known too late.
            return raised, (told(obj if isinstance(obj, OctavoError) else mistake(obj)),)
        if isinstance(obj, asyncio.Future):
            if not obj.cancelled():
                obj.exception()  # InvalidStateError where it goes on; nobody asks how it ended
            return _over, ()
        if isinstance(obj, ThreadPoolExecutor):
            return ThreadPoolExecutor, (obj._max_workers,)
        return _ANEW.get(type(obj), NotImplemented)


class _Unpacker(pickle.Unpickler):
    def __init__(self, parcel: Parcel, context: SessionContext, engine: str) -> None:
        super().__init__(io.BytesIO(zlib.decompress(parcel.content)))
        self._descriptors = parcel.descriptors
        self._context = context
        self._engine = engine

    def persistent_load(self, pid: Any) -> Any:
        if pid == _CONTEXT:
            return self._context
        if pid == _ENGINE:
            return self._context.engine(self._engine)
        return self._descriptors[pid]


_ANEW: dict[type, Any] = {
    asyncio.Lock: (asyncio.Lock, ()),
    type(threading.Lock()): (threading.Lock, ()),
}


def _socket(descriptor: int) -> socket.socket:
    return socket.socket(fileno=descriptor)


def _over() -> asyncio.Future[None]:
    """Of something that has ended."""
    ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    ended.set_result(None)
    return ended
