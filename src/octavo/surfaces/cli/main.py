"""The program `octavo`: start the kernel first, then load everything else.

Nothing heavy is imported at the top of this module: for `octavo run` the interpreter of the
notebook boots in the meantime.
"""

from __future__ import annotations

import gc
import os
import sys


def entry() -> None:
    """What the console script calls. Taking the interpreter apart would only cost time."""
    _fill_closed_streams()
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _fill_closed_streams() -> None:
    """A closed standard stream leads nowhere, before another file takes its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115


def main(arguments: list[str]) -> int:
    """Run one command; its exit code."""
    started = None
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [*arguments[1:], "--help"]
    if arguments[:1] == ["run"]:
        from octavo.surfaces.cli.handover import hand_over

        code = hand_over(arguments)
        if code is not None:
            return code
        from octavo.app.prestart import prestart

        started = prestart(arguments[1:])
        _load_asyncio()
    elif arguments[:1] == ["git-clean"]:
        from octavo.surfaces.cli.git_clean import git_clean

        return git_clean(arguments[1:])
    elif not arguments or arguments[0] in ("-h", "--help", "help"):
        return _overview()
    from octavo.surfaces.cli.command import run_command

    return run_command(arguments, started)


def _overview() -> int:
    from octavo.surfaces.cli.overview import overview

    try:
        sys.stdout.write(overview())
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stderr.write(f"octavo: standard output cannot be written: {error.strerror}\n")
        return 3
    return 0


def _load_asyncio() -> None:
    """asyncio without TLS: this process never speaks it, and loading it takes as long as Python."""
    gc.disable()
    if "ssl" in sys.modules:
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]
    try:
        __import__("asyncio")
    finally:
        del sys.modules["ssl"]
