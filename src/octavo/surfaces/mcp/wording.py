"""Answers in words for a client elsewhere: places of the project, and none of this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

#: Where Python keeps modules; what follows says which one it is.
_MODULES = re.compile(r"(?<![\w.])/[^\s'\"<>|,;()]*?/(?:site-packages|lib/python3\.\d+)/")
_BEFORE = r"(?<![\w/.~-])"
_AFTER = r"(?![\w.-])"


class Wording:
    """Tells paths of one project as its clients name them."""

    def __init__(self, project: str, home: str = "", runtime: str = "") -> None:
        known = [(project, "."), (runtime, "$XDG_RUNTIME_DIR"), (home, "~")]
        self._known = [
            (re.compile(f"{_BEFORE}{re.escape(path)}{after}"), short)
            for path, name in sorted(known, key=lambda each: -len(each[0]))
            if len(path) > 1
            for after, short in (("/", "" if name == "." else f"{name}/"), (_AFTER, name))
        ]

    def text(self, text: str) -> str:
        """The same words; a path in the project is relative to it."""
        if "/" not in text:
            return text
        for pattern, short in self._known:
            text = pattern.sub(short, text)
        return _MODULES.sub("", text)

    def whole(self, value: Any, keep: frozenset[str] = frozenset()) -> Any:
        """The same of all texts in an answer, but for those under some names."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                name: each if name in keep else self.whole(each, keep)
                for name, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.whole(each, keep) for each in value]
        return value


def relative_to(project: str, environ: Mapping[str, str], runtime: str) -> Wording:
    """The wording of a server of a project."""
    home = environ.get("HOME") or ""
    return Wording(project, os.path.realpath(home) if home else "", runtime)
