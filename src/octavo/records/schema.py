"""What `record.json` looks like, as JSON Schema; its descriptions are the documentation."""

from __future__ import annotations

from typing import Any, get_args

from octavo.events.types import CellStatus, Reason, RunStatus
from octavo.records.record import ADDED, RECORD_SCHEMA

_TIME = {"type": "string", "format": "date-time"}
_TEXT = {"type": "string"}
_OBJECT = {"type": "object"}


def _maybe(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _closed(properties: dict[str, dict[str, Any]]) -> dict[str, Any]:
    required = [name for name in properties if name not in ADDED]
    return {"type": "object", "properties": properties, "required": required}


def _words(union: Any) -> dict[str, Any]:
    return {"enum": list(get_args(union))}


def _said(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


_INTEGER = {"type": "integer"}
_NUMBER = {"type": "number"}

_CELL = _closed(
    {
        "index": _said(_INTEGER, "place in the bound notebook, with the injected parameters"),
        "origin": _said(_maybe(_INTEGER), "place in the author's notebook; null if injected"),
        "id": _said(_TEXT, "id of the cell in `notebook.ipynb`"),
        "kind": _said({"enum": ["code", "markdown", "raw"]}, "what the cell is"),
        "status": _said(_maybe(_words(CellStatus)), "how it ended; null unless it is code"),
        "started": _said(_maybe(_TIME), "when it was handed to the kernel"),
        "finished": _said(_maybe(_TIME), "when it ended; null if nobody saw its end"),
        "duration_seconds": _said(_maybe(_NUMBER), "from start to end"),
        "memory_peak": _said(_maybe(_INTEGER), "most memory resident at once, in bytes"),
        "cpu_seconds": _said(_maybe(_NUMBER), "processor time"),
        "execution_count": _said(_maybe(_INTEGER), "the number in brackets beside it"),
        "why": _said(_TEXT, "why it was skipped"),
    }
)

_FAILED = _closed(
    {
        "index": _said(_maybe(_INTEGER), "place in the author's notebook; null if injected"),
        "source": _said(_TEXT, "what was executed"),
        "ename": _said(_TEXT, "name of the error, or of what stopped the cell"),
        "evalue": _said(_TEXT, "its message"),
        "traceback": _said({"type": "array", "items": _TEXT}, "as the kernel formatted it"),
        "line": _said(_maybe(_INTEGER), "line in the author's file; in the cell for `.ipynb`"),
    }
)

_PROBLEM = _closed(
    {
        "name": _said(_TEXT, "the scrap"),
        "problem": _said({"enum": ["missing", "type", "bounds"]}, "what is wrong with it"),
        "message": _said(_TEXT, "the same in words"),
        "place": _said(_TEXT, "where the scrap is declared"),
    }
)

_PATHS = {"type": "array", "items": _TEXT}
_FILES = _closed(
    {
        "read": _said(_PATHS, "files that were opened for reading"),
        "missing": _said(_PATHS, "files that were to be opened for reading, and were not there"),
        "written": _said(_PATHS, "files that were opened for writing, and folders that were made"),
        "listed": _said(_PATHS, "folders whose names were asked for"),
        "modules": _said(_PATHS, "files of imported modules that belong to no installed package"),
        "facts": _said(
            _PATHS, "`network`, `subprocess`, `native:NAME`: what was read there is unknown"
        ),
        "complete": _said({"type": "boolean"}, "false if more was used than is told here"),
    }
)

_SOURCE = {
    "type": "object",
    "required": ["path", "sha256", "format"],
    "properties": {"path": _maybe(_TEXT), "sha256": _maybe(_TEXT), "format": _maybe(_TEXT)},
}

RECORD_PROPERTIES: dict[str, dict[str, Any]] = {
    "schema": _said({"const": RECORD_SCHEMA}, "version of this format"),
    "run_id": _said(_TEXT, "UUID version 7; sorts by time"),
    "status": _said(_words(RunStatus), "how the run ended"),
    "reason": _said(_maybe(_words(Reason)), "why it ended so; null for a plain success"),
    "message": _said(_TEXT, "the reason in words"),
    "started": _said(_TIME, "when the run began"),
    "finished": _said(_TIME, "when it ended; the last sign of life if the runner was killed"),
    "duration_seconds": _said(_NUMBER, "from start to end"),
    "source": _said(_SOURCE, "path, hash and format of the notebook that was run"),
    "parameters": _said(_OBJECT, "values that were given"),
    "defaults": _said(_OBJECT, "values that the notebook declares"),
    "cells_executed": _said(_INTEGER, "number of code cells that were started"),
    "failed_cell": _said(_maybe(_FAILED), "the cell that ended the run; null if none did"),
    "scraps": _said(_OBJECT, "values that the notebook handed out, by name"),
    "value": {"description": "what an early exit handed out"},
    "engine": _said(_TEXT, "kind of kernel"),
    "environment": _said(_OBJECT, "interpreter, and why it was chosen"),
    "lock": _said(_maybe(_OBJECT), "the lock file that the environment came from"),
    "kernel": _said(_maybe(_OBJECT), "what the kernel said of itself; null if it never answered"),
    "git": _said(_maybe(_OBJECT), "commit, branch and dirtiness of the project"),
    "host": _said(_OBJECT, "the machine"),
    "options": _said(_OBJECT, "timeouts, limits and the like"),
    "output_path": _said(_maybe(_TEXT), "where the user wanted the notebook"),
    "parent_run": _said(_maybe(_TEXT), "the run that this one repeats"),
    "journal": _said(
        _closed({"damaged": _INTEGER, "unknown": _INTEGER}),
        "lines of the journal that could not be read, or are of a newer version",
    ),
    "complete": _said({"type": "boolean"}, "false if a full disk kept outputs out of the notebook"),
    "scraps_schema": _said(
        _maybe(_OBJECT), "JSON Schema of the scraps that the notebook declares; null if it does not"
    ),
    "scrap_problems": _said(
        {"type": "array", "items": _PROBLEM}, "declared scraps that are missing or do not fit"
    ),
    "files": _said(_maybe(_FILES), "what the run read, wrote and imported; null if not observed"),
    "packages": _said(
        {"type": "object", "additionalProperties": _TEXT}, "installed packages and versions"
    ),
    "cells": _said({"type": "array", "items": _CELL}, "every cell of the bound notebook"),
}


def record_schema() -> dict[str, Any]:
    """The JSON Schema of `record.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Record of a run",
        **_closed(RECORD_PROPERTIES),
    }


def key_tables() -> str:
    """The keys of a record, of its cells and of its failed cell, as Markdown."""
    return "\n".join(
        [
            *_table(RECORD_PROPERTIES),
            "",
            "Every item of `cells`:",
            "",
            *_table(_CELL["properties"]),
            "",
            "`failed_cell`:",
            "",
            *_table(_FAILED["properties"]),
            "",
            "Every item of `scrap_problems`:",
            "",
            *_table(_PROBLEM["properties"]),
            "",
            "`files`:",
            "",
            *_table(_FILES["properties"]),
        ]
    )


def _table(properties: dict[str, dict[str, Any]]) -> list[str]:
    rows = [f"| `{key}` | {schema['description']} |" for key, schema in properties.items()]
    return ["| key | meaning |", "| --- | --- |", *rows]
