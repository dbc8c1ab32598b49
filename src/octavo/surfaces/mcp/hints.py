"""What commands are called here: hints of the command line in the names of tools."""

from __future__ import annotations

import re
from collections.abc import Collection

_ID = r"([\w.~-]*\w)"
_QUOTED = r"(?:'[^']*'|\"[^\"]*\"|…)"
_FILE = r"([^\s`,;]+\.(?:py|md|ipynb))"
_STDIN = r"(?:; - reads it from standard input)?"
#: Commands, and the tools that do the same; the first that fits is taken.
_TOOLS = tuple(
    (re.compile(pattern), tool)
    for pattern, tool in (
        (rf"session restore {_ID}", r'session_start(restore="\1")'),
        (rf"session restart {_ID}", r'session_rewind(session="\1", cell=0)'),
        (r"session restart", "session_rewind to cell 0"),
        (rf"session run-all {_ID}", r'session_execute(session="\1", cell="all")'),
        (rf"session run-cell {_ID} {_ID}", r'session_execute(session="\1", cell="\2")'),
        (rf"session start {_FILE}(?: -p \S+ \S+)*", r'session_start(notebook="\1", parameters=…)'),
        (r"session start", "session_start"),
        (r"session list(?: --all)?", "runs_list"),
        (rf"session show {_ID}", r'run_result(run="\1")'),
        (rf"session (?:vars|preview) {_ID}", r'session_variables(session="\1")'),
        (
            rf"session edit {_ID} {_ID} (?:SOURCE|{_QUOTED}) --run{_STDIN}",
            r'session_execute(session="\1", cell="\2", code=…)',
        ),
        (r"session edit … --delete takes a cell away, and (?=an )", ""),
        (r"session edit", "session_execute"),
        (rf"session exec {_ID} {_QUOTED}{_STDIN}", r'session_execute(session="\1", code=…)'),
        (rf"session interrupt {_ID}", "job_cancel with its job"),
        (
            rf"session rewind {_ID} {_ID} --restore-files",
            r'session_rewind(session="\1", cell="\2", restore_files=true)',
        ),
        (rf"session save {_ID} {_FILE}", r'session_save(session="\1", path="\2")'),
        (rf"session stop {_ID}", r'session_stop(session="\1")'),
        (r"session$", "session"),
        (rf"job wait {_ID}", r'job_wait(job="\1")'),
        (rf"job cancel {_ID}", r'job_cancel(job="\1")'),
        (rf"job (?:list|poll(?: {_ID})?)", "runs_list"),
        (r"show (\S+?)(?: --errors)?(?=[\s;,`]|$)", r'run_result(run="\1")'),
        (r"read (\S+) --offset (\d+)", r'run_result(handle="\1", offset=\2)'),
        (rf"read {_FILE}", r'notebook_read(path="\1")'),
        (r"read (?=tells|shows)", "notebook_read "),
        (r"read ([\w.~-]{4,}\w)", r'run_result(run="\1")'),
        (r"read\b", "notebook_read"),
        (r"runs\b", "runs_list"),
        (rf"rerun {_ID}(?![\w.~-]| --hold)", "notebook_execute"),
        (r"run (?:- < )?([^\s`,;]+)(?: -p \S+ \S+)*", r'notebook_execute(path="\1")'),
        (rf"create {_QUOTED}", "notebook_create(task_description=…)"),
        (r"create\b", "notebook_create"),
        (rf"edit {_FILE} {_ID} --source {_QUOTED}", r'notebook_edit(path="\1", cell_index=\2, …)'),
        (r"edit\b", "notebook_edit"),
        (rf"check {_FILE}(?! \S*--)", r'notebook_check(paths=["\1"])'),
        (r"(?:check|lint)\b(?! \S*--)", "notebook_check"),
        (r"review (\d+)", r"notebook_review(number=\1)"),
        (r"review\b", "notebook_review"),
        (r"diff (\S+\.\.\.?\S+)", r'notebook_diff(against="\1")'),
        (r"diff\b", "notebook_diff"),
        (
            r"proposals(?: --state all)?`?( lists .*)?$",
            "notebook_pr(branch=…) tells the number",
        ),
        (r"comment \d+ .*", "proposal_comment(number=…, text=…)"),
        (r"compare\b", "runs_compare"),
    )
)
_COMMAND = re.compile(r"`octavo ([^`]+)`|\boctavo (?=[a-z])")
_VALUE = re.compile(r"-p ([A-Za-z_]\w*) VALUE")
_OPTION = re.compile(
    r"(?<![\w-])--([a-z][a-z-]*)(?:[ =]([A-Za-z0-9_][\w./-]*)(?=[;,.]|$| adds| starts| puts))?"
)
_SWITCHES = frozenset({"force", "draft", "strict", "restore_files", "push", "no_code", "all"})
_NAMED = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_OTHERS = re.compile(r"^\s*(?:\w[\w ]*: )?(?:git|uv|pip|npm|cargo|jupyter|make it again with)\b")
_BETWEEN = re.compile(r"(; |, or | or (?=--)|, (?=--))")


def in_tools(text: str, arguments: Collection[str] = ()) -> str:
    """A hint for the command line in the names of tools and of a tool's arguments, where there
    are such. What speaks of options that the tool does not have is left out."""
    if "octavo " in text:
        text = _commands(text)
    text = text.replace("`--allow-unknown` injects it anyway", "give those that it declares")
    text = text.replace("list those there are: octavo proposals", "octavo proposals")
    text = _VALUE.sub(r'parameters={"\1": …}', text)
    return _options(text, arguments) if "--" in text else text


def in_words(text: str, arguments: Collection[str] = ()) -> str:
    """A message or a place likewise; nothing of it is left out."""
    told = _commands(text) if "octavo " in text else text
    return _NAMED.sub(
        lambda option: name if (name := option[1].replace("-", "_")) in arguments else option[0],
        told,
    )


def _commands(text: str) -> str:
    told, at = "", 0
    for found in _COMMAND.finditer(text):
        if found.start() < at:
            continue
        begin = found.start(1) if found[1] else found.end()
        for pattern, tool in _TOOLS:
            meant = pattern.match(text, begin)
            if meant is not None:
                end = meant.end() + (1 if found[1] and text[meant.end() :][:1] == "`" else 0)
                told += text[at : found.start()] + meant.expand(tool)
                at = end
                break
    return told + text[at:]


def _options(text: str, arguments: Collection[str]) -> str:
    parts = _BETWEEN.split(text)
    kept: list[str] = []
    for number, part in enumerate(parts[::2]):
        shown = _renamed(part, arguments)
        if shown is not None:
            kept += [*parts[2 * number - 1 : 2 * number][: bool(kept)], shown]
    return "".join(kept) or text


def _renamed(part: str, arguments: Collection[str]) -> str | None:
    """A part of a hint with names of arguments; None when it is about an option that is none."""
    if _OTHERS.match(part) or "octavo " in part:
        return part
    for option in _OPTION.finditer(part):
        if option[1].replace("-", "_") not in arguments:
            return None
    return _OPTION.sub(_argument, part)


def _argument(option: re.Match[str]) -> str:
    name = option[1].replace("-", "_")
    if option[2] is not None:
        return f'{name}="{option[2]}"'
    return f"{name}=true" if name in _SWITCHES else name
