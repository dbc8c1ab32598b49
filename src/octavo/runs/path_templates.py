"""`{name}` in the path of a notebook stands for the value of a parameter, as with Papermill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import ParameterError, UsageError

#: The name of what every template can use without being given it.
BUILT_IN = "pm"
#: More than that is no path on any system.
LONGEST = 4096


def builtin_values() -> dict[str, Any]:
    """`{pm[run_uuid]}` and the times of now, one of each for all paths of a run."""
    from datetime import UTC, datetime
    from uuid import uuid4

    return {
        BUILT_IN: {
            "run_uuid": str(uuid4()),
            "current_datetime_local": datetime.now(),
            "current_datetime_utc": datetime.now(UTC),
        }
    }


def is_template(path: str) -> bool:
    """Whether a path has to be filled in; `{{` stands for a brace and needs that too."""
    return "{" in path or "}" in path


def fill(path: str, values: Mapping[str, Any]) -> str:
    """The path with the values of parameters in it; an unknown name is refused."""
    if not is_template(path):
        return path
    try:
        filled = path.format(**{**builtin_values(), **values})
    except KeyError as error:
        raise _unknown(path, str(error.args[0]), values) from None
    except (IndexError, ValueError, AttributeError, TypeError, MemoryError) as error:
        raise _senseless(path, str(error)) from None
    if len(filled) > LONGEST:
        raise _senseless(path, f"they make a path of {len(filled):,} characters")
    return filled


def _senseless(path: str, why: str) -> UsageError:
    return UsageError(
        "wrong-argument",
        f"the braces in the path do not make sense: {why or 'too much of everything'}",
        place=path,
        hint="{name} stands for the value of a parameter; write {{ and }} for braces",
    )


def _unknown(path: str, name: str, values: Mapping[str, Any]) -> ParameterError:
    given = ", ".join(map(str, values))
    known = f"given are {given}" if given else f"none is given: -p {name} VALUE"
    return ParameterError(
        "parameter-missing",
        f"the path asks for `{name}`, which was given no value",
        place=path,
        hint=f"{known}; write {{{{ and }}}} for braces in a name",
    )
