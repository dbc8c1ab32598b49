"""The images in an executed notebook, as files that a page can show."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

FIGURES = "figures"
#: What is put into files; a drawing (SVG) can hold a program, so it stays in the notebook.
SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
MOST = 8


def figures_in(document: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Suffix and content of the first images, in the order of the notebook."""
    yield from islice(_all(document), MOST)


def _all(document: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    for cell in document.get("cells", ()):
        for output in cell.get("outputs", ()):
            data = output.get("data")
            if not isinstance(data, Mapping):
                continue
            media = next((each for each in SUFFIXES if each in data), None)
            content = _decoded(data[media]) if media else b""
            if media and content:
                yield SUFFIXES[media], content


def _decoded(value: Any) -> bytes:
    try:
        text = "".join(value) if isinstance(value, list) else value
        return base64.b64decode(text)
    except (binascii.Error, TypeError, ValueError):
        return b""
