"""The script that `uv` is given to build an environment from: the notebook's block and IPython."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from octavo.environments.request import IPYTHON_REQUIREMENT
from octavo.notebook.comment_blocks import CLOSING, opening
from octavo.notebook.scriptblock import ScriptMetadata


def script_text(metadata: ScriptMetadata, version: str, folder: str) -> str:
    """The block for Python `version` ("3.12"), with paths that were relative to `folder`.

    Only that version has to be solved, so that a notebook is not refused for one that it will
    not run on.
    """
    table = {
        "requires-python": f"=={version}.*",
        "dependencies": [*metadata.dependencies, IPYTHON_REQUIREMENT],
    }
    lines = [f"{name} = {_toml(value)}" for name, value in table.items()]
    if metadata.uv:
        lines.append(f"tool = {_toml({'uv': _with_absolute_paths(metadata.uv, folder)})}")
    return "".join(
        f"{line}\n" for line in [opening("script"), *(f"# {line}" for line in lines), CLOSING]
    )


def _with_absolute_paths(uv: Mapping[str, Any], folder: str) -> dict[str, Any]:
    settings = dict(uv)
    if isinstance(sources := uv.get("sources"), dict):
        settings["sources"] = {name: _source(value, folder) for name, value in sources.items()}
    if isinstance(indexes := uv.get("index"), list):
        settings["index"] = [_located(entry, "url", folder) for entry in indexes]
    if isinstance(links := uv.get("find-links"), list):
        settings["find-links"] = [_absolute(link, folder) for link in links]
    return settings


def _source(value: Any, folder: str) -> Any:
    if isinstance(value, list):
        return [_located(entry, "path", folder) for entry in value]
    return _located(value, "path", folder)


def _located(entry: Any, key: str, folder: str) -> Any:
    if isinstance(entry, dict) and isinstance(entry.get(key), str):
        return {**entry, key: _absolute(entry[key], folder)}
    return entry


def _absolute(location: Any, folder: str) -> Any:
    if not isinstance(location, str) or "://" in location:
        return location
    return os.path.normpath(os.path.join(folder, location))


def _toml(value: Any) -> str:
    """A value in one line of TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        pairs = (f"{_toml(str(name))} = {_toml(item)}" for name, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
