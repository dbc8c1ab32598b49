"""From Papermill's arguments to a request of ours."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from octavo.compat.papermill.log import logger
from octavo.kernels.choice import ANY_PYTHON

#: A cell's output is never cut, as with Papermill; `output_cap` sets a bound.
UNCAPPED = sys.maxsize
#: Options of ours that may stand among Papermill's `engine_kwargs`.
OURS = (
    *("python", "env_files", "preload", "silence_timeout", "memory", "processes", "cpu"),
    *("file_size", "output_cap", "offline", "parent_run"),
)
#: What Papermill or its engine takes, and what is dealt with elsewhere or means nothing here.
KNOWN = (
    *("execution_timeout", "timeout", "startup_timeout", "autosave_cell_every", "allow_errors"),
    *("input_path", "raise_on_iopub_timeout", "km", "log", "run_timeout", "env"),
)


def options(
    kernel_name: str | None, start_timeout: float | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of a request; what nobody knows is told, and left out."""
    for name in given:
        if name not in (*OURS, *KNOWN):
            logger.warning("Octavo has no option %s; it is left out", name)
    fields = {name: given[name] for name in OURS if given.get(name) is not None}
    fields.setdefault("output_cap", UNCAPPED)
    if kernel_name in (None, *ANY_PYTHON):
        # That name stands for the Python that runs Papermill, wherever the notebook lies.
        fields.setdefault("python", sys.executable)
    return {
        **fields,
        "kernel": kernel_name,
        "env": tuple(given.get("env") or ("*",)),
        "start_timeout": start_timeout,
        "cell_timeout": given.get("execution_timeout") or given.get("timeout"),
        "timeout": given.get("run_timeout"),
        "unchecked": True,
    }
