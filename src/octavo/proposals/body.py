"""The text of a pull request, made from what changed and what the runs gave.

What Octavo writes stands between two marks. What a person writes around them stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from octavo.proposals.evidence import Evidence
from octavo.proposals.figures import MOST, Figure
from octavo.render.figures import counted, duration
from octavo.render.marks import code_span, fenced, table
from octavo.render.scraps import scrap_text
from octavo.runs.looking.differing import ValueChange, value_changes
from octavo.value import Value

BEGIN = "<!-- octavo: what follows is brought up to date by `octavo propose` -->"
END = "<!-- octavo: end -->"
#: Says that it is a draft because `--draft` was given, so that the next call may end that.
DRAFT = "<!-- octavo: draft -->"
_REFERS = re.compile(r"^Refs #(\d+)\n" + re.escape(END), re.MULTILINE)
_MOST_SCRAPS = 30
_MOST_NAMES = 30
_LONGEST_TRACEBACK = 4000


class Facts(Value):
    """All that the text of a proposal tells.

    `addresses` are those of figures, by name; None before they were put anywhere.
    """

    name: str
    branch: str
    base: str
    commit: str
    changes: str
    before: Evidence | None
    after: Evidence | None
    remote: str = ""
    arguments: tuple[str, ...] = ()
    figures: Sequence[Figure] = ()
    addresses: Mapping[str, str] | None = None
    issue: int | None = None
    draft: bool = False
    also: tuple[str, ...] = ()
    formerly: str = ""


def merged_body(existing: str, said: str | None, facts: Facts) -> str:
    """The body that a proposal is to have: ours made anew, what people wrote as it is.

    The last end is ours: one before it is a notebook's. Where a forge cut it off, all is ours.
    """
    existing = existing.replace("\r\n", "\n")
    ours = f"{BEGIN}\n{_written(facts.replace(issue=facts.issue or _referred(existing)))}\n{END}"
    start, stop = existing.find(BEGIN), existing.rfind(END)
    if start < 0:
        return _joined(existing if said is None else said, ours)
    below = existing[stop + len(END) :] if stop > start else ""
    return _joined(existing[:start] if said is None else said, ours, below)


def described_body(existing: str, description: str) -> str:
    """A body with another description; what Octavo wrote of runs stays below it."""
    start = existing.find(BEGIN)
    return description if start < 0 else _joined(description, existing[start:])


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, map(str.strip, parts))) + "\n"


def _referred(existing: str) -> int | None:
    """The issue that was named when it was proposed before."""
    found = _REFERS.findall(existing)
    return int(found[-1]) if found else None


def is_our_draft(existing: str) -> bool:
    """Whether a proposal was made a draft by `octavo propose --draft`."""
    return f"{BEGIN}\n{DRAFT}\n" in existing.replace("\r\n", "\n")


def _written(facts: Facts) -> str:
    parts = [part for part in _parts(facts) if part]
    return (f"{DRAFT}\n" if facts.draft else "") + "\n\n".join(parts)


def _parts(facts: Facts) -> Iterator[str]:
    formerly = f", formerly {code_span(facts.formerly, 200)}" if facts.formerly else ""
    yield f"### {code_span(facts.name, 200)}{formerly}"
    yield headline(facts)
    if facts.after is not None:
        yield _results(facts)
        yield _failure(facts.after)
    yield from _figures(facts)
    yield "#### What changed"
    yield facts.changes
    yield _parameters(facts)
    yield _runs(facts)
    yield f"Refs #{facts.issue}" if facts.issue else ""


def headline(facts: Facts) -> str:
    """The outcome in a line: whether it runs, and the values that changed."""
    if facts.after is None:
        return ""
    changes = [each for each in scrap_changes(facts) if each.change == "changed"]
    told = [
        f"{code_span(each.name, 40)} {_value(each.a)} → **{_value(each.b)}**"
        for each in changes[:3]
        if _is_short(each)
    ]
    return " · ".join([outcome(facts.after), *told])


def outcome(evidence: Evidence) -> str:
    """How a run ended, as Markdown."""
    good, words, place = _ending(evidence)
    return f"✅ {words}" if good else f"❌ {code_span(words, 200)}{place}"


def outcome_words(evidence: Evidence) -> str:
    """How a run ended, as a line of text."""
    _, words, place = _ending(evidence)
    return f"{words}{place}"


def _ending(evidence: Evidence) -> tuple[bool, str, str]:
    record = evidence.record
    if record is None:
        return False, f"does not run: {evidence.problem}", ""
    if record.status == "success":
        return True, f"runs, {counted(record.cells_executed, 'cell')} in {_took(record)}", ""
    failed = record.failed_cell
    if failed is None:
        return False, f"{record.reason or record.status}: {record.message}", ""
    return (
        False,
        f"{failed.ename}: {failed.evalue}",
        f" in line {failed.line}" if failed.line else "",
    )


def _took(record: Any) -> str:
    return duration(record.duration_seconds)


def scrap_changes(facts: Facts) -> tuple[ValueChange, ...]:
    """What the notebook handed out, before and after; empty without a run before."""
    before = facts.before.record if facts.before else None
    after = facts.after.record if facts.after else None
    return value_changes(before.scraps if before else {}, after.scraps if after else {})


def _results(facts: Facts) -> str:
    """What both runs gave, side by side."""
    assert facts.after is not None
    changes = scrap_changes(facts)
    if facts.before is None:
        values = [(code_span(each.name, 60), _value(each.b)) for each in changes[:_MOST_SCRAPS]]
        return table(("scrap", "value"), values) if values else ""
    rows = [
        ("run", outcome(facts.before), outcome(facts.after)),
        *((code_span(each.name, 60), *_sides(each)) for each in changes[:_MOST_SCRAPS]),
    ]
    more = len(changes) - _MOST_SCRAPS
    note = f"\n\nand {counted(more, 'more scrap')}" if more > 0 else ""
    return table(("", f"before ({code_span(facts.base, 60)})", "after"), rows) + note


def _sides(change: ValueChange) -> tuple[str, str]:
    if change.change == "added":
        return "", f"**{_value(change.b)}**"
    if change.change == "removed":
        return _value(change.a), "*gone*"
    if change.change == "equal":
        return _value(change.a), _value(change.b)
    return _value(change.a), f"**{_value(change.b)}**{_difference(change)}"


def _difference(change: ValueChange) -> str:
    if change.difference is None:
        return ""
    sign = "+" if change.difference > 0 else "−"
    told = f" ({sign}{abs(change.difference):.4g}"
    return f"{told}, {sign}{abs(change.percent):.3g} %)" if change.percent else f"{told})"


def _value(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:.6g}" if isinstance(value, float) else str(value)[:40]
    return code_span(scrap_text(value, 60), 60)


def _is_short(change: ValueChange) -> bool:
    return all(not isinstance(value, (Mapping, list)) for value in (change.a, change.b))


def _failure(evidence: Evidence) -> str:
    failed = evidence.record.failed_cell if evidence.record else None
    if failed is None:
        return ""
    from octavo.render.columns import plain

    text = plain("\n".join(failed.traceback))[-_LONGEST_TRACEBACK:]
    return _folded("traceback", fenced(text, "text")) if text.strip() else ""


def _figures(facts: Facts) -> Iterator[str]:
    addresses = facts.addresses
    if addresses is None or not facts.figures:
        return
    shown = [each for each in facts.figures[:MOST] if _has_address(each, addresses)]
    if not shown:
        yield f"{counted(len(facts.figures), 'figure')} changed, and cannot be shown here."
        return
    yield "#### Figures that changed"
    rows = [
        (_image(each.before, addresses, "before"), _image(each.after, addresses, "after"))
        for each in shown
    ]
    yield table(("before", "after"), rows)
    if len(facts.figures) > len(shown):
        yield f"and {counted(len(facts.figures) - len(shown), 'more figure')} that changed"


def _has_address(figure: Figure, addresses: Mapping[str, str]) -> bool:
    return any(image and image.name in addresses for image in (figure.before, figure.after))


def _image(image: Any, addresses: Mapping[str, str], label: str) -> str:
    if image is None or image.name not in addresses:
        return ""
    return f"![{label}]({addresses[image.name]})"


def _parameters(facts: Facts) -> str:
    record = facts.after.record if facts.after else None
    given = dict(record.parameters) if record else {}
    if not given:
        return ""
    shown = list(given.items())[:_MOST_NAMES]
    told = ", ".join(f"{code_span(name, 60)} = {_value(value)}" for name, value in shown)
    more = f" and {len(given) - len(shown)} more" if len(given) > len(shown) else ""
    return f"Parameters: {told}{more}"


def _runs(facts: Facts) -> str:
    """Which runs these were, and how to see the same."""
    lines = [
        line
        for label, evidence in (("before", facts.before), ("after", facts.after))
        for line in _run(label, evidence)
    ]
    lines += [f"- also changed: {code_span(name, 200)}" for name in facts.also[:_MOST_NAMES]]
    if len(facts.also) > _MOST_NAMES:
        lines.append(f"- also changed: {counted(len(facts.also) - _MOST_NAMES, 'more file')}")
    commands = fenced("\n".join(_commands(facts)), "sh")
    return _folded("Runs, and how to reproduce them", "\n".join(lines), commands)


def _folded(summary: str, *parts: str) -> str:
    shown = [f"<details><summary>{summary}</summary>", *filter(None, parts), "</details>"]
    return "\n\n".join(shown)


def _run(label: str, evidence: Evidence | None) -> Iterator[str]:
    if evidence is None:
        return
    if evidence.record is None:
        yield f"- {label}: {code_span(evidence.problem, 200)}"
        return
    record = evidence.record
    python = (record.kernel or {}).get("python")
    where = f", Python {code_span(str(python), 20)}" if python else ""
    # As code it is no link: looking for what to link to can bring a Gitea down.
    at = f" at {code_span(evidence.side.commit[:10])}"
    yield f"- {label}: {code_span(record.run_id)}{at}, {_took(record)}{where}"


def _commands(facts: Facts) -> Iterator[str]:
    name, branch = quote(facts.name), quote(facts.branch)
    if facts.remote:
        yield f"git fetch {quote(facts.remote)} {branch}"
    yield f"git switch {branch}"
    yield " ".join(["octavo run", name, *map(quote, facts.arguments)])
    yield f"octavo diff {quote(facts.base)}...{branch} -- {name}"
