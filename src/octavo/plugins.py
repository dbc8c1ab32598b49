"""Parts that other packages bring, found by name when somebody asks for them.

An engine is an entry point in the group `octavo.kernels`: a class or a function that is called
without arguments and returns an `octavo.kernels.port.Engine`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from octavo.errors import InfrastructureError, UsageError
from octavo.kernels.port import Engine

ENGINES = "octavo.kernels"
BUILT_IN = ("fork", "jupyter")


def engines() -> tuple[EntryPoint, ...]:
    """The engines that installed packages bring."""
    return tuple(entry_points(group=ENGINES))


def engine(name: str) -> Engine:
    """The engine of a name, made anew."""
    found = next(iter(entry_points(group=ENGINES, name=name)), None)
    if found is None:
        raise UsageError("wrong-argument", f"there is no engine {name!r}", hint=_closest(name))
    try:
        made: Engine = found.load()()
    except Exception as error:
        raise InfrastructureError(
            "plugin",
            f"the engine {name} ({found.value}) cannot be loaded: {type(error).__name__}: {error}",
            hint="reinstall the package that brings it",
        ) from error
    missing = [each for each in ("start", "release", "close") if not hasattr(made, each)]
    if missing:
        raise InfrastructureError(
            "plugin",
            f"the engine {name} ({found.value}) is none: it has no {', '.join(missing)}",
            hint="see docs/plugins.md for what an engine is",
        )
    return made


def _closest(name: str) -> str:
    from difflib import get_close_matches

    names = [*BUILT_IN, *(each.name for each in engines())]
    close = get_close_matches(name, names, 1, 0.5)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
