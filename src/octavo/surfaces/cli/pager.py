"""Long text in the reader's pager; short text, and text for no reader, as it is."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from octavo.surfaces.cli.screen import Screen

#: What `less` is told unless its user says otherwise: end at once where all fits, colours as they
#: are, and leave the text on the screen.
LESS = "FRX"


class Pager:
    """Decides once whether text may be paged, and by which program."""

    def __init__(self, out: Screen, environ: Mapping[str, str], *, wanted: bool = True) -> None:
        self._out = out
        self._environ = environ
        self._command = _command(environ) if wanted and out.live else None

    def takes(self, lines: Sequence[str]) -> bool:
        """Whether these lines go to the pager: there is one, and they are more than a screen."""
        return self._command is not None and len(lines) >= self._out.rows

    def print(self, lines: Sequence[str]) -> None:
        """Show the lines; a reader who leaves early is not an error."""
        if not self.takes(lines) or not self._paged("".join(f"{line}\n" for line in lines)):
            self._out.print(*lines)

    def _paged(self, text: str) -> bool:
        """Whether the pager could be started; it has ended by then."""
        import subprocess

        assert self._command is not None
        with _ctrl_c_is_for_the_pager():
            try:
                process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, env=self._variables(self._command[0])
                )
            except OSError:
                return False
            _feed(process, self._out.encoded(text))
        return True

    def _variables(self, program: str) -> dict[str, str]:
        variables = dict(self._environ)
        if os.path.basename(program) == "less":
            variables.setdefault("LESS", LESS)
            if self._out.style.unicode:
                variables.setdefault("LESSCHARSET", "utf-8")
        return variables


def _command(environ: Mapping[str, str]) -> list[str] | None:
    """The pager of the reader's choice, else `less`; None where there is to be none."""
    import shlex

    told = environ.get("OCTAVO_PAGER", environ.get("PAGER", "less"))
    try:
        words = shlex.split(told)
    except ValueError:
        return None
    if not words or os.path.basename(words[0]) == "cat":
        return None
    if os.path.basename(words[0]) == "less":
        # A `LESS` of the reader's own may lack it, and then colours are unreadable.
        words.insert(1, "-R")
    return words


def _feed(process: Any, content: bytes) -> None:
    """Hand all over and wait until the reader has left."""
    try:
        process.stdin.write(content)
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.wait()


@contextmanager
def _ctrl_c_is_for_the_pager() -> Iterator[None]:
    """A handler that does nothing: unlike an ignored signal, the pager does not inherit it."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
