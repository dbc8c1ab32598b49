"""How a field of a request is shown to people: as an argument or an option, with its help.

Every surface (command line, tools for agents, pages) is made from the fields of requests, so they
cannot drift apart:

    class RunsRequest(Request):
        notebook: str | None = argument("only runs of this notebook", default=None)
        limit: int = option("-n", "--limit", help="at most so many", default=20)
"""

from __future__ import annotations

from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

#: The default of a field that must be given.
REQUIRED: Any = object()


class Shown:
    """What surfaces need to know of a field. An argument has no flags."""

    __slots__ = (
        "bare", "choices", "default", "flags", "group", "help", "hidden", "metavar", "parse",
    )  # fmt: skip

    def __init__(
        self,
        flags: tuple[str, ...],
        help: str,
        default: Any,
        metavar: str | tuple[str, ...] = "",
        choices: tuple[str, ...] = (),
        parse: Callable[[str], Any] | None = None,
        hidden: bool = False,
        group: str = "",
        bare: Any = None,
    ) -> None:
        self.flags = flags
        self.help = help
        self.default = default
        self.metavar = metavar
        self.choices = choices
        self.parse = parse
        self.hidden = hidden
        self.group = group
        self.bare = bare


def argument(help: str, *, metavar: str = "", default: Any = REQUIRED) -> Any:
    """A positional argument; a tuple type takes many."""
    return Shown((), help, default, metavar)


def option(
    *flags: str,
    help: str,
    default: Any = None,
    metavar: str | tuple[str, ...] = "",
    choices: tuple[str, ...] = (),
    parse: Callable[[str], Any] | None = None,
    hidden: bool = False,
    group: str = "",
    bare: Any = None,
) -> Any:
    """An option with its flags; a tuple type may be given many times, a bool takes no value.

    Options of one `group` stand together in help. With `bare`, the value may be left out.
    """
    return Shown(flags, help, default, metavar, choices, parse, hidden, group, bare)


class Request(Value):
    """What is asked of an operation. A field with a plain default is not shown."""

    #: How each field is shown, and its type as it is spelled.
    shown: ClassVar[dict[str, Shown]] = {}
    kinds: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Importing `inspect` for its `get_annotations` would cost every command 20 ms.
        annotations = cls.__dict__.get("__annotations__", {})  # noqa: RUF063
        own = {name: str(kind) for name, kind in annotations.items()}
        cls.kinds = {**cls.kinds, **own}
        cls.shown = {name: how for name, how in cls.shown.items() if name not in own}
        for name in own:
            how = cls.__dict__.get(name)
            if isinstance(how, Shown):
                cls.shown[name] = how
                if how.default is REQUIRED:
                    delattr(cls, name)
                else:
                    setattr(cls, name, how.default)


_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _BYTES.update(
        {_letter: 1000**_power, f"{_letter}B": 1000**_power, f"{_letter}IB": 1024**_power}
    )


def seconds(text: str) -> float:
    """A duration: `90`, `90s`, `1.5m`, `2h`."""
    number, unit = _split(text)
    scale = _SECONDS.get(unit.lower() or "s")
    if scale is None or number < 0:
        raise ValueError(f"{text!r} is not a duration; write 90, 90s, 5m or 2h")
    return number * scale


def size(text: str) -> int:
    """A number of bytes: `4096`, `500MB`, `2GiB`."""
    number, unit = _split(text)
    scale = _BYTES.get(unit.upper())
    if scale is None or number < 0:
        raise ValueError(f"{text!r} is not a size; write 4096, 500MB or 2GiB")
    return int(number * scale)


def _split(text: str) -> tuple[float, str]:
    stripped = text.strip()
    digits = len(stripped.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
    try:
        return float(stripped[:digits]), stripped[digits:].strip()
    except ValueError:
        raise ValueError(f"{text!r} has no number") from None
