"""What the tests of environments share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from octavo.environments.request import Request

MakeRequest = Callable[..., Request]
MakeVenv = Callable[..., Path]


def site_packages(root: Path) -> Path:
    """The folder that a virtual environment's packages are installed in."""
    return next(root.glob("lib/python3.*/site-packages"))
