"""Outputs that are too large for git: in the notebook a note stands in their place.

The output itself is in the artifact store, as JSON, and is put back when the run is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.archive.artifacts import Artifact, ArtifactStore
from octavo.errors import OctavoError, StorageError
from octavo.events.spilled import size_text
from octavo.records.plain import compact, utf8

MEDIA_TYPE = "application/vnd.octavo.output+json"
_KEY = "octavo"


def slimmed(
    document: dict[str, Any], largest: int, store: ArtifactStore
) -> tuple[bytes, list[Artifact]]:
    """A notebook of at most so many bytes, if taking its outputs out can make it so.

    The largest ones go first; those that are too large by themselves go in any case.
    """
    put: list[Artifact] = []
    sized = sorted(_sized(document), key=lambda each: -each[0])
    content = _spelled(document)
    left = len(content)
    for size, outputs, at in sized:
        if left <= largest:
            break
        told = _words(outputs[at])
        put.append(store.put(utf8(compact(outputs[at])), MEDIA_TYPE))
        outputs[at] = _note(told, put[-1])
        left -= size
    return (_spelled(document) if put else content), put


def _sized(document: Mapping[str, Any]) -> Iterator[tuple[int, list[Any], int]]:
    for outputs in _output_lists(document):
        for at, output in enumerate(outputs):
            if isinstance(output, dict):
                yield len(utf8(compact(output))), outputs, at


def _output_lists(document: Mapping[str, Any]) -> Iterator[list[Any]]:
    cells = document.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        if isinstance(outputs, list):
            yield outputs


def _words(output: Mapping[str, Any]) -> str:
    """What an output is, in a word or two."""
    data = output.get("data")
    if isinstance(data, Mapping) and data:
        return str(max(data, key=lambda mime: len(compact(data[mime]))))
    return str(output.get("name") or output.get("output_type"))


def _note(told: str, artifact: Artifact) -> dict[str, Any]:
    text = (
        f"… {size_text(artifact.size)} of {told} left out: too large for git; "
        f"sha256 {artifact.sha256} in the artifact store {artifact.store} …"
    )
    return {
        "output_type": "display_data",
        "data": {"text/plain": text},
        "metadata": {_KEY: {"artifact": artifact.to_json()}},
    }


def restored(document: dict[str, Any], store: ArtifactStore) -> Iterator[OctavoError]:
    """Put outputs back in place of their notes. What cannot be had is told, and its note stays."""
    for outputs in _output_lists(document):
        for at, output in enumerate(outputs):
            artifact = _artifact_in(output)
            if artifact is None:
                continue
            try:
                outputs[at] = _output(artifact, store)
            except OctavoError as error:
                yield error


def _output(artifact: Artifact, store: ArtifactStore) -> dict[str, Any]:
    """The output in the store; a note that somebody edited may name anything that is there."""
    path = store.get(artifact)
    try:
        output = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        output = None
    if not isinstance(output, dict) or "output_type" not in output:
        raise StorageError(
            "artifact",
            f"what a note of the notebook names (sha256 {artifact.sha256[:12]}…) is no output",
            place=str(path),
            hint="somebody edited the notebook: look at the history of the branch",
        )
    return output


def _artifact_in(output: Any) -> Artifact | None:
    metadata = output.get("metadata") if isinstance(output, dict) else None
    ours = metadata.get(_KEY) if isinstance(metadata, dict) else None
    return Artifact.from_json(ours.get("artifact")) if isinstance(ours, dict) else None


def _spelled(document: Mapping[str, Any]) -> bytes:
    return utf8(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
