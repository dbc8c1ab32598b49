"""The environment of a notebook, made ready to use."""

from __future__ import annotations

from octavo.environments.choose import choose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from octavo.environments.launch import Environment
    from octavo.environments.request import Request


def resolve(request: Request, say: Callable[[str], None] | None = None) -> Environment:
    """The environment that a notebook runs in, built first where that is needed.

    `say` is told in single lines what is being waited for. When everything is there this only
    looks at files.
    """
    choice = choose(request)
    if not choice.work:
        return choice.environment
    from octavo.environments.prepare import prepare

    return prepare(choice, request, say or _silently)


def _silently(line: str) -> None:
    pass
