"""Only what an operation says in words: for commands whose answer is read by a program."""

from __future__ import annotations

from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


class NoticesView(View):
    """Writes lines to standard error, and nothing about single cells."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def on_said(self, text: str) -> None:
        self._screen.print(text)
