"""A notebook's code as a plain script, which runs without a notebook's tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.authoring.exporting.script_python import needed_imports, python_cell
from octavo.render.figures import counted
from octavo.render.page.markup import joined, mapping
from octavo.render.page.whole import language_of, numbered

#: How lines of comment begin, where not with `#`.
_COMMENTS = {
    "//": "javascript typescript deno scala rust c c++ cpp java kotlin csharp c# go swift f# "
    "fsharp php groovy",
    "--": "sql haskell lua ada",
    "%": "matlab octave erlang tex prolog",
    ";": "clojure scheme lisp racket",
}
_SUFFIXES = {
    "python": ".py", "r": ".R", "julia": ".jl", "bash": ".sh", "sh": ".sh", "javascript": ".js",
    "typescript": ".ts", "scala": ".scala", "sql": ".sql", "ruby": ".rb", "perl": ".pl",
    "rust": ".rs", "go": ".go", "octave": ".m", "matlab": ".m", "lua": ".lua", "haskell": ".hs",
    "c++": ".cpp", "java": ".java", "kotlin": ".kts",
}  # fmt: skip
_PROGRAMS = {"python": "python3", "bash": "bash", "sh": "sh", "r": "Rscript", "julia": "julia"}


def script_suffix(document: Mapping[str, Any]) -> str:
    """How the name of a script in the notebook's language ends."""
    known = _SUFFIXES.get(language_of(document).lower())
    info = mapping(mapping(document.get("metadata")).get("language_info"))
    told = str(info.get("file_extension") or "")
    return known or (told if re.fullmatch(r"\.\w{1,10}", told) else ".txt")


def script(document: Mapping[str, Any], path: str) -> tuple[str, tuple[str, ...]]:
    """The script, and what somebody who runs it should know."""
    language = language_of(document).lower()
    if "python" in language:
        return _python(document, path)
    blocks = [
        joined(cell.get("source", "")) if cell.get("cell_type") == "code"
        else _comment(joined(cell.get("source", "")), _mark(language))
        for cell, _ in numbered(document)
        if joined(cell.get("source", "")).strip()
    ]  # fmt: skip
    return _whole(blocks, language, path, _mark(language)), ()


def _python(document: Mapping[str, Any], path: str) -> tuple[str, tuple[str, ...]]:
    blocks, sources, notes = [], [], []
    changed = 0
    for at, (cell, number) in enumerate(numbered(document)):
        source = joined(cell.get("source", "")).rstrip()
        if not source.strip():
            continue
        if cell.get("cell_type") != "code":
            blocks.append(_comment(source, "#"))
            continue
        made = python_cell(source)
        blocks.append(made.text)
        sources.append(made.text)
        changed += made.commented
        shown = number if number is not None else at
        notes += [f"cell {shown} {why}" for why in made.problems]
    if changed:
        notes.insert(0, f"{counted(changed, 'line')} of IPython commented out")
    imports = needed_imports(sources)
    head = ["\n".join(imports)] if imports else []
    return _whole([*head, *blocks], "python", path, "#"), tuple(notes)


def _whole(blocks: list[str], language: str, path: str, mark: str) -> str:
    program = _PROGRAMS.get(language)
    first = [f"#!/usr/bin/env {program}"] if program and mark == "#" else []
    name = " ".join(path.split())
    told = [f"{mark} From the notebook {name}."] if name else []
    return "\n".join([*first, *told]) + "\n\n" + "".join(f"{block}\n\n" for block in blocks)


def _mark(language: str) -> str:
    return next((mark for mark, names in _COMMENTS.items() if language in names.split()), "#")


def _comment(text: str, mark: str) -> str:
    return "\n".join(_lines(text, mark))


def _lines(text: str, mark: str) -> Iterator[str]:
    for line in text.rstrip().splitlines():
        yield f"{mark} {line}".rstrip()
