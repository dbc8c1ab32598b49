"""Files of runs as resources: images, the executed notebook, the record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from octavo.errors import OctavoError
from octavo.surfaces.mcp.caller import Caller, called_by
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.naming import run_named

SCHEME = "octavo://runs/"
TEMPLATE = f"{SCHEME}{{run}}/{{+path}}"
#: What can be read of a run, by its suffix.
TYPES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
    ".webp": "image/webp", ".svg": "image/svg+xml", ".bmp": "image/bmp",
}  # fmt: skip
_WHOLE = {"notebook.ipynb": "application/x-ipynb+json", "record.json": "application/json"}
_IMAGES = "images"
_LARGEST = 20_000_000


class RunFiles:
    """Reads what a caller may see of runs, and nothing else."""

    def __init__(self, desk: Desk, identity: Callable[[], str]) -> None:
        self._desk = desk
        self._identity = identity

    def add_to(self, server: MCPServer[Any]) -> None:
        """Tell clients of the template."""

        @server.resource(
            TEMPLATE,
            name="run files",
            mime_type="application/octet-stream",
            description="Images of a run, its executed notebook (notebook.ipynb) and record.json",
        )
        async def run_file(run: str, path: str) -> bytes:
            return (await self.read(run, path))[0]

    async def read(self, run: str, path: str) -> tuple[bytes, str]:
        """What a file of a run holds, and its media type."""
        called_by(Caller(self._identity()))
        mime = _type_of(path)
        if mime is None:
            raise ResourceNotFoundError(f"{SCHEME}{run}/{path}: no such resource")

        async def work(context: Any) -> bytes:
            return _content(context.store(self._desk.project).find(found).path, path)

        try:
            found = await run_named(self._desk, run)
            return await self._desk.bounded(work), mime
        except OctavoError as error:
            told = self._desk.wording.error(error)
            raise ResourceNotFoundError(f"{told['message']}; {told['hint']}") from error


def _content(folder: Path, path: str) -> bytes:
    root = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(root, path))
    if not real.startswith(os.path.join(root, "")) or not os.path.isfile(real):
        raise ResourceNotFoundError(f"{path}: the run has no such file")
    if os.path.getsize(real) > _LARGEST:
        raise ResourceError(f"{path}: larger than {_LARGEST // 1_000_000} MB")
    with open(real, "rb") as file:
        return file.read()


def _type_of(path: str) -> str | None:
    if path in _WHOLE:
        return _WHOLE[path]
    folder, _, name = path.partition("/")
    if folder != _IMAGES or not name or "/" in name:
        return None
    return TYPES.get(os.path.splitext(name)[1].lower())


def with_addresses(value: Any) -> Any:
    """The same answer; every image in it has the address that it can be read from."""
    if isinstance(value, Mapping):
        told = {name: with_addresses(each) for name, each in value.items()}
        uri = address(told.get("path")) if told.get("type") == "image" else None
        return {**told, "uri": uri} if uri else told
    return [with_addresses(each) for each in value] if isinstance(value, (list, tuple)) else value


def address(path: Any) -> str | None:
    """The address of a file in the folder of a run."""
    parts = str(path or "").replace(os.sep, "/").split("/")
    if parts[:2] != [".octavo", "runs"] or len(parts) < 6:
        return None
    return f"{SCHEME}{parts[3][-8:]}/{'/'.join(parts[4:])}"


def image_links(value: Any) -> Iterator[dict[str, Any]]:
    """Links to the images of an answer, as clients take them."""
    if isinstance(value, Mapping):
        if value.get("type") == "image" and value.get("uri"):
            uri = str(value["uri"])
            yield {
                "uri": uri,
                "name": uri.rpartition("/")[2],
                "mime_type": value.get("mime"),
            }
        for each in value.values():
            yield from image_links(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from image_links(each)
