"""Commands that are killed between any two calls of git or of the forge.

A command runs in a child that has everything loaded; before its call number `at` it is killed as by
`kill -9`, so that nothing of it can tidy up. Calls that only read are not counted: being killed
before one of them is the same as before the next one that changes something.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from octavo.forges.http import Api
from octavo.git.program import Git, command_of

_READING = {"cat-file", "check-ref-format", "check-ignore", "config", "diff", "diff-tree", "remote"}
_READING |= {"for-each-ref", "ls-files", "ls-remote", "ls-tree", "merge-base", "merge-tree", "log"}
_READING |= {"rev-parse", "status", "symbolic-ref", "var"}
#: Objects that nothing points to yet; an index of our own.
_UNSEEN = {"commit-tree", "hash-object", "mktree", "read-tree", "update-index", "write-tree"}


def calls_of(command: Callable[[], Any]) -> int:
    """How many calls a command makes, which is done in full."""
    counted = os.memfd_create("calls")
    child = os.fork()
    if child == 0:
        _run(command, None, counted)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the command itself fails: {status}"
    return os.fstat(counted).st_size


def killed_at(command: Callable[[], Any], at: int) -> None:
    """Do a command, and kill it just before a call."""
    child = os.fork()
    if child == 0:
        _run(command, at, -1)
    _, status = os.waitpid(child, 0)
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)
    assert ended == signal.SIGKILL, f"it was not killed, but ended with {status}"


def _run(command: Callable[[], Any], at: int | None, counted: int) -> None:
    """In the child: never returns."""
    code = 1
    try:
        left = [-1 if at is None else at]
        _watch(Git, "call", _git_changes, left, counted)
        _watch(Api, "_once", lambda request: request.get_method() != "GET", left, counted)
        command()
        code = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def _git_changes(*arguments: str, **named: Any) -> bool:
    command = command_of(arguments)
    if command == "worktree" and "list" in arguments:
        return False
    return command not in _READING | _UNSEEN


def _watch(
    kind: type, name: str, changes: Callable[..., bool], left: list[int], counted: int
) -> None:
    real = getattr(kind, name)

    def watched(self: Any, *arguments: Any, **named: Any) -> Any:
        if changes(*arguments, **named):
            if counted >= 0:
                os.write(counted, b".")
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
        return real(self, *arguments, **named)

    setattr(kind, name, watched)
