"""What runs inside a notebook's kernel.

Nothing here imports more than the standard library and IPython. Two names are for notebooks:
`glue` hands out a named value, `exit` ends the run early, as a success.
"""

from __future__ import annotations

from octavo_runtime.early_exit import exit
from octavo_runtime.scraps import glue

__all__ = ["exit", "glue"]
