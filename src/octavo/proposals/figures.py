"""The figures that a change made different: images in the outputs of both runs."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell
from octavo.value import Value

SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}
#: What is shown of a change; more is counted.
MOST = 8
_LARGEST = 4_000_000


class Image(Value):
    """An image in an output."""

    media_type: str
    content: bytes

    @property
    def name(self) -> str:
        """A name for a file with this very content."""
        return sha256(self.content).hexdigest()[:16] + SUFFIXES[self.media_type]


class Figure(Value):
    """An image before and after; None where it is not there. `cell` is an index in the run."""

    cell: int
    before: Image | None
    after: Image | None


def changed_figures(before: Path | None, after: Path | None) -> tuple[Figure, ...]:
    """The images that differ between two executed notebooks, in the order of the second."""
    old, new = _cells(before), _cells(after)
    pairs = match_cells([_cell(each) for each in old], [_cell(each) for each in new])
    found: list[Figure] = []
    for at, cell in enumerate(new):
        images = list(_images(cell))
        others = list(_images(old[pairs[at]])) if at in pairs else []
        for place in range(max(len(images), len(others))):
            one = others[place] if place < len(others) else None
            other = images[place] if place < len(images) else None
            if one != other:
                found.append(Figure(at, one, other))
    return tuple(found)


def _cells(path: Path | None) -> Sequence[Mapping[str, Any]]:
    if path is None:
        return ()
    cells = json.loads(path.read_bytes()).get("cells", ())
    return [cell for cell in cells if cell.get("cell_type") == "code"]


def _cell(cell: Mapping[str, Any]) -> Cell:
    source = cell.get("source", "")
    return Cell("code", "".join(source) if isinstance(source, list) else str(source))


def _images(cell: Mapping[str, Any]) -> Iterator[Image]:
    for output in cell.get("outputs", ()):
        data = output.get("data")
        if not isinstance(data, Mapping):
            continue
        media = next((each for each in SUFFIXES if each in data), None)
        image = _decoded(media, data[media]) if media else None
        if image is not None:
            yield image


def _decoded(media_type: str, text: Any) -> Image | None:
    joined = "".join(text) if isinstance(text, list) else text
    try:
        content = base64.b64decode(joined)
    except (binascii.Error, TypeError, ValueError):
        return None
    return Image(media_type, content) if 0 < len(content) <= _LARGEST else None
