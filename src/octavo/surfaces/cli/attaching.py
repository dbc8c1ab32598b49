"""`octavo session attach`: a session from the terminal, line by line.

Lines can be edited, code of several lines ends with an empty one, output is shown as it comes.
Ctrl-C interrupts what is being executed; Ctrl-D leaves, and the session goes on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from octavo.app.context import Context
from octavo.errors import OctavoError
from octavo.render.columns import coloured, plain, settled
from octavo.sessions.client import Caller
from octavo.sessions.requests import AttachRequest
from octavo.sessions.values import Answer, SessionInfo
from octavo.surfaces.cli.progress.open_line import Lines, OpenLine
from octavo.surfaces.cli.screen import Screen

FIRST, MORE = ">>> ", "... "
#: Outputs that have a text, in the order of preference.
_TEXTS = ("text/markdown", "text/plain")


class Attached(Answer):
    """A session that was left; `executed` cells came from here."""

    session: str
    executed: int


async def attach(request: AttachRequest, context: Context) -> Answer:
    """Work in a session until the input ends."""
    if request.jupyter:
        from octavo.sessions.serving.operation import serve

        return await serve(request, context)
    caller = Caller.open(context.runtime, request.session)
    try:
        return _Terminal(caller, context, sys.stdout, sys.stderr).run()
    finally:
        caller.close()


class _Terminal:
    """Reads code, has it executed, shows what comes."""

    def __init__(self, caller: Caller, context: Context, out: TextIO, err: TextIO) -> None:
        self._caller = caller
        self._context = context
        self._out = out
        self._err = err
        self._executed = 0
        self._shown = {"stdout": _Stream(out), "stderr": _Stream(err)}
        self._info = SessionInfo.from_json(caller.call("info"))

    def run(self) -> Attached:
        self._edit_lines()
        info = self._info
        where = f", {info.notebook}" if info.notebook else ""
        self._say(f"session {info.short}{where}; Ctrl-C interrupts, Ctrl-D leaves it alive")
        if info.state == "busy":
            self._say("it is executing something: what you enter waits for its turn")
        while (code := self._read()) is not None:
            if code.strip():
                self._execute(code)
        self._say(f"\nleft {info.short}; octavo session attach {info.short} comes back")
        return Attached(info.short, self._executed)

    def _edit_lines(self) -> None:
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401

    def _read(self) -> str | None:
        """The next piece of code; None at the end of the input."""
        lines: list[str] = []
        while True:
            try:
                lines.append(self._line(MORE if lines else FIRST))
            except EOFError:
                return "\n".join(lines) if lines else None
            except KeyboardInterrupt:
                self._say("")
                lines.clear()
                continue
            if is_complete(lines):
                return "\n".join(lines)

    def _line(self, prompt: str) -> str:
        if sys.stdin.isatty():
            return input(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")

    def _execute(self, code: str) -> None:
        self._executed += 1
        try:
            answer = self._followed(code)
        except OctavoError as error:
            if error.kind in ("session-dead", "session-lost"):
                raise
            hint = f"\n  hint: {error.hint}" if error.hint else ""
            self._say(f"{error.message}{hint}")
            return
        self._end_lines()
        self._tell(answer)

    def _followed(self, code: str) -> Mapping[str, Any]:
        """The answer; Ctrl-C on the way interrupts the code, and its answer is waited for."""
        request = f"attach-{id(self)}-{self._executed}"
        while True:
            try:
                answer: Mapping[str, Any] = self._caller.call(
                    "exec", on_event=self._show, code=code, request_id=request
                )
                return answer
            except KeyboardInterrupt:
                other = Caller.open(self._context.runtime, self._info.id)
                try:
                    other.call("interrupt")
                finally:
                    other.close()

    def _tell(self, answer: Mapping[str, Any]) -> None:
        if answer["status"] in ("interrupted", "timed-out", "kernel-died"):
            self._say(str(answer["status"]))
        for note in answer.get("notes", ()):
            if not note.startswith("joined"):
                self._say(f"  {plain(note)}")
        if answer["status"] == "kernel-died":
            self._say(f"  {answer.get('next')}")

    def _show(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "stream":
            name = "stderr" if event.get("name") == "stderr" else "stdout"
            self._end_lines(but=name)
            self._shown[name].write(str(event.get("text")))
        elif kind in ("display", "execute-result"):
            self._write(self._out, f"{_text(event.get('data') or {})}\n")
        elif kind == "error":
            show = coloured if self._err.isatty() else plain
            lines = [show(line) for each in event.get("traceback") or () for line in _lines(each)]
            self._write(self._err, "\n".join(lines) + "\n")

    def _write(self, stream: TextIO, text: str) -> None:
        self._end_lines()
        stream.write(text)
        stream.flush()

    def _end_lines(self, but: str = "") -> None:
        for name, stream in self._shown.items():
            if name != but:
                stream.end()

    def _say(self, text: str) -> None:
        self._err.write(f"{text}\n")
        self._err.flush()


class _Stream:
    """Standard output or error: a line as it is at the moment, through a pipe as it was at last."""

    def __init__(self, stream: TextIO) -> None:
        self._screen = Screen(stream, os.environ)
        self._line = OpenLine(self._screen)
        self._lines = Lines()

    def write(self, text: str) -> None:
        self._print(self._lines.take(text))
        self._line.draw(self._lines.open)

    def end(self) -> None:
        self._print(self._lines.end())

    def _print(self, lines: list[str]) -> None:
        if lines:
            self._line.wipe()
            self._screen.print(*(coloured(settled(line)) for line in lines))


def is_complete(lines: list[str]) -> bool:
    """Whether lines are to be executed; blocks end with an empty line, as in Python's own."""
    first = lines[0].lstrip()
    if first.startswith(("%%", "!!")):
        return lines[-1] == ""
    if not first or first.startswith(("%", "!", "?")) or first.endswith("?"):
        return True
    from codeop import compile_command

    try:
        return compile_command("\n".join(lines), symbol="single") is not None
    except (SyntaxError, ValueError, OverflowError):
        return True


def _lines(text: object) -> list[str]:
    return str(text).split("\n")


def _text(data: Mapping[str, Any]) -> str:
    for mime in _TEXTS:
        if mime in data:
            return coloured(str(data[mime]))
    return f"[{', '.join(data)}]"
