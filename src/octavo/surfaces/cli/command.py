"""One command from its words to its exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

from octavo.app.context import Context, current
from octavo.app.table import load
from octavo.app.table.entry import Entry
from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.surfaces.cli import failure, standard_output
from octavo.surfaces.cli.commands import COMMANDS, family, named
from octavo.surfaces.cli.interrupts import Interrupts
from octavo.surfaces.cli.parser import Asked, closest, parse
from octavo.surfaces.cli.present import show_result
from octavo.surfaces.cli.progress import View, live_cells, live_outputs, view_for
from octavo.surfaces.cli.screen import Screen
from octavo.surfaces.cli.shape import Shape

INTERRUPTED = 130
HELP = ("-h", "--help")
SHOWN_AS_IT_COMES = ("session exec", "session run-cell", "session edit")
CELLS_SHOWN_AS_THEY_END = ("session run-all",)


def run_command(arguments: list[str], started: Any = None, client: Any = None) -> int:
    """Parse, call one operation, present its result or its error.

    `client` is the socket of whoever handed this command over; when it closes, the work stops.
    """
    out, err = Screen(_open(sys.stdout), os.environ), Screen(_open(sys.stderr), os.environ)
    try:
        if problem := _nowhere():
            return _presented(problem, out, err, as_json="--json" in arguments)
        return _told(_Command(arguments, out, err, started, client))
    except BrokenPipeError:
        _write_nowhere()
        return 0
    finally:
        if started is not None:
            started.end()


def _told(command: _Command) -> int:
    """The exit code of a command; whatever went wrong has been told."""
    try:
        return command.run()
    except OctavoError as error:
        problem = error
    except KeyboardInterrupt:
        command.err.print("octavo: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except RecursionError:
        hint = "look at its metadata and outputs, or clear them"
        problem = UsageError("notebook-invalid", "what it holds is nested too deeply", hint=hint)
    except Exception as error:
        problem = failure.internal(error, command.context.cache, os.environ)
        command.err.write(str(problem.details.pop("traceback", "")))
    return _presented(problem, command.out, command.err, as_json=command.as_json)


def _presented(problem: OctavoError, out: Screen, err: Screen, *, as_json: bool) -> int:
    try:
        failure.present(problem, out, err, as_json=as_json)
    except OSError:
        _write_nowhere()
    return problem.exit_code


def _nowhere() -> OctavoError | None:
    """What is to be said where the current folder was deleted."""
    try:
        os.getcwd()
    except OSError:
        hint = "cd to a folder that is there"
        return UsageError("wrong-argument", "the current folder is gone", hint=hint)
    return None


class _Command:
    """The parts of one command."""

    def __init__(
        self, words: list[str], out: Screen, err: Screen, started: Any, client: Any
    ) -> None:
        self.words = words
        self.out = out
        self.err = err
        self.as_json = "--json" in words
        self.context = current(started=started)
        self._client = client

    def run(self) -> int:
        name = self.words[0]
        if name in ("-V", "--version", "version"):
            return self._version()
        entry, words = named(self.words)
        if entry is None and family(name) and (not words or words[0] in HELP):
            return self._help_family(name)
        if entry is None:
            _refuse(self.words)
        shape = Shape(entry)
        if any(word in HELP for word in _before_dashes(words)):
            return self._help(shape)
        asked = parse(shape, words)
        standard_output.refuse_json_too(asked)
        if getattr(asked.options, "help_notebook", False):
            return self._help_notebook(asked)
        return self._operate(entry, asked)

    def _operate(self, entry: Entry, asked: Asked) -> int:
        view = view_for(asked, self.err, self.context)
        self.context.emit = view.show
        self.context.ask = _asking(self.err)
        if not self.as_json:
            self._show_as_it_comes(entry, asked, view)
        try:
            result = asyncio.run(self._call(entry, asked.request, view))
        finally:
            if (shown := view.outputs or view.cells) is not None:
                shown.close()
            view.close()
        code = int(getattr(result, "exit_code", 0))
        return self._printed(lambda: self._show(entry, result, asked, view), code)

    def _show_as_it_comes(self, entry: Entry, asked: Asked, view: View) -> None:
        if entry.name in SHOWN_AS_IT_COMES:
            view.outputs = live_outputs(asked.request.budget, self.out)
            self.context.heard = view.outputs.hear
        elif entry.name in CELLS_SHOWN_AS_THEY_END:
            view.cells = live_cells(asked.request.budget, self.out)
            self.context.heard = view.cells.hear
        shown = view.outputs or view.cells
        if shown is not None:
            self.context.emit = _below(shown.close, view)

    def _show(self, entry: Entry, result: Any, asked: Asked, view: View) -> None:
        """The result on standard output; beside it, where that is to hold a notebook only."""
        if not standard_output.holds_notebook(asked):
            show_result(entry.name, result, asked, view, self.out)
            return
        self.out.write(standard_output.notebook_text(result))
        if result.results:
            show_result(entry.name, result, asked, view, self.err)

    def _printed(self, write: Callable[[], None], code: int = 0) -> int:
        """The exit code after writing to standard output, which nobody may read, or which fails."""
        try:
            write()
        except BrokenPipeError:
            _write_nowhere()
        except OSError as error:
            _write_nowhere()
            self.err.print(f"octavo: standard output cannot be written: {error.strerror}")
            return code or InfrastructureError.exit_code
        return code

    async def _call(self, entry: Entry, request: Any, view: View) -> Any:
        context = self.context
        if self._client is not None:
            loop = asyncio.get_running_loop()
            loop.add_reader(self._client.fileno(), _client_gone, context, self._client)
        operation: Any = load(entry.target)
        interrupts = Interrupts(context.stop, lambda: view.running, view.stopping)
        with interrupts.watched():
            try:
                return await operation(request, context)
            finally:
                await context.close()

    def _help(self, shape: Shape) -> int:
        from octavo.surfaces.cli.usage import usage

        text = usage(shape, columns=min(100, self.out.columns), style=self.out.style)
        return self._printed(lambda: self.out.write(text))

    def _help_family(self, name: str) -> int:
        from octavo.surfaces.cli.overview import of_family

        return self._printed(lambda: self.out.write(of_family(name)))

    def _help_notebook(self, asked: Asked) -> int:
        """Papermill's way to ask for `inspect`."""
        if len(asked.request.paths) != 1:
            raise UsageError(
                "wrong-argument",
                "--help-notebook looks at one notebook",
                hint="octavo run --help-notebook notebook.py",
            )
        words = ["inspect", asked.request.paths[0], *["--json"] * self.as_json]
        return _Command(words, self.out, self.err, None, None).run()

    def _version(self) -> int:
        from octavo import __version__

        return self._printed(lambda: self.out.print(f"octavo {__version__}"))


