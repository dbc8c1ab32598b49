"""Ending a run early, as a success."""

from __future__ import annotations

from typing import Any, NoReturn


class EarlyExit(BaseException):
    """Carries the value that the run hands out. Not an Exception: `except Exception` lets it by."""

    def __init__(self, value: Any = None) -> None:
        super().__init__("the notebook ended its run here")
        self.value = value


def exit(value: Any = None) -> NoReturn:
    """End the run after this statement; the cells that follow are not run."""
    raise EarlyExit(value)


def requested_by(error: BaseException | None) -> bool:
    """Whether an error means "stop here, all is well": also `sys.exit()` and `sys.exit(0)`."""
    if isinstance(error, SystemExit):
        return error.code is None or error.code == 0
    return isinstance(error, EarlyExit)
