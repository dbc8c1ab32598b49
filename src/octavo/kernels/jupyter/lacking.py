"""What kernels of other makers lack, by the name of the check that shows it.

A test fails when a kernel does in fact pass what is listed here: then the line goes.
"""

from __future__ import annotations

LACKING: dict[str, dict[str, str]] = {
    "ipykernel": {},
    "bash": {},
    "deno": {},
}
