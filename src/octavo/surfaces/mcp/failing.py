"""Errors as tools tell them: kind, message, place and hint; never a traceback of ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError

from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.surfaces.mcp.wording import Wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp_types import CallToolResult

_LONGEST = 2000


def failed(error: OctavoError, wording: Wording, arguments: Collection[str] = ()) -> CallToolResult:
    """What the caller of a tool with some arguments did wrong, or what is broken."""
    from mcp_types import CallToolResult, TextContent

    told = _short(wording.error(error, arguments))
    place = f"{told['place']}: " if told["place"] else ""
    text = f"{error.kind}: {place}{told['message']}"
    if told["hint"]:
        text += f"\nhint: {told['hint']}"
    if error.retryable:
        text += "\nTrying again can help."
    return CallToolResult(
        content=[TextContent(type="text", text=_cut(text))],
        is_error=True,
        _meta={"octavo/error": told},
    )


def problem_of(error: BaseException, tool: str) -> OctavoError:
    """The error behind what the SDK made of it."""
    cause = error.__cause__ or error
    if isinstance(cause, OctavoError):
        return cause
    if isinstance(cause, ValidationError):
        return wrong_arguments(cause, tool)
    if isinstance(cause, OSError):
        message = f"the system refuses: {cause.strerror or cause}"
        return InfrastructureError("storage", message, hint="free space, or mend its permissions")
    if isinstance(cause, RecursionError):
        return UsageError("wrong-argument", "that is nested too deeply", hint="make it flatter")
    what = f"{type(cause).__name__}: {cause}".splitlines()[0]
    return InfrastructureError("internal", f"internal error: {what}", hint="report it, please")


def wrong_arguments(error: ValidationError, tool: str) -> UsageError:
    """Which arguments do not fit, in words; what was given is not repeated."""
    told = [
        f"{'.'.join(str(part) for part in each['loc'])}: {each['msg'].lower()}"
        for each in error.errors(include_input=False, include_url=False)[:5]
    ]
    return UsageError(
        "wrong-argument", "; ".join(told), place=tool, hint="tools/list has its arguments"
    )


def unknown_arguments(given: Mapping[str, Any], known: Mapping[str, Any], tool: str) -> str | None:
    """What is wrong with names of arguments; a misspelled one must not be dropped in silence."""
    strange = [name for name in given if name not in known]
    if not strange:
        return None
    from difflib import get_close_matches

    close = get_close_matches(strange[0][:80], known, 1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return f"{strange[0][:80]!r} is no argument{meant} ({tool} takes {', '.join(known)})"


def _short(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _cut(value) if isinstance(value, str) else value for name, value in plain.items()}


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
