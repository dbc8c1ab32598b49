"""What a kernel behind a Jupyter server lacks, by the name of the check that shows it.

A test fails when it does in fact pass what is listed here: then the line goes.
"""

from __future__ import annotations

#: Of `conformance.CAPABILITIES`: no process of ours is near the kernel, and it was not launched
#: by us.
WITHOUT = ("exact-order", "fork", "signals", "usage", "limits", "early-exit", "copies", "launch")

LACKING: dict[str, str] = {}
