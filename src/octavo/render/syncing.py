"""What became of scripts and their notebooks, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from octavo.errors import OctavoError
from octavo.render.style import Style

#: What was done, and what `--check` says would be done.
_DONE = {
    "generated": "{notebook} generated from {script}",
    "regenerated": "{notebook} regenerated from {script}",
    "taken-back": "{script} took over edits from {notebook}",
    "merged": "{script} and {notebook} merged",
}
_TO_DO = {
    "generated": "{notebook} is missing",
    "regenerated": "{notebook} is behind {script}",
    "taken-back": "{script} is behind {notebook}",
    "merged": "{script} and {notebook} have both changed",
}


class Synced(Protocol):
    """A pair of files and how it went."""

    @property
    def script(self) -> str: ...
    @property
    def notebook(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def error(self) -> OctavoError | None: ...


def sync_lines(files: Sequence[Synced], *, checked: bool, style: Style) -> list[str]:
    """A line for each pair; of one that went wrong, what is known of it."""
    return [line for file in files for line in _file(file, checked, style)]


def _file(file: Synced, checked: bool, style: Style) -> list[str]:
    if file.error is not None:
        first, *more = file.error.message.splitlines() or [""]
        hint = [f"  hint: {file.error.hint}"] if file.error.hint else []
        place = file.error.place or file.script
        return [f"{style.sign('failed')} {place}: {first}", *more, *hint]
    if file.status == "in-step":
        return [style.paint(f"{style.pick('·', '.')} {file.script} is in step", "dim")]
    text = (_TO_DO if checked else _DONE)[file.status]
    sign = style.sign("failed" if checked else "succeeded")
    return [f"{sign} {text.format(script=file.script, notebook=file.notebook)}"]
