"""Images that prose names by a path: taken into the page, as far as they belong to the project."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import unquote

#: Larger files are left out, and so is what comes after so many bytes.
LARGEST, MOST = 10_000_000, 50_000_000

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|[/\\#]")
_STARTS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


def local_images(notebook: str, root: str) -> Callable[[str], str | None]:
    """Gives an image beside a notebook as data. What is not below `root` is not looked at."""
    folder, left = os.path.dirname(os.path.abspath(notebook)), [MOST]
    limit = os.path.realpath(root)
    if os.path.commonpath([limit, os.path.realpath(folder)]) != limit:
        limit = os.path.realpath(folder)

    def found(address: str) -> str | None:
        if _SCHEME.match(address) or "\0" in address:
            return None
        path = os.path.realpath(os.path.join(folder, unquote(address.partition("?")[0])))
        if not path.startswith(limit + os.sep) or f"{os.sep}." in path[len(limit) :]:
            return None
        content = _content(path, left[0])
        mime = _mime(content, path)
        if mime is None:
            return None
        left[0] -= len(content)
        return f"data:{mime};base64,{b64encode(content).decode()}"

    return found


def _content(path: str, left: int) -> bytes:
    try:
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        if not 0 < size <= min(LARGEST, left):
            return b""
        with open(path, "rb") as file:
            return file.read(LARGEST)
    except OSError:
        return b""


def _mime(content: bytes, path: str) -> str | None:
    """By what it begins with, not by its name: nothing but an image goes into a page."""
    for start, mime in _STARTS.items():
        if content.startswith(start) and (mime != "image/webp" or content[8:12] == b"WEBP"):
            return mime
    is_svg = path.lower().endswith(".svg") and b"<svg" in content[:4000]
    return "image/svg+xml" if is_svg else None
