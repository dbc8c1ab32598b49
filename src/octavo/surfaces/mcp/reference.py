"""The list of tools in `docs/mcp.md`, made from the tools themselves.

python -m octavo.surfaces.mcp.reference docs/mcp.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from octavo.surfaces.mcp.declaring import Declared, tools_of
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.tools.more import MORE, more_tools
from octavo.surfaces.mcp.toolsets import declared_tools

BEGIN, END = "<!-- tools: begin -->\n", "<!-- tools: end -->\n"


def brought_up_to_date(page: str) -> str:
    """The page with the list as it is now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{listing()}\n{END}{rest.partition(END)[2]}"


def listing() -> str:
    """All tools, the usual ones first, then toolset by toolset."""
    desk = Desk("/", {})
    processes = Processes(desk)
    usual = declared_tools(desk, processes, JobDesk(desk, processes))
    parts = [f"{len(usual)} tools, {weight(usual):,} bytes:\n", *_table(usual)]
    for name in MORE:
        parts += [
            f"\nWith `--toolsets {name}` also:\n",
            *_table(more_tools(desk, processes, [name])),
        ]
    return "\n".join(parts) + "\n"


def weight(declared: list[Declared]) -> int:
    """How many bytes of `tools/list` are names, descriptions and schemas of arguments."""
    told = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters}
        for tool in tools_of(declared)
    ]
    return len(json.dumps(told, separators=(",", ":")).encode())


def _table(declared: list[Declared]) -> list[str]:
    rows = ["| tool | what it does |", "| --- | --- |"]
    for each, tool in zip(declared, tools_of(declared), strict=True):
        rows.append(f"| `{tool.name}({_arguments(tool.parameters)})` | {each.about} |")
    return rows


def _arguments(schema: dict[str, Any]) -> str:
    """Names of arguments; those in brackets need not be given."""
    required = schema.get("required", ())
    names = list(schema.get("properties", ()))
    must = [name for name in names if name in required]
    may = [name for name in names if name not in required]
    optional = f"[{', '.join(may)}]" if may else ""
    return ", ".join([*must, *([optional] if optional else [])])


def main(path: str) -> None:
    page = Path(path)
    page.write_text(brought_up_to_date(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
