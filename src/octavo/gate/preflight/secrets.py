"""Secrets in sources and outputs, by their shape or by the name that they are given.

A finding says what kind of secret it is and where; the secret itself is told to nobody.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.gate.preflight.naming import Looked
from octavo.gate.preflight.rules import finding
from octavo.gate.verdicts import Finding
from octavo.notebook.syntax import parse_cell
from octavo.sources import SourceFile

_SHAPES = {
    "an AWS access key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b",
    "an AWS secret key": r"(?i:aws.{0,12}secret.{0,20})[\"'=:\s]+[A-Za-z0-9/+]{40}(?![\w/+])",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    "a GitLab token": r"\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|soat|agent)-[\w-]{20,}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Z0-9]+-\d+-[a-f0-9]+",
    "a Slack webhook": r"hooks\.slack\.com/(?:services|workflows)/T\w+/\w+/\w+",
    "a Google API key": r"\bAIza[0-9A-Za-z_-]{35}(?![\w-])",
    "a Google OAuth token": r"\bya29\.[\w-]{20,}",
    "a Gitea token": (
        r"(?i:gitea\w{0,40}(?:token|key|secret|pat)\w{0,40}[\"']?\s*[=:]\s*[\"']?"
        r"|authorization[\"':\s]+token\s+)[0-9a-f]{40}\b"
    ),
    "a private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "a JSON Web Token": r"\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,}",
    "a Stripe key": r"\b[sr]k_live_[0-9A-Za-z]{16,}",
    "an API key of a model": (
        r"\bsk-(?:(?:proj|svcacct|admin|or-v1|ant-[a-z0-9]+)-[A-Za-z0-9_-]{32,}"
        r"|[A-Za-z0-9]{32,}(?![\w-]))"
    ),
    "a Hugging Face token": r"\bhf_[A-Za-z]{34}\b",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "a PyPI token": r"\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}",
    "an Azure storage key": r"\bAccountKey=[A-Za-z0-9+/]{86}==",
    "a Databricks token": r"\bdapi[0-9a-f]{32}\b",
    "a SendGrid key": r"\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])",
    "a Telegram token": r"\b\d{8,10}:AA[\w-]{33}(?![\w-])",
    "a password in a connection": r"(?i)\b(?:password|pwd)=[^;\s\"'{}<$*%]{4,80};",
    "a password in an address": (
        r"\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@\"'{}<$?#]{0,200}:[^\s/:\"'{}<$*?#]{3,200}@[\w.-]+"
    ),
}
_ANY = {kind: re.compile(shape) for kind, shape in _SHAPES.items()}
#: A text in which none of these occurs holds none of the above.
_HINTS = (
    *(
        "AKIA",
        "ASIA",
        "ABIA",
        "ACCA",
        "gh",
        "github_pat_",
        "gl",
        "xox",
        "xapp-",
        "hooks.slack",
        "AIza",
        "ya29.",
    ),
    *("PRIVATE KEY", "eyJ", "k_live_", "sk-", "hf_", "npm_", "pypi-", "://"),
    *("AccountKey=", "dapi", "SG.", ":AA"),
)
_HINTS_ANYWAY = re.compile(r"(?i)gitea|authorization|aws|(?:password|pwd)=")
_PASSWORD = re.compile(
    r"(?i)(?:^|_|(?<=[a-z]))(?:password|passwd|passphrase|pwd"
    r"|(?:db|user|root|admin|ssh|smtp|mail|ftp|sql|pg)_?pass)\d*$"
)
_TOKEN = re.compile(
    r"(?i)(?:^|_|(?<=[a-z]))"
    r"(?:secret|token|api_?key|access_?key|secret_?key|private_?key|auth_?key|credentials?)\d*$"
)
_PLACEHOLDER = re.compile(
    r"(?i)^$|^(.)\1*$|xxx|\*\*\*|\.\.\.|…|change.?me|your|my.?(?:pass|secret|token|key)|example|"
    r"dummy|placeholder|todo|redacted|hidden|^<.*>$|^\[.*\]$|\$\{|\{\{|^\$|^none$|^null$|^test|"
    r"^pass(?:word|wd)?$|^pwd$|^pw$|^secret$|^token$|^fake|^sample|^default$|^\{\w*\}$|^%\("
)
#: What is given to a name and is no secret: other names, kinds of columns, files, expressions.
_SPEAKING = re.compile(
    r"(?i)passw|passphrase|pwd|secret|token|api.?key|credential|^[~.]{0,2}/|/.*/|^#.*#$|^\^.*\$$|^<.*>\d*$|"
    r"\.(?:json|ya?ml|toml|ini|cfg|conf|env|txt|csv|pem|key|crt|p12|pickle|pkl|db)$|^https?:|"
    r"^(?:str|string|object|category|text|varchar|char|int|bool|float|hash|bytes|input|field|column|"
    r"required|optional|missing|empty|false|true)\w{0,3}$|^id_\w+$"
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
#: Functions that are given the name of a variable and its value, or what it has without one.
_GIVING = ("get", "getenv", "putenv", "setdefault", "setenv")
#: Where letters are only a picture.
_PICTURES = ("image/", "audio/", "video/", "application/pdf", "application/vnd.holoviews")
_LONGEST = 2_000_000


def secret_findings(looked: Looked, source: SourceFile) -> Iterator[Finding]:
    """Secrets in the cells of a notebook, and in the outputs of an `.ipynb`."""
    for index, cell in enumerate(looked.notebook.cells):
        told: set[tuple[int, str]] = set()
        for line, kind in (*shaped(cell.source), *_named(cell.kind, cell.source, looked)):
            if all(line != other for other, _ in told):
                told.add((line, kind))
                yield _finding(looked, kind, index, looked.line(index, line))
    if source.format == "ipynb":
        yield from _in_outputs(looked, source.text)


def _finding(looked: Looked, kind: str, cell: int, line: int | None) -> Finding:
    where = "this line holds" if line is not None else "the outputs of this cell hold"
    return finding(
        "secret",
        f"{where} what looks like {kind}",
        looked.path,
        line=line,
        cell=cell,
        hint="" if line is not None else "clear the outputs, and revoke it",
    )


def hidden(text: str) -> str:
    """A text that quotes a notebook, without the secrets that are in it."""
    if not _may_hold(text):
        return text
    for kind, shape in _ANY.items():
        text = shape.sub(f"[{kind}]", text)
    return text


def _may_hold(text: str) -> bool:
    return any(hint in text for hint in _HINTS) or _HINTS_ANYWAY.search(text) is not None


def shaped(text: str) -> Iterator[tuple[int, str]]:
    """Line and kind of everything in a text that has the shape of a secret."""
    if not _may_hold(text):
        return
    for kind, shape in _ANY.items():
        for found in shape.finditer(text[:_LONGEST]):
            if not _PLACEHOLDER.search(_secret_part(kind, found[0])):
                yield text.count("\n", 0, found.start()) + 1, kind


def _secret_part(kind: str, found: str) -> str:
    """What must be no placeholder: of an address the password, else the end."""
    if kind == "a password in an address":
        return found.partition("://")[2].partition(":")[2].rpartition("@")[0]
    if kind == "a password in a connection":
        return found.partition("=")[2].removesuffix(";")
    return "" if not found else found[-12:] if kind != "a private key" else "-key-"


def _named(kind: str, text: str, looked: Looked) -> Iterator[tuple[int, str]]:
    """Texts that are given to something called a password, a token or a key."""
    if kind != "code" or not looked.notebook.is_python:
        return
    lower = text.lower()
    if not any(word in lower for word in ("pass", "pwd", "secret", "token", "key", "credential")):
        return
    parsed = parse_cell(text)
    for node in ast.walk(parsed[0]) if parsed else ():
        for name, value in _given(node):
            called = _what(name, value)
            if called:
                yield value.lineno, called


def _given(node: ast.AST) -> Iterator[tuple[str, ast.Constant]]:
    """Names and the texts that they are given: assignments, arguments, keys."""
    pairs: list[tuple[ast.AST | None, ast.AST | None]] = []
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        pairs = [(node.target, node.value)]
    elif isinstance(node, ast.Dict):
        pairs = [*zip(node.keys, node.values, strict=True)]
    elif isinstance(node, ast.keyword) and node.arg:
        pairs = [(ast.Name(node.arg), node.value)]
    elif isinstance(node, ast.Call) and len(node.args) == 2:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        pairs = [(node.args[0], node.args[1])] if called in _GIVING else []
    for target, value in pairs:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield _name(target), value


def _name(node: ast.AST | None) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _name(node.slice)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def _what(name: str, value: ast.Constant) -> str:
    text = str(value.value)
    if any(letter.isspace() for letter in text) or _PLACEHOLDER.search(text):
        return ""
    if _SPEAKING.search(text):
        return ""
    if _PASSWORD.search(name):
        return "a password" if len(text) >= 4 else ""
    mixed = any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
    if _TOKEN.search(name) and len(text) >= 10 and mixed and "://" not in text:
        return "a token or key"
    return ""


def _in_outputs(looked: Looked, text: str) -> Iterator[Finding]:
    if '"outputs"' not in text:
        return
    try:
        document = json.loads(text.removeprefix("\ufeff"))
        cells = document.get("cells") or ()
    except (ValueError, AttributeError, RecursionError):
        return
    for index, cell in enumerate(cells):
        if isinstance(cell, Mapping) and isinstance(cell.get("outputs"), list):
            parts = (_COLOURS.sub("", part) for part in _texts(cell["outputs"]))
            kinds = {kind for part in parts for _, kind in shaped(part)}
            for kind in sorted(kinds):
                yield _finding(looked, kind, index, None)


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """All texts of an output that people could read; lists of lines as one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if not str(name).startswith(_PICTURES):
                yield from _texts(inner, str(name))
    elif isinstance(value, list):
        if value and all(isinstance(part, str) for part in value):
            yield "".join(value)
        else:
            for inner in value:
                yield from _texts(inner, key)
