"""Parts that other packages bring, found by name when somebody asks for them.

An engine is an entry point in the group `octavo.kernels`: a class or a function that is called
without arguments and returns an `octavo.kernels.port.Engine`. A forge is one in the group
`octavo.forges`, called with a remote and a token, and returns an `octavo.forges.port.Forge`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.kernels.port import Engine

if TYPE_CHECKING:
    from octavo.forges.port import Forge
    from octavo.git.credentials import Token
    from octavo.git.remotes import Remote

ENGINES = "octavo.kernels"
FORGES = "octavo.forges"
BUILT_IN = ("fork", "jupyter")
BUILT_IN_FORGES = ("gitea", "github", "local")


def engines() -> tuple[EntryPoint, ...]:
    """The engines that installed packages bring."""
    return tuple(entry_points(group=ENGINES))


def engine(name: str) -> Engine:
    """The engine of a name, made anew."""
    made: Engine = _made(ENGINES, "engine", name, BUILT_IN, ("start", "release", "close"))
    return made


def forge(name: str, remote: Remote, token: Token | None) -> Forge:
    """The forge of a name, for the repository that a remote leads to."""
    needed = ("about", "open", "update", "comments", "set_status", "merge")
    made: Forge = _made(FORGES, "forge", name, BUILT_IN_FORGES, needed, remote, token)
    return made


def _made(
    group: str,
    what: str,
    name: str,
    built_in: tuple[str, ...],
    needed: tuple[str, ...],
    *arguments: Any,
) -> Any:
    found = next(iter(entry_points(group=group, name=name)), None)
    if found is None:
        hint = _closest(name, built_in, group)
        raise UsageError("wrong-argument", f"there is no {what} {name!r}", hint=hint)
    try:
        made = found.load()(*arguments)
    except OctavoError:
        raise
    except Exception as error:
        raise InfrastructureError(
            "plugin",
            f"the {what} {name} ({found.value}) cannot be loaded: {type(error).__name__}: {error}",
            hint="reinstall the package that brings it",
        ) from error
    missing = [each for each in needed if not hasattr(made, each)]
    if missing:
        raise InfrastructureError(
            "plugin",
            f"the {what} {name} ({found.value}) is none: it has no {', '.join(missing)}",
            hint=f"see docs/plugins.md for what the {what} of a plug-in is",
        )
    return made


def _closest(name: str, built_in: tuple[str, ...], group: str) -> str:
    from difflib import get_close_matches

    names = [*built_in, *(each.name for each in entry_points(group=group))]
    close = get_close_matches(name, names, 1, 0.5)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
