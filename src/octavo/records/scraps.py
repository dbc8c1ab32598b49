"""Scraps: named values that a notebook hands out, in scrapbook's spelling.

A scrap is data, a display, or both. The last data under a name counts; a display that comes
before or after it under the same name belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from octavo.value import EMPTY, Value

if TYPE_CHECKING:
    from octavo.records.store import Store

SCRAP_PREFIX = "application/scrapbook.scrap."
#: What stands for a null, which scrapbook's readers refuse.
NULL_SCRAP = "application/vnd.octavo.scrapbook.null+json"
#: Stands in every output that hands out something, so others need not be looked into.
MARK = b"scrapbook"
#: Encoders whose payload is the value itself.
PLAIN = ("json", "text")
_OF_TABLES = ("rows", "columns")
#: No file is larger, so a note that says so was not written by us.
_LARGEST = 2**63


class Glued(Value):
    """A scrap as outputs hold it: `payload` is still encoded, `display` is an output.

    `times` counts how often data was handed out under the name. `size` is the bytes of what is
    encoded. `told` is what else is known: rows and columns of a table, and of a scrap that was
    too large for its output, the file and line it is in.
    """

    name: str
    encoder: str
    payload: Any = None
    display: Mapping[str, Any] | None = None
    times: int = 0
    size: int = 0
    told: Mapping[str, Any] = EMPTY

    @property
    def has_data(self) -> bool:
        return self.times > 0

    @property
    def left_out(self) -> bool:
        """Whether the value is not in the output, but in a file of the record."""
        return "file" in self.told

    def summary(self) -> Any:
        """The value itself where that is plain; else a mapping with `encoder` that describes it."""
        if not self.has_data:
            media = list(self.display["data"]) if self.display else []
            return {"encoder": self.encoder, "media": media}
        if self.encoder in PLAIN and not self.left_out:
            return self.payload
        return {"encoder": self.encoder, **self.told, "bytes": self.size}


class ScrapFold:
    """Takes outputs in order and holds the scraps in them.

    With `light`, what is only described is not kept: tables, and the content of displays.
    """

    def __init__(self, *, light: bool = False) -> None:
        self.scraps: dict[str, Glued] = {}
        self._light = light

    def take(self, data: Any, metadata: Any, kind: str = "display_data") -> None:
        """Take in one output; what is not as it should be is passed over."""
        if not isinstance(data, Mapping) or not isinstance(metadata, Mapping):
            return
        glued = list(_glued(data, metadata))
        shown = _shown_name(metadata)
        display = None
        if shown is not None:
            kept = dict.fromkeys(data) if self._light else data
            display = {"output_type": kind, "data": kept, "metadata": metadata}
        for each in glued:
            self._add(each.replace(display=display) if each.name == shown else each)
        if shown is not None and all(each.name != shown for each in glued):
            self._show(shown, display)

    def summaries(self) -> dict[str, Any]:
        """What a record says of the scraps, by name."""
        return {name: glued.summary() for name, glued in self.scraps.items()}

    def _add(self, glued: Glued) -> None:
        earlier = self.scraps.get(glued.name)
        if earlier is not None:
            alone = earlier.display if not earlier.has_data else None
            glued = glued.replace(times=earlier.times + 1, display=glued.display or alone)
        if self._light and glued.encoder not in PLAIN:
            glued = glued.replace(payload=None)
        self.scraps[glued.name] = glued

    def _show(self, name: str, display: Mapping[str, Any] | None) -> None:
        earlier = self.scraps.get(name)
        if earlier is None:
            self.scraps[name] = Glued(name, "display", None, display)
        else:
            self.scraps[name] = earlier.replace(display=display)


def is_scrap(data: Mapping[str, Any]) -> bool:
    """Whether a MIME bundle hands out a value."""
    return any(is_scrap_type(mime) for mime in data)


def is_scrap_type(mime: str) -> bool:
    """Whether a media type is that of a value that is handed out."""
    return mime.startswith(SCRAP_PREFIX) or mime == NULL_SCRAP


def scraps_in(data: Mapping[str, Any], metadata: Mapping[str, Any] = EMPTY) -> dict[str, Any]:
    """The values in a MIME bundle by name; tables and the like are described."""
    return {glued.name: glued.summary() for glued in _glued(data, metadata)}


def scraps_of(store: Store, run: str) -> Mapping[str, Any]:
    """The scraps of a run, which is named as `Store.find` allows."""
    return store.find(run).record().scraps


def left_out_note(
    data: Mapping[str, Any], metadata: Mapping[str, Any], file: str, line: int, size: int
) -> dict[str, Any]:
    """The metadata of an output whose scrap was too large for it."""
    for glued in _glued(data, metadata):
        told = {"name": glued.name, "encoder": glued.encoder, "bytes": size, **glued.told}
        return {**metadata, "octavo": {"left_out": {**told, "file": file, "line": line}}}
    return dict(metadata)


def _glued(data: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[Glued]:
    own = metadata.get("octavo")
    told = own if isinstance(own, Mapping) else EMPTY
    for mime, payload in data.items():
        if not is_scrap_type(str(mime)) or not isinstance(payload, Mapping):
            continue
        name, encoder = payload.get("name"), payload.get("encoder")
        if isinstance(name, str):
            spelled = encoder if isinstance(encoder, str) else _encoder_of(str(mime))
            content = payload.get("data")
            about = {key: told[key] for key in _OF_TABLES if key in told}
            yield Glued(name, spelled, content, None, 1, _size(content), about)
    yield from _left_out(told.get("left_out"))


def _left_out(note: Any) -> Iterator[Glued]:
    if not isinstance(note, Mapping):
        return
    name, encoder, size = note.get("name"), note.get("encoder"), note.get("bytes")
    if not isinstance(size, int) or not 0 <= size < _LARGEST:
        return
    if isinstance(name, str) and isinstance(encoder, str):
        told = {key: note[key] for key in (*_OF_TABLES, "file", "line") if key in note}
        yield Glued(name, encoder, None, None, 1, size, told)


def _shown_name(metadata: Mapping[str, Any]) -> str | None:
    told = metadata.get("scrapbook")
    if not isinstance(told, Mapping) or not told.get("display"):
        return None
    name = told.get("name")
    return name if isinstance(name, str) and name else None


def _encoder_of(mime: str) -> str:
    return mime.removeprefix(SCRAP_PREFIX).partition("+")[0]


def _size(content: Any) -> int:
    """The bytes of what is encoded as base64; nobody asks it of plain values."""
    return len(content) * 3 // 4 if isinstance(content, str) else 0
