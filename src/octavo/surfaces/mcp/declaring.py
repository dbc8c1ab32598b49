"""How tools are declared: a method, what it says about itself, and the toolset it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.mcpserver.tools import Tool


class Hints(Value):
    """What a tool may do, in the words of the protocol.

    The SDK has a class for it, but tools are also declared where it is not installed.
    """

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class Declared(Value):
    """A tool before a server has it."""

    method: Callable[..., Any]
    hints: Hints
    name: str = ""
    description: str = ""

    @property
    def called(self) -> str:
        return self.name or self.method.__name__

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return self.description or " ".join((self.method.__doc__ or "").split())


#: Changes nothing, here or elsewhere.
READS = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
#: Changes nothing, and asks a forge.
READS_FORGE = READS.replace(open_world=True)
#: Only adds something to the project.
ADDS = Hints(read_only=False, destructive=False, idempotent=False, open_world=False)
#: Adds something, here and on a forge.
ADDS_TO_FORGE = ADDS.replace(open_world=True)
#: Opens something on a forge, or puts new words in the place of those there.
REPLACES_ON_FORGE = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)
#: Replaces or ends something of the project; doing it twice is doing it once.
REPLACES = Hints(read_only=False, destructive=True, idempotent=True, open_world=False)
#: Runs code, which may do anything that the user may do.
RUNS_CODE = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)


def tools_of(declared: Iterable[Declared]) -> list[Tool]:
    """Tools for a server, with schemas that say everything once."""
    from mcp.server.mcpserver.tools import Tool
    from mcp_types import ToolAnnotations

    made = []
    for each in declared:
        hints = {f"{name}_hint": value for name, value in each.hints.to_dict().items()}
        tool = Tool.from_function(
            each.method,
            name=each.called,
            description=each.about,
            annotations=ToolAnnotations(**hints),
        )
        tool.parameters = slim(tool.parameters)
        made.append(tool)
    return made


def slim(schema: Any, within: str = "") -> Any:
    """A JSON schema without titles that repeat names, and with `null` where it is meant only."""
    if isinstance(schema, list):
        return [slim(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = dict(schema)
    if within != "properties":
        kept.pop("title", None)
        choices = kept.get("anyOf")
        if isinstance(choices, list) and {"type": "null"} in choices and len(choices) == 2:
            other = next(each for each in choices if each != {"type": "null"})
            kept = {**other, **{k: v for k, v in kept.items() if k != "anyOf"}}
        if kept.get("default", 0) in (None, ""):
            kept.pop("default")
    return {name: slim(each, name) for name, each in kept.items()}
