"""The working directory of a session as it was at its snapshots."""

from __future__ import annotations

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from octavo.sessions.files.listing import Change, FileState, Folder, Listing

#: How long the first execution waits for files to be copied, in seconds.
_MOMENT = 0.2
#: How long it waits for the folder to be looked at, and how long those after it do.
_FIRST_PATIENCE, _PATIENCE = 1.0, 0.1
#: How long copying rests while the folder is looked at.
_BREATH = 0.005
#: The number of the listing from the beginning of a session, before any snapshot.
BEGINNING = 0


class Workplace:
    """Listings of the working directory, by the numbers of snapshots."""

    def __init__(self, root: str, kept: Path) -> None:
        self._folder = Folder(root, kept)
        self._listings: dict[int, Listing] = {}
        self._keeping: set[asyncio.Future[object]] = set()
        #: Contents are copied one listing after the other: nobody who looks waits for a thread.
        self._copier = ThreadPoolExecutor(1, "copier")
        self._dropped = False
        self._over = False
        #: The look that is being taken; whether it is taken now, and is to end at once.
        self._noting: asyncio.Future[None] | None = None
        self._looking = False
        self._hurry = False
        #: The numbers under which something is to be remembered.
        self._wanted: set[int] = set()
        self.begun = False
        #: Files that going back left as they were: what they are, and what they would be.
        self._left: dict[str, tuple[FileState | None, FileState | None]] = {}
        self._left_folders: frozenset[str] = frozenset()
        #: When cells were executed, or files brought back: what was changed at other times was
        #: changed by others.
        self.during: list[tuple[float, float]] = []

    @property
    def at_rest(self) -> bool:
        """Whether nothing is being looked at or copied."""
        return not self._keeping and (self._noting is None or self._noting.done())

    async def begin(self) -> None:
        """Remember what lies there before anything is executed; idle sessions need none of it."""
        self.begun = True
        self.note(BEGINNING)
        await self.noted(_FIRST_PATIENCE)
        if self._keeping:
            await asyncio.wait(self._keeping, timeout=_MOMENT)

    def note(self, number: int) -> None:
        """Begin to remember what lies there now. Whoever is going to change it waits for `noted`;
        contents are copied while work goes on.
        """
        self._wanted.add(number)
        self._noting = asyncio.ensure_future(self._note(number, self._noting))

    async def noted(self, patience: float = _PATIENCE) -> None:
        """Until it is remembered. In a folder of very many files that is given up, so that nobody
        waits for long; then it is not known what lay there.
        """
        noting = self._noting
        if noting is None:
            return
        await asyncio.wait({noting}, timeout=patience)
        if not noting.done():
            self._hurry = True
            await asyncio.wait({noting})
            self._hurry = False
        self._noting = None

    def is_missing(self, number: int) -> bool:
        """Whether it was given up to remember what lay there."""
        return number in self._wanted and number not in self._listings

    async def _note(self, number: int, before: asyncio.Future[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self._looking = True
        try:
            found = await asyncio.to_thread(self._folder.note_unless, lambda: self._hurry)
        finally:
            self._looking = False
        if found is not None and number in self._wanted:
            self._remember(number, self._as_it_would_be(found))

    def _remember(self, number: int, listing: Listing) -> None:
        known = any(each is listing for each in self._listings.values())
        self._listings[number] = listing
        if known:
            return
        keeping = asyncio.get_running_loop().run_in_executor(self._copier, self._keep, listing)
        self._keeping.add(keeping)
        keeping.add_done_callback(self._kept)

    def drop(self, *numbers: int) -> None:
        for number in numbers:
            self._wanted.discard(number)
            self._dropped = self._listings.pop(number, None) is not None or self._dropped

    async def since(self, number: int, *, restore: bool) -> tuple[Change, ...]:
        """What is not as it was then; with `restore` it is brought back as far as it can be."""
        if self._noting is not None:
            await asyncio.wait({self._noting})
        listing = self._listings.get(number)
        if listing is None and self._left:
            listing = self._as_it_would_be(await asyncio.to_thread(self._folder.note))
        if listing is None:
            return ()
        await self._settled()
        if restore:
            self._left.clear()
            self._left_folders = frozenset()
            return await self._restored(listing)
        now = await asyncio.to_thread(self._folder.note)
        found = self._folder.changes(listing, now)
        for each in found:
            self._left[each.path] = now.files.get(each.path), listing.files.get(each.path)
        self._left_folders |= now.folders - listing.folders
        return found

    async def _restored(self, listing: Listing) -> tuple[Change, ...]:
        """Bring the files back. What is put there is ours, so that it can be taken away again."""
        during, started = tuple(self.during), time.time()
        try:
            return await asyncio.to_thread(lambda: self._folder.restore(listing, during=during))
        finally:
            self.during.append((started, time.time()))

    def _as_it_would_be(self, listing: Listing) -> Listing:
        """What would lie there if all that was told on the way back had been brought back, so
        that it still can be. A file that was written since is what it is.
        """
        if not self._left and not self._left_folders:
            return listing
        files = dict(listing.files)
        for path, (seen, wanted) in list(self._left.items()):
            if files.get(path) != seen:
                del self._left[path]
            elif wanted is None:
                files.pop(path, None)
            else:
                files[path] = wanted
        used = {parent for path in files for parent in _parents(path)}
        return listing.replace(files=files, folders=listing.folders - self._left_folders | used)

    async def end(self) -> None:
        self._over = True
        await self.noted(0.0)
        await self._settled()
        self._copier.shutdown(wait=False)
        await asyncio.to_thread(self._folder.forget)

    def _keep(self, listing: Listing) -> object:
        if self._over:
            return ()
        if self._dropped:
            self._dropped = False
            self._folder.retain([*self._listings.values(), listing])
        return self._folder.keep(listing, self._given_up)

    def _given_up(self) -> bool:
        """Asked before each file is copied; while somebody waits for a look, that has to wait."""
        while self._looking and not self._over:
            time.sleep(_BREATH)
        return self._over

    def _kept(self, keeping: asyncio.Future[object]) -> None:
        self._keeping.discard(keeping)
        if not keeping.cancelled():
            keeping.exception()  # a copy that cannot be made is told when it is wanted

    async def _settled(self) -> None:
        if self._keeping:
            await asyncio.wait(self._keeping)


def _parents(path: str) -> list[str]:
    """The folders that a path is in, below the working directory."""
    parts = path.split(os.sep)
    return [os.sep.join(parts[:count]) for count in range(1, len(parts))]
