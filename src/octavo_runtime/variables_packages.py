"""The packages that a kernel can import, by name and version."""

from __future__ import annotations

import re
import sys
from fnmatch import translate
from typing import Any

MOST = 5000


def packages(namespace: dict[str, Any], pattern: str = "", limit: int = 200) -> dict[str, Any]:
    """Distributions with name and version, sorted; `imported` are those in use already."""
    from importlib.metadata import distributions

    wanted = re.compile(translate(pattern.lower())) if pattern else None
    found: dict[str, dict[str, Any]] = {}
    for each in distributions():
        name = each.metadata["Name"]
        if not name or (wanted is not None and not wanted.match(name.lower())):
            continue
        found.setdefault(name.lower(), {"name": name, "version": each.version})
    told = [found[name] for name in sorted(found)]
    shown = told[: max(0, min(limit, MOST))]
    for package in shown:
        if package["name"].lower().replace("-", "_") in _imported():
            package["imported"] = True
    return {"packages": shown, "total": len(told)}


def _imported() -> set[str]:
    return {name.lower() for name in list(sys.modules) if "." not in name}
