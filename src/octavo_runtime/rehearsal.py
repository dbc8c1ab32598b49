"""A first kernel that nobody sees, so that those who follow write to few of the pages they share.

A page is a kernel's own as soon as it writes to it, and Python writes wherever it looks: it counts
references, and remembers in the code what it has found. A resident zygote therefore lets a child
start a kernel and run a cell, lays the code that was used together on few pages, runs it until
there is nothing left to remember, and uses up the gaps between objects, so that what a kernel
makes lies together too. Nothing of it can be seen in a kernel.
"""

from __future__ import annotations

import array
import asyncio
import builtins
import ctypes
import gc
import linecache
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from octavo_runtime import (
    asking,
    copies,
    early_exit,
    hooks,
    keeper,
    kernel,
    left_behind,
    packets,
    process,
)
from octavo_runtime.cells import KernelLoop
from octavo_runtime.channel import Channel, pack
from octavo_runtime.prepared import Prepared

#: After so many calls Python has specialized a function for what it meets there.
ROUNDS = 24
SECONDS = 10
_CELL = "pass"
_REQUESTS = ({"op": "execute", "id": "1", "code": _CELL}, {"op": "stop"})
_EVERYTHING = struct.pack("!Q", 1 << 62)


def rehearse(shell: Any) -> None:
    """Once, when everything has been loaded and before anything is forked."""
    used = _used_by_a_kernel(shell)
    gaps = fill_gaps()
    lay_together(used)
    try:
        with _without_traces(shell):
            for _ in range(ROUNDS):
                _keep_nothing()
                _be_a_kernel(shell)
    except Exception:
        pass  # a favour, no need: some IPython does it differently
    gc.collect()
    _held.extend((gaps, fill_gaps()))


_held: list[Any] = []


# What is used


def _used_by_a_kernel(shell: Any) -> set[int]:
    """Where the code lies that a child of ours calls until it has run a cell."""
    reading, writing = os.pipe()
    pid = process.fork_plainly()
    if pid == 0:
        try:
            signal.alarm(SECONDS)
            os.write(writing, array.array("Q", _calls_of(shell)).tobytes())
        finally:
            os._exit(0)
    os.close(writing)
    used = array.array("Q")
    with open(reading, "rb") as file:
        used.frombytes(file.read())
    _collect(pid)
    return set(used)


def _calls_of(shell: Any) -> set[int]:
    called: set[int] = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            called.add(id(frame.f_code))

    stage = Stage(shell)
    sys.setprofile(note)
    try:
        _keep_nothing()
        hooks.run()
        loop = stage.kernel()
        loop.serve()
        _look_for_a_copy(loop)
    finally:
        sys.setprofile(None)
    return called


def _collect(pid: int) -> None:
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass


# Where it lies


def lay_together(used: set[int]) -> None:
    """Give functions a copy of their code, one beside the other."""
    copies: dict[int, CodeType] = {}
    for function in gc.get_objects():
        if type(function) is FunctionType and id(function.__code__) in used:
            code = function.__code__
            _held.append(code)
            copies[id(code)] = function.__code__ = copies.get(id(code)) or _copy(code)


