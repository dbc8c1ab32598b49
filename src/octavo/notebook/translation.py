"""Parameters as assignments in other languages than Python.

Papermill has translators for about ten languages; JavaScript and TypeScript, which it lacks, are
ours, and so is the way in which the others write text and numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from octavo.errors import InfrastructureError, ParameterError, UsageError
from octavo.notebook.literals import json_value

_SCRIPTS = ("javascript", "typescript", "js", "ts")
#: Papermill's name of a language where the usual one is another.
_PAPERMILL_NAMES = {
    "r": "R",
    "c#": ".net-csharp",
    "f#": ".net-fsharp",
    "powershell": ".net-powershell",
    "pwsh": ".net-powershell",
    "shell": "bash",
    "sh": "bash",
}
#: What Papermill translates, so that listing kernels need not load it; a test compares.
_PAPERMILL_KNOWS = frozenset({
    "python", "R", "scala", "julia", "matlab", ".net-csharp", ".net-fsharp", ".net-powershell",
    "pysparkkernel", "sparkkernel", "sparkrkernel", "bash",
})  # fmt: skip


def assignments(
    values: Mapping[str, Any],
    language: str,
    kernel_name: str | None,
    comment: str,
    before: str = "",
) -> str:
    """The text of a cell that sets each name to its value, in the language of the notebook.

    `before` is the code above it, which may have declared some of the names.
    """
    if language.lower() in _SCRIPTS:
        return _script(values, comment, before)
    return _translated(values, language, kernel_name, comment)


def translatable(language: str, kernel_name: str | None = None) -> bool:
    """Whether parameters can be given to a language (to most of them with Papermill's help)."""
    if language.lower() in (*_SCRIPTS, "python3", "ipython"):
        return True
    name = _PAPERMILL_NAMES.get(language.lower(), language)
    return bool({name, name.lower(), kernel_name} & _PAPERMILL_KNOWS)


def _script(values: Mapping[str, Any], comment: str, before: str) -> str:
    declared = _declarations(before)
    lines = [
        f"{_SCRIPT_DECLARES[declared.get(name, 'var')]}{name} = {_script_value(json_value(value))};"
        for name, value in values.items()
    ]
    return "\n".join([f"// {comment}".strip(), *lines, ""])


#: What `let` declared is assigned to, since no `var` may follow it; a constant is declared anew.
_SCRIPT_DECLARES = {"var": "var ", "let": "", "const": "const "}
_DECLARATION = re.compile(r"^\s*(?:export\s+)?(var|let|const)\s+(.*)", re.MULTILINE)
_DECLARED_NAME = re.compile(r"(?:^|,)\s*([\w$]+)\s*(?=[:=,;]|$)")


def _declarations(code: str) -> dict[str, str]:
    """The word that declares each name in JavaScript or TypeScript, as far as lines tell."""
    found: dict[str, str] = {}
    for word, rest in _DECLARATION.findall(code):
        first, *others = _DECLARED_NAME.findall(rest) or [""]
        found[first] = word
        for name in others:
            found.setdefault(name, word)
    return found


def _script_value(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        items = (f"{json.dumps(str(name))}: {_script_value(each)}" for name, each in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_script_value, value))}]"
    return json.dumps(value)


def _translated(
    values: Mapping[str, Any], language: str, kernel_name: str | None, comment: str
) -> str:
    translator = _translator(language, kernel_name)
    if translator is None:
        raise UsageError(
            "language",
            f"parameters cannot be given to a notebook in {language}: nothing translates them",
            place=", ".join(values),
            hint="set the values in a cell, or pass them as variables with --env NAME=VALUE",
        )
    try:
        text: str = translator.codify({name: json_value(each) for name, each in values.items()},
                                      comment)  # fmt: skip
    except NotImplementedError as error:
        raise ParameterError(
            "parameter-type",
            f"{language} has no way to write one of these values: {error}",
            place=", ".join(values),
            hint="give numbers, text, or a list of them",
        ) from None
    return text


def _translator(language: str, kernel_name: str | None) -> Any:
    """Papermill's translator, None for a language that it does not know."""
    try:
        from papermill.exceptions import PapermillException
        from papermill.translators import papermill_translators
    except ImportError as error:
        raise InfrastructureError(
            "extra-missing",
            f"parameters of a notebook in {language} need Papermill's translators",
            hint="pip install 'octavo[papermill]'",
        ) from error
    name = _PAPERMILL_NAMES.get(language.lower(), language.lower())
    try:
        found = papermill_translators.find_translator(kernel_name or "", name)
    except PapermillException:
        return None
    from octavo.notebook.dialects import speaking

    return speaking(found, name)
