"""Octavo inside Hermes: its tools as a toolset of their own, without a server between.

Hermes calls `register` when the plug-in is enabled: `hermes plugins enable octavo`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: Not `octavo`: a toolset that is called like a server takes that server's tools away.
TOOLSET = "octavo-notebooks"


def register(ctx: Any) -> None:
    """Give Hermes the tools, and the page that says how to work with them."""
    from octavo.compat.hermes.desks import Desks
    from octavo.compat.hermes.tools import tools_for

    desks = Desks()
    for tool in tools_for(desks):
        ctx.register_tool(
            name=tool.name,
            toolset=TOOLSET,
            schema=tool.schema,
            handler=tool,
            description=tool.description,
        )
    ctx.register_skill("notebooks", _page(), "Write, run, debug and propose notebooks")


def _page() -> Path:
    from octavo.surfaces import installing

    return Path(installing.__file__).parent / "skill" / "SKILL.md"
