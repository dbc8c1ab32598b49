"""`octavo sync --watch`: syncs whenever a script or notebook changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from octavo.authoring.base import Bases
from octavo.authoring.context import AuthoringContext
from octavo.authoring.pairs import Pair
from octavo.authoring.sync import SyncedFile, SyncRequest, SyncResult, pairs_of, sync_pair
from octavo.authoring.syncing import IN_STEP

_POLL_SECONDS = 0.5
_SETTLE_SECONDS = 0.05

Stamp = tuple[int, int]


async def watch(request: SyncRequest, context: AuthoringContext) -> SyncResult:
    """Sync now and after every change, until asked to stop. Outcomes go to `context.emit`."""
    bases = Bases(context.project)
    seen: dict[Pair, tuple[Stamp, Stamp]] = {}
    latest: dict[Pair, SyncedFile] = {}
    stop = getattr(context, "stop", None)
    async for _ in changes(_folders(pairs_of(request, context), request, context), stop):
        for pair in pairs_of(request, context):
            if seen.get(pair) != _stamps(pair):
                await _settled(pair)
                latest[pair] = sync_pair(pair, bases, context.cwd)
                seen[pair] = _stamps(pair)
                if latest[pair].status != IN_STEP:
                    context.emit(latest[pair])
    return SyncResult(tuple(latest.values()))


def _folders(pairs: Sequence[Pair], request: SyncRequest, context: AuthoringContext) -> list[Path]:
    named = request.paths or context.settings.notebooks
    root = Path(context.cwd) if request.paths else context.project
    there = {root / name for name in named if (root / name).is_dir()}
    return sorted(there | {pair.script.parent for pair in pairs})


async def _settled(pair: Pair) -> None:
    """Wait until nobody writes: an editor may write a file in several steps."""
    before = None
    while before != (now := _stamps(pair)):
        before = now
        await asyncio.sleep(_SETTLE_SECONDS)


def _stamps(pair: Pair) -> tuple[Stamp, Stamp]:
    return _stamp(pair.script), _stamp(pair.notebook)


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return (0, -1)
    return (status.st_mtime_ns, status.st_size)


async def changes(folders: Sequence[Path], stop: Any = None) -> AsyncIterator[None]:
    """Yields once at the start, then whenever something in the folders may have changed."""
    yield None
    if stop is not None and stop.requested:
        return
    try:
        import watchfiles
    except ImportError:
        async for _ in _polled(stop):
            yield None
        return
    ended = asyncio.Event()
    waiter = asyncio.ensure_future(_set_when_asked(stop, ended)) if stop is not None else None
    try:
        async for _ in watchfiles.awatch(*folders, watch_filter=_concerns_us, stop_event=ended):
            yield None
    finally:
        if waiter is not None:
            waiter.cancel()


async def _set_when_asked(stop: Any, ended: asyncio.Event) -> None:
    await asyncio.shield(stop.asked)
    ended.set()


def _concerns_us(change: Any, path: str) -> bool:
    return path.endswith((".py", ".md", ".ipynb"))


async def _polled(stop: Any) -> AsyncIterator[None]:
    while stop is None or not stop.requested:
        if stop is None:
            await asyncio.sleep(_POLL_SECONDS)
        else:
            await asyncio.wait([stop.asked], timeout=_POLL_SECONDS)
        if stop is None or not stop.requested:
            yield None
