"""Scraps: named values that a notebook hands out, in scrapbook's spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.records.store import Store

SCRAP_PREFIX = "application/scrapbook.scrap."


def is_scrap(data: Mapping[str, Any]) -> bool:
    """Whether a MIME bundle hands out a value."""
    return any(mime.startswith(SCRAP_PREFIX) for mime in data)


def scraps_in(data: Mapping[str, Any]) -> dict[str, Any]:
    """The scraps of a MIME bundle: name to value."""
    found = {}
    for mime, payload in data.items():
        if mime.startswith(SCRAP_PREFIX) and isinstance(payload, dict) and "name" in payload:
            found[str(payload["name"])] = payload.get("data")
    return found


def scraps_of(store: Store, run: str) -> Mapping[str, Any]:
    """The scraps of a run, which is named as `Store.find` allows."""
    return store.find(run).record().scraps
