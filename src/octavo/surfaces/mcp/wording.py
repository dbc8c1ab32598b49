"""Answers in words for whoever calls tools: places of the project, not of this machine, and
names of tools, not of commands.

Only what we say ourselves is worded so. What code printed, a source or a value is told as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from typing import Any

from octavo.errors import OctavoError
from octavo.surfaces.mcp.hints import in_tools, in_words

#: Where Python keeps modules; what follows says which one it is.
_MODULES = re.compile(r"(?<![\w.])/[^\s'\"<>|,;()]*?/(?:site-packages|lib/python3\.\d+)/")
_BEFORE = r"(?<![\w/.~-])"
_AFTER = r"(?![\w.-])"
#: What comes from notebooks, from code and from people.
_DATA = frozenset(
    {
        "text", "source", "ename", "evalue", "scraps", "parameters", "variables", "preview",
        "diff", "removed", "markdown", "expected", "got", "title", "description", "body", "value",
        "values", "data", "code", "name", "handle", "key", "branch", "commit", "url",
    }
)  # fmt: skip
#: Hints for the user of the machine, who may know of all that there is.
_HINT_OF = {
    "session-not-found": "session_start begins one; with restore=ID it brings back one that ended",
}
#: What says how to go on.
_HINTS = frozenset({"hint", "next"})


class Wording:
    """Words of one project."""

    def __init__(self, project: str, home: str = "", runtime: str = "") -> None:
        known = [(project, "."), (runtime, "$XDG_RUNTIME_DIR"), (home, "~")]
        if home and project.startswith(f"{home}/"):
            # As it is told where home was put in short already.
            known.append((f"~{project.removeprefix(home)}", "."))
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

    def error(self, error: OctavoError, arguments: Collection[str] = ()) -> dict[str, Any]:
        """An error of a tool that takes some arguments."""
        return {
            "kind": error.kind,
            "message": self.text(in_words(error.message, arguments)),
            "place": self.text(in_words(error.place, arguments)) or None,
            "hint": self.text(_HINT_OF.get(error.kind) or in_tools(error.hint, arguments)) or None,
            "retryable": error.retryable,
        }

    def answer(self, value: Any, arguments: Collection[str] = (), name: str = "") -> Any:
        """An answer of such a tool, or a part of it with a name."""
        if isinstance(value, str):
            told = in_tools(value, arguments) if name in _HINTS else in_words(value, arguments)
            return _program(self.text(told)) if name == "python" else self.text(told)
        if isinstance(value, Mapping):
            return {
                key: each if key in _DATA else self.answer(each, arguments, key)
                for key, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.answer(each, arguments, name) for each in value]
        return value


def _program(path: str) -> str:
    """An interpreter; of one that is not in the project the name."""
    return os.path.basename(path) if os.path.isabs(path) else path


def wording_for(project: str, environ: Mapping[str, str], runtime: str) -> Wording:
    """The words of a server of a project."""
    home = environ.get("HOME") or ""
    return Wording(project, os.path.realpath(home) if home else "", runtime)
