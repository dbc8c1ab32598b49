"""Standard output that holds one thing only: an executed notebook, or what a client reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from octavo.errors import UsageError
from octavo.surfaces.cli.parser import Asked


def holds_notebook(asked: Asked) -> bool:
    """Whether a run was asked to write its notebook there."""
    request = asked.request
    return hasattr(request, "prepare_only") and getattr(request, "output", None) == "-"


def is_the_clients(command: str) -> bool:
    """Whether a command speaks with a program there, which takes nothing but its protocol."""
    return command == "mcp"


def refuse_json_too(asked: Asked) -> None:
    """Two results on one stream would be neither."""
    _refuse_two_forms(asked)
    if asked.options.json and holds_notebook(asked):
        raise UsageError(
            "wrong-argument",
            "-o - and --json both want standard output",
            hint="write the notebook to a file, or leave --json out",
        )
    streams = {getattr(asked.request, f"std{name}_file", None) for name in ("out", "err")}
    if asked.options.json and streams & {"-", "/dev/stdout"}:
        raise UsageError(
            "wrong-argument",
            "what cells write and --json both want standard output",
            hint="name a file after --stdout-file, or leave --json out",
        )


def _refuse_two_forms(asked: Asked) -> None:
    """A comparison is shown in one form at a time."""
    given = {name: getattr(asked.options, name, None) for name in ("json", "markdown", "html")}
    forms = [f"--{name}" for name, value in given.items() if value not in (None, False)]
    if len(forms) > 1:
        raise UsageError(
            "wrong-argument",
            f"{' and '.join(forms)} are different forms of one result",
            hint="ask for one of them at a time",
        )
    if getattr(asked.options, "figures", None) is not None and not asked.options.markdown:
        message = "--figures is a part of --markdown"
        hint = "octavo diff --markdown --figures figures > changes.md"
        raise UsageError("wrong-argument", message, hint=hint)


def notebook_text(report: Any) -> str:
    """The notebook of a run, or the prepared one."""
    if report.prepared:
        return str(report.text)
    return "".join(
        Path(result.notebook_path).read_text(encoding="utf-8") for result in report.results
    )
