"""Operations on live sessions and on work that goes on without its client."""

from __future__ import annotations

from octavo.app.table.entry import Entry

ENTRIES: tuple[Entry, ...] = ()
