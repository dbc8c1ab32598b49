"""Papermill's Python API over Octavo's engine, without Papermill being installed.

from octavo.compat import papermill as pm

pm.execute_notebook("report.ipynb", "out/report.ipynb", parameters={"day": "monday"})
"""

from __future__ import annotations

from octavo.compat.papermill import exceptions
from octavo.compat.papermill.exceptions import (
    PapermillException,
    PapermillExecutionError,
    PapermillMissingParameterException,
)
from octavo.compat.papermill.execute import execute_notebook
from octavo.compat.papermill.inspection import inspect_notebook

__all__ = [
    "PapermillException",
    "PapermillExecutionError",
    "PapermillMissingParameterException",
    "exceptions",
    "execute_notebook",
    "inspect_notebook",
]