def _below(end_line: Callable[[], None], view: View) -> Callable[[Any], None]:
    """Shows what an operation emits, below the line that code is writing at the moment."""

    def emit(happened: Any) -> None:
        end_line()
        view.show(happened)

    return emit


def _asking(err: Screen) -> Callable[[str], bool] | None:
    """How to ask who sits at the terminal; None where nobody does."""
    if not err.is_terminal or sys.stdin is None or not sys.stdin.isatty():
        return None

    def ask(question: str) -> bool:
        err.write(f"{question} [y/N] ")
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    return ask


def _before_dashes(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


def _refuse(words: list[str]) -> NoReturn:
    name = words[0]
    if name.startswith("-"):
        message, hint = f"there is no option {name}", "octavo --help"
    else:
        among = family(name)
        firsts = [entry.family or entry.name for entry in COMMANDS]
        seconds = [entry.name.partition(" ")[2] for entry in among]
        close = closest(words[1] if among else name, seconds or firsts)
        of = f"octavo {name}" if among else "octavo"
        message = f"there is no command {' '.join(words[: 1 + bool(among)])!r}"
        hint = f"did you mean `{of} {close}`?" if close else f"{of} --help lists them"
    raise UsageError("wrong-argument", message, hint=hint)


def _client_gone(context: Context, client: Any) -> None:
    asyncio.get_running_loop().remove_reader(client.fileno())
    context.stop.request("the client is gone")


def _open(stream: TextIO | None) -> TextIO:
    """A standard stream; Python has none where the caller closed it."""
    return open(os.devnull, "w") if stream is None else stream


def _write_nowhere() -> None:
    """Nobody takes our output: let the interpreter end without a complaint."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
