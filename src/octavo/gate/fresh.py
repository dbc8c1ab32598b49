"""A notebook that has to be looked at: linted, run and judged, for each set of its values."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo.errors import OctavoError
from octavo.gate.block import CheckBlock, ValueSet, check_block
from octavo.gate.checking import Checking
from octavo.gate.comparing.rules import Rules
from octavo.gate.judging import UNCOMPARED, judge, read_executed
from octavo.gate.memory.entries import Entry, Inputs, Passed, joined
from octavo.gate.nbval.markers import marked
from octavo.gate.nbval.sanitize import Sanitizer, read_sanitizer
from octavo.gate.options import Options, as_said
from octavo.gate.references.reading import read_reference
from octavo.gate.verdicts import CellVerdict, Finding, NotebookVerdict
from octavo.gate.wording import concluded, interrupted, recalled, refused
from octavo.records.record import RunRecord
from octavo.runs.execution import execute
from octavo.runs.given import given_values
from octavo.runs.plan import Plan, plan
from octavo.runs.request import RunRequest
from octavo.sources import SourceFile, read_source
from octavo.value import Value

CHANGED = "source-changed"
#: Endings after which what a cell gave is no reference.
_NOBODY_KNOWS = ("infrastructure", "interrupted", "runner-died")


class Subject(Value):
    """A notebook that was read, and what its check goes by."""

    shown: str
    source: SourceFile
    block: CheckBlock
    options: Options
    rules: Rules


class Checked(Value):
    """A verdict, and the record that it rests on; None where nothing was run."""

    verdict: NotebookVerdict
    record: RunRecord | None = None


async def check_afresh(path: Path, shown: str, checking: Checking) -> tuple[NotebookVerdict, ...]:
    """Check a notebook; a set of values that is known to pass is not run again."""
    try:
        subject = _subject(path, shown, checking)
        sets = subject.block.value_sets()
    except OctavoError as error:
        return (refused(shown, "", error),)
    if subject.block.skip:
        return (_skipped(subject, checking),)
    content = subject.source.text.encode("utf-8")
    key = checking.keys.of(path, content)
    known = checking.recall(path, key)
    checked = await asyncio.gather(*(_check_set(subject, each, known, checking) for each in sets))
    checked = _with_evidence(subject, checked, checking)
    if key != checking.keys.of(path, content):
        key = None  # somebody changed the reference meanwhile: nobody knows which one was met
    _remember(key, subject, checked, known, checking)
    return tuple(each.verdict for each in checked)


def _skipped(subject: Subject, checking: Checking) -> NotebookVerdict:
    """Not run, as its author wants; outputs that are committed with it are looked at anyway."""
    required = subject.options.require_records
    findings = checking.evidence.unproven(subject.source, (), subject.rules, required=required)
    skipped = NotebookVerdict(
        subject.shown, "", "skipped", message=subject.block.skip, findings=findings
    )
    if required and findings:
        message = findings[0].message
        return skipped.replace(outcome="failed", reason="evidence", message=message)
    return skipped


def _subject(path: Path, shown: str, checking: Checking) -> Subject:
    source = read_source(path)
    block = check_block(source)
    options = as_said(checking.options, block, str(path.parent))
    sanitizer = read_sanitizer(options.sanitize_with) if options.sanitize_with else Sanitizer()
    rules = Rules(sanitizer, options.tolerance, options.image_threshold)
    return Subject(shown, source, block, options, rules)


async def _check_set(
    subject: Subject, values: ValueSet, known: Entry | None, checking: Checking
) -> Checked:
    """Lint, run and judge a notebook with one set of values, unless it is known to pass."""
    if known is not None and values.name in known.sets:
        return Checked(recalled(subject.shown, values.name, known.sets[values.name]))
    context = checking.context
    try:
        request = _request(subject, values).replace(**checking.asked)
        given = given_values(request, context.cwd)
        planned = plan(subject.source.path, given, None, request, context, request.source)
        findings = _linted(subject, planned)
        read_reference(subject.source, values.name)
    except OctavoError as error:
        return Checked(refused(subject.shown, values.name, error))
    blank = NotebookVerdict(
        subject.shown, values.name, "failed", parameters=values.values, findings=findings
    )
    if any(each.severity == "error" for each in findings):
        return Checked(concluded(blank, None))
    async with checking.places:
        if context.stop.requested:
            return Checked(interrupted(blank))
        result = await execute(planned, request, context)
    record = context.store(subject.source.path).find(result.run_id).record()
    blank = blank.replace(findings=(*findings, *_changed_meanwhile(subject, record)))
    return Checked(_judged(subject, blank, record), record)


def _changed_meanwhile(subject: Subject, record: RunRecord) -> Iterator[Finding]:
    """A verdict is about what was run, which need not be what lies there now."""
    path = Path(subject.source.path)
    kept = f"what ran is in {record.directory}"
    try:
        same = path.read_bytes() == subject.source.text.encode("utf-8")
    except OSError:
        message = "the notebook's own file was gone when it had run"
        yield Finding(CHANGED, "error", message, subject.shown, hint=kept)
        return
    if not same:
        message = "the notebook's own file was changed while it ran; this is about it as it was"
        yield Finding(CHANGED, "warning", message, subject.shown, hint="check it again")


def _request(subject: Subject, values: ValueSet) -> RunRequest:
    source, options = subject.source, subject.options
    return RunRequest(
        paths=(source.path,),
        values=values.values,
        source=source.replace(notebook=marked(source.notebook)),
        keep_going=True,
        observe=True,
        timeout=options.timeout,
        cell_timeout=options.cell_timeout,
        memory=options.memory,
    )


def _linted(subject: Subject, planned: Plan) -> tuple[Finding, ...]:
    if not subject.options.lint:
        return ()
    from octavo.gate.preflight.examine import examine

    added = planned.launch.variables.get("PYTHONPATH", "").split(os.pathsep)
    return examine(subject.source, subject.shown, planned.environment, [*filter(None, added)])


def _judged(subject: Subject, blank: NotebookVerdict, record: RunRecord) -> NotebookVerdict:
    """What a run is worth; with `--update` after what it gave was accepted."""
    executed = read_executed(record)
    rules, options = subject.rules, subject.options

    def judged(source: SourceFile) -> NotebookVerdict:
        reference = read_reference(source, blank.values)
        cells = judge(source.notebook, record, executed, reference, rules, strict=options.strict)
        findings = (*blank.findings, *_uncompared(blank.path, cells))
        verdict = blank.replace(cells=cells, findings=findings)
        return concluded(verdict, record, may_exit=options.early_exit)

    try:
        if not options.update:
            return judged(subject.source)
        if record.reason in _NOBODY_KNOWS:
            return judged(subject.source)
        accepted = _accept(subject, blank.values, record, executed)
        # An `.ipynb` holds its own reference, and has another one now.
        source = read_source(subject.source.path) if accepted else subject.source
        return judged(source).replace(updated=accepted)
    except OctavoError as error:
        return refused(blank.path, blank.values, error).replace(run_id=record.run_id)


def _uncompared(path: str, cells: Sequence[CellVerdict]) -> Iterator[Finding]:
    """A warning for every cell that is to be compared, and passes because nothing is there."""
    hint = "accept it with --update; where git takes outputs out, tag the cell keep_output"
    for cell in cells:
        if cell.outcome == "passed" and cell.message == UNCOMPARED:
            yield Finding("no-reference", "warning", UNCOMPARED, path, cell=cell.index, hint=hint)


def _accept(
    subject: Subject, values: str, record: RunRecord, executed: Mapping[str, Any]
) -> tuple[int, ...]:
    from octavo.gate.references.writing import accept

    reference = read_reference(subject.source, values)
    strict = subject.options.strict
    return accept(subject.source, record, executed, reference, subject.rules, strict=strict)


def _with_evidence(subject: Subject, checked: list[Checked], checking: Checking) -> list[Checked]:
    """With what is to be said of committed outputs, in the first verdict that rests on a run."""
    records = [each.record for each in checked if each.record is not None]
    if not records or subject.options.update:
        return checked
    known = [_record(each.verdict.run_id, subject, checking) for each in checked if not each.record]
    findings = checking.evidence.unproven(
        subject.source,
        [*records, *filter(None, known)],
        subject.rules,
        required=subject.options.require_records,
    )
    if not findings:
        return checked
    first = next(each for each in checked if each.record is not None)
    verdict = first.verdict.replace(findings=(*first.verdict.findings, *findings))
    exits = subject.options.early_exit
    told = first.replace(verdict=concluded(verdict, first.record, may_exit=exits))
    return [told if each is first else each for each in checked]


def _record(run_id: str | None, subject: Subject, checking: Checking) -> RunRecord | None:
    """The record of an earlier run, if it is still there."""
    try:
        store = checking.context.store(subject.source.path)
        return store.find(run_id).record() if run_id else None
    except OctavoError:
        return None


def _remember(
    key: str | None,
    subject: Subject,
    checked: Sequence[Checked],
    known: Entry | None,
    checking: Checking,
) -> None:
    """Keep what passed, with all that it rests on; what failed is run again next time."""
    passed: dict[str, Passed] = {}
    inputs: list[Inputs] = [known.inputs] if known is not None else []
    for each in checked:
        name = each.verdict.values
        if each.verdict.reused and known is not None:
            passed[name] = known.sets[name]
        elif each.verdict.outcome == "passed" and each.record is not None:
            seen = _inputs(subject, each.record, checking)
            if seen is not None:
                inputs.append(seen)
                passed[name] = _passed(each.verdict)
    together = joined(inputs)
    entry = None
    # What was accepted just now is another reference, with another key.
    if passed and together is not None and not any(each.verdict.updated for each in checked):
        whole = len(passed) == len(checked)
        on_ci = checking.options.on_ci
        entry = Entry(passed, together, whole=whole, ci=on_ci)
    checking.memory.remember(subject.source.path, key, entry)


def _inputs(subject: Subject, record: RunRecord, checking: Checking) -> Inputs | None:
    sanitizer = subject.options.sanitize_with
    also = [*([sanitizer] if sanitizer else []), *_asked_of_git(subject, checking)]
    return checking.memory.inputs_of_record(record, declared=subject.block.data, also=also)


def _asked_of_git(subject: Subject, checking: Checking) -> tuple[str, ...]:
    """What says which outputs are committed or archived, where the verdict depends on that."""
    return checking.evidence.rests_on.get(subject.source.path, ())


def _passed(verdict: NotebookVerdict) -> Passed:
    return Passed(
        verdict.run_id or "",
        verdict.duration_seconds,
        verdict.parameters,
        verdict.scraps,
        verdict.findings,
    )