def _copy(code: CodeType) -> CodeType:
    """With the code of the functions that it makes."""
    inner = (_copy(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=tuple(inner))


def fill_gaps() -> list[bytes]:
    """Use up the free places between objects of each size; they are held by what is returned."""
    filling: list[bytes] = []
    for size in range(_GRAIN * 3, _LARGEST + 1, _GRAIN):
        _fill(filling, size)
    _fill_heap()
    return filling


#: How Python parts its memory: pools for objects of one size, up to the largest.
_GRAIN, _LARGEST = 16, 512
_POOL = 1 << (14 if sys.version_info >= (3, 10) else 12)
_HEADER = 48
#: What is spent on one size at most.
_MOST_BYTES = 256 << 10


def _fill(filling: list[bytes], size: int) -> None:
    """Until so many lie in a row that their pool was empty."""
    bare, enough = sys.getsizeof(b""), (_POOL - _HEADER) // size - 1
    row, last = 0, 0
    for _ in range(_MOST_BYTES // size):
        filling.append(bytes(size - bare))
        place = id(filling[-1])
        row = row + 1 if place - last == size and place // _POOL == last // _POOL else 0
        last = place
        if row >= enough - 1:
            return


def _fill_heap() -> None:
    """The same for what the C library hands out, from the largest free piece to the smallest."""
    library = process.libc()
    if library is None:
        return
    malloc = library["malloc"]
    malloc.restype = ctypes.c_size_t
    highest = 0
    for size in (*range(16 << 10, 1 << 10, -1 << 10), *range(1 << 10, 8, -_GRAIN)):
        for _ in range(_MOST_BYTES // size):
            place = malloc(ctypes.c_size_t(size))
            if place > highest:
                highest = place
                break


# What is remembered


class Stage:
    """The other ends of a kernel, where everything it will be asked lies ready."""

    def __init__(self, shell: Any) -> None:
        self.prepared = Prepared(shell, kernel.facts())
        self._runner, channel = socket.socketpair(type=socket.SOCK_SEQPACKET)
        acknowledgements, self._acknowledging = os.pipe()
        os.write(self._acknowledging, _EVERYTHING)
        for request in _REQUESTS:
            packets.send(self._runner, request)
        nowhere = [os.open(os.devnull, os.O_WRONLY) for _ in range(2)]
        ends = (channel.detach(), acknowledgements, *nowhere)
        self._descriptors = dict(zip(keeper.DESCRIPTORS, ends))  # noqa: B905 (Python 3.9)

    def kernel(self) -> KernelLoop:
        """A kernel that has begun, with what a launch says that changes nothing."""
        launch = {"variables": dict(os.environ), "cwd": os.getcwd()}
        facade = self.prepared.shell.kernel
        self.prepared.emitter.flush = facade.emitter.flush
        facade.emitter = self.prepared.emitter
        return kernel.begin(self.prepared, launch, self._descriptors)

    def close(self) -> None:
        self._runner.close()
        self.prepared.sock.close()
        ends = (self.prepared.emitter.acknowledgements, self._acknowledging)
        for each in (*ends, self.prepared.out.turn.own, self.prepared.err.turn.own):
            os.close(each)


def _keep_nothing() -> None:
    """What a keeper does until it waits."""
    ours, theirs = socket.socketpair()
    near, far = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with ours, theirs, near, far:
        keeping = keeper.Keeper(os.getpid(), Channel(ours), {})
        keeping.poller.register(ours.fileno(), select.POLLIN)
        socket.send_fds(theirs, [pack({"op": "copying"})], [near.fileno()])
        for said in ({"op": "here", "pid": os.getpid()}, {"op": "copied"}):
            for descriptor, _ in keeping.poller.poll(keeping._patience(None)):
                keeping._attend(descriptor)
            keeping._check_limits()
            keeping._urge()
            packets.send(far, said) if "pid" in said else theirs.sendall(pack(said))
        keeping._attend(ours.fileno())
        far.close()
        near.close()
        keeping.family.catch_up()


def _be_a_kernel(shell: Any) -> None:
    """Here, in the zygote: a kernel from its start to its end, and nothing left of it."""
    stage = Stage(shell)
    with _this_process_unchanged():
        loop = stage.kernel()
        loop.serve()
        _look_for_a_copy(loop)
        loop.usage.close()
        loop.loop.close()
        stage.close()


def _look_for_a_copy(loop: KernelLoop) -> None:
    """All that comes before a kernel is copied."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with ours, theirs:
        copies.why_not([])  # a zygote listens, so here it looks no further than that
        left_behind.mapped()
        left_behind.started()
        copies.Copy(loop, ours, theirs)
        asking.held_for(loop, theirs)


@contextmanager
def _this_process_unchanged() -> Iterator[None]:
    """Undo what makes a process a kernel."""
    kept = [os.dup(number) for number in (1, 2)]
    written = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
    heard, words, importing = signal.getsignal(signal.SIGINT), sys.argv, builtins.__import__
    variables = dict(os.environ)
    try:
        yield
    finally:
        gc.disable()
        gc.unfreeze()
        for number, copy in zip((1, 2), kept):  # noqa: B905 (Python 3.9)
            os.dup2(copy, number)
            os.close(copy)
        sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__ = written  # type: ignore[misc]
        signal.signal(signal.SIGINT, heard)
        sys.argv, builtins.__import__ = words, importing
        early_exit.understood = False
        for name in set(os.environ) - set(variables):
            del os.environ[name]
        asyncio.set_event_loop(None)


@contextmanager
def _without_traces(shell: Any) -> Iterator[None]:
    """Whoever asked to hear of cells hears nothing; what the shell knows of them is forgotten."""
    kept, emitter = shell.events.callbacks, shell.kernel.emitter
    names, hidden = dict(shell.user_ns), dict(shell.user_ns_hidden)
    shell.events.callbacks = {name: [] for name in kept}
    lines = set(linecache.cache)
    try:
        yield
    finally:
        shell.events.callbacks, shell.kernel.emitter = kept, emitter
        shell.compile._filename_map.clear()
        for name in set(linecache.cache) - lines:
            del linecache.cache[name]
        shell.last_execution_result, shell._code_name = None, None
        shell.kernel.parent, shell.kernel.interrupts = {}, None
        for known, before in ((shell.user_ns, names), (shell.user_ns_hidden, hidden)):
            known.clear()
            known.update(before)
        _forget_cells(shell)


def _forget_cells(shell: Any) -> None:
    history = shell.history_manager
    for inputs in (history.input_hist_parsed, history.input_hist_raw):
        del inputs[1:]
    history.db_input_cache = []
    history._i00 = history._i = history._ii = history._iii = ""
    shell.execution_count = 1
