"""`octavo sync --watch`: a line whenever something was done."""

from __future__ import annotations

from typing import Any

from octavo.authoring.sync import SyncedFile
from octavo.render.syncing import sync_lines
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


class WatchView(View):
    """Shows what becomes of each pair as it happens, until Ctrl-C."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen
        self.say("watching, Ctrl-C to end")

    @property
    def running(self) -> bool:
        return True

    def show(self, happened: Any) -> None:
        if isinstance(happened, SyncedFile):
            lines = sync_lines((happened,), checked=False, style=self._screen.style)
            self._guarded(self._screen.print, *lines)
        else:
            super().show(happened)

    def on_said(self, text: str) -> None:
        self._screen.print(self._screen.style.paint(text, "dim"))

    def stopping(self, again: bool) -> None:
        """Nothing is lost by ending; the terminal has written `^C`."""
        if self._screen.is_terminal:
            self._guarded(self._screen.print, "")
