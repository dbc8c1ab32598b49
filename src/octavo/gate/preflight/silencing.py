"""Findings that the author has seen and wants to hear no more of.

`# octavo: ignore` on the line, `# octavo: ignore[rule, rule]` for some rules only, or the tag
`octavo-ignore-<rule>` on the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from octavo.gate.preflight.rules import RULES, finding
from octavo.gate.verdicts import Finding
from octavo.notebook.model import Notebook
from octavo.value import Value

_COMMENT = re.compile(r"(?:^|\s)(?:#|<!--)\s*octavo:\s*ignore(?:\[([^\]]*)\])?(?![\w-])")
_TAG = "octavo-ignore-"


class _Silencer(Value):
    """Something that silences: a cell, a line of it or all of them, a rule or all of them."""

    cell: int
    line: int | None
    rule: str | None
    spelled: str

    def silences(self, found: Finding) -> bool:
        return (
            found.cell == self.cell
            and (self.line is None or found.line == self.line)
            and (self.rule is None or found.rule == self.rule)
        )


def unsilenced(findings: Iterable[Finding], notebook: Notebook, path: str) -> list[Finding]:
    """The findings that remain, and a note for whatever silences nothing."""
    silencers = [*_silencers(notebook)]
    if not silencers:
        return [*findings]
    used: set[_Silencer] = set()
    left: list[Finding] = []
    for found in findings:
        matching = [each for each in silencers if each.silences(found)]
        used.update(matching)
        if not matching:
            left.append(found)
    return [*left, *(_unused(each, notebook, path) for each in silencers if each not in used)]


def _silencers(notebook: Notebook) -> Iterator[_Silencer]:
    for index, cell in enumerate(notebook.cells):
        for tag in cell.tags:
            if isinstance(tag, str) and tag.startswith(_TAG):
                yield _Silencer(index, None, tag.removeprefix(_TAG), f"the tag `{tag}`")
        if "octavo:" not in cell.source:
            continue
        for number, line in enumerate(cell.source.split("\n")):
            for found in _COMMENT.finditer(line):
                yield from _in_comment(found, index, cell.line + number)


def _in_comment(found: re.Match[str], cell: int, line: int) -> Iterator[_Silencer]:
    if found[1] is None:
        yield _Silencer(cell, line, None, "`octavo: ignore`")
        return
    for rule in (each.strip() for each in found[1].split(",")):
        yield _Silencer(cell, line, rule, f"`octavo: ignore[{rule}]`")


def _unused(silencer: _Silencer, notebook: Notebook, path: str) -> Finding:
    known = silencer.rule is None or silencer.rule in RULES
    line = silencer.line if silencer.line is not None else notebook.cells[silencer.cell].line
    why = "silences nothing" if known else "names no rule"
    hint = "" if known else f"the rules are {', '.join(RULES)}"
    return finding(
        "unused-ignore", f"{silencer.spelled} {why}", path, line=line, cell=silencer.cell, hint=hint
    )
