"""Measuring which lines of the project's own modules a kernel runs, with the `coverage` package.

Cells are not measured: they lie in no file. Modules that were loaded before the kernel was forked
are measured from there on, so that the lines which ran while they were imported do not count.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any

_current: Any = None
#: What a kernel cannot help: it may import none of the project's modules, or some before.
_KNOWN_WARNINGS = (
    *("module-not-imported", "module-not-measured", "no-data-collected", "already-imported"),
    *("trace-changed", "module-not-python"),
)


def start(settings: dict[str, Any]) -> None:
    """Begin to measure. `settings` come from the runner: where data goes, what is measured."""
    global _current
    here = os.getcwd()
    os.chdir(settings["project"])  # what a configuration says is relative to it
    try:
        _current = _measure(import_module("coverage"), settings)
        _current.start()
    except Exception as error:
        _complain(settings, f"{type(error).__name__}: {error}", isinstance(error, ImportError))
    finally:
        os.chdir(here)


def finish() -> None:
    """Write down what was measured, once, when the kernel ends."""
    global _current
    measured, _current = _current, None
    if measured is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measured.stop()
        measured.save()


def _measure(coverage: Any, settings: dict[str, Any]) -> Any:
    config = settings["config"]
    options: dict[str, Any] = {
        "data_file": settings["data_file"],
        "data_suffix": True,
        "config_file": config or False,
        "auto_data": False,
        "messages": False,
    }
    measured = coverage.Coverage(**options)
    asked = ("run:source", "run:source_pkgs", "run:source_dirs", "run:include")
    if not any(_option(measured, name) for name in asked):
        measured = coverage.Coverage(**options, source=settings["source"])
    left_out = [*(_option(measured, "run:omit") or ()), *settings["omit"]]
    measured.set_option("run:omit", left_out)
    quiet = [*(_option(measured, "run:disable_warnings") or ()), *_KNOWN_WARNINGS]
    measured.set_option("run:disable_warnings", quiet)
    return measured


def _option(measured: Any, name: str) -> Any:
    try:
        return measured.get_option(name)
    except Exception:  # one that this version does not have
        return None


def _complain(settings: dict[str, Any], why: str, missing: bool) -> None:
    """Leave a word for the runner; the notebook itself goes on."""
    lines = ["missing" if missing else "failed", sys.executable, why]
    with open(f"{settings['data_file']}-failure-{os.getpid()}", "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
