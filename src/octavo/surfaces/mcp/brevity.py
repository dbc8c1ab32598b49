"""What an answer need not say: what is usual, and what nobody who reads it can use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: What is meant where nothing is said.
_USUAL = {"text": ("name", "stdout"), "result": ("kind", "text"), "display": ("kind", "text")}
#: The name of an image says what kind it is; its size in pixels says how large.
_OF_IMAGES = frozenset({"mime", "bytes"})


def brief(answer: Mapping[str, Any], *, remote: bool = False) -> dict[str, Any]:
    """An answer in fewer words. An image has the one place where its reader finds it: a path for
    those on this machine, an address for others."""
    told = dict(answer)
    for name in ("outputs", "images"):
        if isinstance(told.get(name), list):
            told[name] = [_output(each, remote) for each in told[name]]
    for name in ("executed", "runs"):
        if isinstance(told.get(name), list):
            told[name] = [brief(each, remote=remote) for each in told[name]]
    for name in ("failed_cell", "cell"):
        if isinstance(told.get(name), Mapping):
            told[name] = {key: each for key, each in told[name].items() if each not in (None, [])}
    return told


def _output(item: Mapping[str, Any], remote: bool) -> dict[str, Any]:
    kind = str(item.get("type"))
    if kind == "image":
        elsewhere = ("path" if remote else "uri") if {"path", "uri"} <= item.keys() else ""
        return {k: v for k, v in item.items() if k not in _OF_IMAGES and k != elsewhere}
    return {k: v for k, v in item.items() if (k, v) != _USUAL.get(kind)}
