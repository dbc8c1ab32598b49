"""The values that a request gives for parameters, from all the places they may come from."""

from __future__ import annotations

import os

from octavo.notebook.values import Given, collect
from octavo.runs.request import RunRequest
from octavo.sources import read_text


def given_values(request: RunRequest, cwd: str) -> Given:
    """Papermill's order: later kinds win over earlier ones, and all of them over `values`."""
    files = [
        (name, read_text(os.path.join(cwd, name), kind="parameter-file"))
        for name in request.parameter_files
    ]
    given = collect(
        parameters=request.parameters,
        raw=request.raw,
        files=files,
        yaml=request.yaml,
        base64=request.base64,
    )
    for name, value in request.values.items():
        if name not in given:
            given.put(name, value)
    return given
