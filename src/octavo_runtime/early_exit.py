"""Ending a run early, as a success."""

from __future__ import annotations

from typing import Any, NoReturn

#: Whether whoever runs this kernel knows what an `EarlyExit` is; set by our engines at its start.
understood = False


class EarlyExit(BaseException):
    """Carries the value that the run hands out. Not an Exception: `except Exception` lets it by."""

    def __init__(self, value: Any = None) -> None:
        super().__init__("the notebook ended its run here")
        self.value = value


def exit(value: Any = None) -> NoReturn:
    """End the run after this statement; the cells that follow are not run.

    In a kernel that is not ours this is `sys.exit(0)`, which Papermill takes for a success too;
    nobody there takes the value.
    """
    if understood:
        raise EarlyExit(value)
    raise SystemExit(0)


def requested_by(error: BaseException | None) -> bool:
    """Whether an error means "stop here, all is well": also `sys.exit()` and `sys.exit(0)`."""
    if isinstance(error, SystemExit):
        return error.code is None or error.code == 0
    return isinstance(error, EarlyExit)
