"""Calls of the command line, and the notebook that they are about."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What a command leaves behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Octavo = Callable[..., Answer]

NOTEBOOK = """\
# %% [markdown]
# # Numbers

# %% tags=["parameters"]
n: int = 1  # how many

# %% Double it
print(n * 2)

# %%
from octavo_runtime import glue

glue("n", n)
glue("words", ["a", "b"])
if n > 3:
    raise ValueError(f"too many: {n}")

# %%
n
"""


def variables(home: Path) -> dict[str, str]:
    """The environment of a command that leaves nothing outside of a folder."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "TMUX")}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_RUNTIME_DIR": str(home / "none"),
        "OCTAVO_NO_RESIDENT": "1",
        "TERM": "dumb",
        "COLUMNS": "100",
    }
