"""Tables put into and taken out of TOML text, which otherwise stays as it is written."""

from __future__ import annotations

import json
import re
from typing import Any

_HEADER = re.compile(r"\s*\[+\s*(?P<name>[^\]]*?)\s*\]+\s*(#.*)?$")


def read(text: str) -> Any:
    import tomllib

    return tomllib.loads(text)


def put(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """The text with a table at its end."""
    # A string of JSON means the same in TOML, as does a list of them.
    lines = [
        f"[{section}.{name}]",
        *(f"{key} = {json.dumps(each, ensure_ascii=False)}" for key, each in entry.items()),
    ]
    if text and not text.endswith("\n"):
        text += "\n"
    gap = "\n" if text.strip() else ""
    return text + gap + "\n".join(lines) + "\n"


def take(text: str, section: str, name: str) -> str:
    """The text without a table and those below it."""
    kept: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        header = _HEADER.match(line.rstrip("\n"))
        if header:
            parts = [part.strip().strip("\"'") for part in header["name"].split(".")]
            ours = parts[:2] == [section, name]
        if not ours:
            kept.append(line)
    return "".join(kept)
