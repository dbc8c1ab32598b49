"""How far numbers may be apart and still count as equal."""

from __future__ import annotations

from octavo.value import Value


class Tolerance(Value):
    """How far numbers in an output may be from those of the reference."""

    relative: float = 0.0
    absolute: float = 0.0
