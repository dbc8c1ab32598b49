"""What of a session is worth a notebook: cells without attempts, constants as parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from octavo.errors import UsageError
from octavo.notebook.injection import PARAMETERS_TAG
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.names import CellNames, analyse
from octavo.notebook.syntax import parse_cell
from octavo.sessions.document import DocumentCell
from octavo.sessions.values import CellInfo
from octavo.value import Value

_NEW = "parameters"
_LISTED = 8
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Dropped(Value):
    """A cell of a session that is left out, and why."""

    index: int
    first_line: str
    why: str


class Distilled(Value):
    """The cells to keep. `record_cells` are their executions."""

    cells: tuple[DocumentCell, ...]
    record_cells: tuple[int, ...]
    dropped: tuple[Dropped, ...]


def distil(cells: Sequence[DocumentCell], infos: Sequence[CellInfo], position: int) -> Distilled:
    """What the state is made of, without what failed and without what was only said twice."""
    whys = {
        info.index: _why_dropped(each, info, position)
        for each, info in zip(cells, infos, strict=True)
    }
    whys |= _repeated([each for at, each in enumerate(cells) if not whys[at]], cells)
    kept = [at for at in range(len(cells)) if not whys[at]]
    executed = (infos[at].record_cell for at in kept if cells[at].runs)
    return Distilled(
        tuple(cells[at] for at in kept),
        tuple(cell for cell in executed if cell is not None),
        tuple(
            Dropped(at, infos[at].first_line, why)
            for at, why in whys.items()
            if why and not cells[at].injected
        ),
    )


def _why_dropped(each: DocumentCell, info: CellInfo, position: int) -> str:
    if each.injected:
        return "holds the values of one run"
    if not each.runs:
        return ""
    if info.status == "failed":
        return "failed"
    return "not executed in this state" if info.index >= position else ""


def _repeated(kept: Sequence[DocumentCell], cells: Sequence[DocumentCell]) -> dict[int, str]:
    """Cells of the session that say again what a cell before them said, to no effect."""
    names = {cell.index: cell for cell in analyse(Notebook(tuple(e.cell for e in kept))).cells}
    found: dict[int, str] = {}
    seen: set[str] = set()
    last = ""
    for at, each in enumerate(kept):
        if not each.runs:
            continue
        source = each.cell.source.strip()
        again = source in seen and each.origin is None
        if not source or (again and _is_idle(names.get(at), source == last)):
            found[cells.index(each)] = "said before" if source else "empty"
            continue
        seen.add(source)
        last = source
    return found


def _is_idle(cell: CellNames | None, follows: bool) -> bool:
    """Whether executing a cell again changes nothing; `follows` when it was executed just now."""
    if cell is None or cell.unknown or cell.changed or cell.deleted:
        return False
    return not cell.defined or (follows and not set(cell.defined) & set(cell.used))


def with_parameters(
    cells: Sequence[DocumentCell], names: Sequence[str]
) -> tuple[DocumentCell, ...]:
    """Constants that the cells assign as parameters, in the cell that declares them."""
    wanted = [name for name in dict.fromkeys(names) if name not in _declared(cells)]
    for name in wanted:
        _constant(cells, name)  # all of them can be had, before any is taken out
    lines = []
    changed = list(cells)
    for name in wanted:
        at, constant = _constant(changed, name)
        lines.append(constant.text)
        source = _without(changed[at].cell.source, constant)
        changed[at] = changed[at].replace(cell=changed[at].cell.replace(source=source, line=1))
    if lines:
        changed = _declaring(changed, lines)
    emptied = {each.key for each in changed if each.runs and not each.cell.source.strip()}
    return tuple(each for each in changed if each.key not in emptied)


def _parameters(cells: Sequence[DocumentCell]) -> int | None:
    found = (at for at, each in enumerate(cells) if _declares(each))
    return next(found, None)


def _declares(each: DocumentCell) -> bool:
    return each.cell.kind == "code" and PARAMETERS_TAG in each.cell.tags


def _declared(cells: Sequence[DocumentCell]) -> set[str]:
    at = _parameters(cells)
    return set() if at is None else {c.name for c in _constants(cells[at].cell.source)}


def _declaring(cells: list[DocumentCell], lines: list[str]) -> list[DocumentCell]:
    """The cells with these lines in the one that declares parameters, which may be a new one."""
    at = _parameters(cells)
    if at is not None:
        source = "\n".join([cells[at].cell.source.rstrip("\n"), *lines])
        declaring = cells[at].replace(cell=cells[at].cell.replace(source=source, line=1))
        return [*cells[:at], declaring, *cells[at + 1 :]]
    first = next((n for n, each in enumerate(cells) if each.cell.kind == "code"), len(cells))
    made = Cell("code", "\n".join(lines), {"tags": [PARAMETERS_TAG]})
    return [*cells[:first], DocumentCell(_NEW, made), *cells[first:]]


class _Constant(Value):
    """An assignment of a literal at the top of a cell: its first and last line, and their text."""

    name: str
    start: int
    end: int
    text: str
    alone: bool


def _constants(source: str) -> Iterator[_Constant]:
    parsed = parse_cell(source)
    if parsed is None:
        return
    lines = source.split("\n")
    body = parsed[0].body
    for node in body:
        name = _assigned(node)
        if name is None:
            continue
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        taken = sum(1 for other in body if other.lineno <= end and (other.end_lineno or 0) > start)
        yield _Constant(name, start, end, "\n".join(lines[start:end]), taken == 1)


def _assigned(node: ast.stmt) -> str | None:
    """The name that a statement gives a literal to."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return None
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return target.id if isinstance(target, ast.Name) else None


def _constant(cells: Sequence[DocumentCell], name: str) -> tuple[int, _Constant]:
    """Where the one constant of a name is; UsageError when it is none, or not the only one."""
    code = [(at, each.cell.source) for at, each in enumerate(cells) if each.runs]
    found = [(at, c) for at, source in code for c in _constants(source) if c.name == name]
    if not found:
        usable = (c.name for _, source in code for c in _constants(source) if c.alone)
        listed = ", ".join([*dict.fromkeys(usable)][:_LISTED])
        hint = f"constants are: {listed}" if listed else "assign one in a cell: limit = 0.5"
        raise _refused(name, "no cell that is kept gives it a constant", hint)
    count = sum(bound == name for _, source in code for bound in _bound(source))
    if count > 1:
        hint = "a parameter is assigned once: what comes later would take its place"
        raise _refused(name, f"it is assigned {count} times", hint)
    if not found[0][1].alone:
        constant = found[0][1]
        hint = "put the assignment on a line of its own with `session edit`"
        raise _refused(name, f"other code stands beside it: {constant.text.strip()[:60]}", hint)
    return found[0]


def _refused(name: str, why: str, hint: str) -> UsageError:
    return UsageError("wrong-argument", f"--parameter {name}: {why}", hint=hint)


def _bound(source: str) -> Iterator[str]:
    """The names that a cell binds outside of functions and classes, each as often as it does."""
    parsed = parse_cell(source)
    waiting: list[ast.AST] = [parsed[0]] if parsed is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, _BINDING):
            yield node.name
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _without(source: str, constant: _Constant) -> str:
    lines = source.split("\n")
    return "\n".join([*lines[: constant.start], *lines[constant.end :]]).strip("\n")
