"""What differs between two runs, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from octavo.render.columns import clip, fit, one_line, pad, plain, width
from octavo.render.figures import ago, counted, duration
from octavo.render.places import near_path
from octavo.render.scraps import scrap_text
from octavo.render.style import Style
from octavo.render.summary import short_id
from octavo.render.tables import table
from octavo.render.titles import first_line

#: So many lines of a difference are shown, and so many cells that took longer or less.
MOST_LINES, MOST_CELLS, MOST_PACKAGES = 12, 5, 10
#: Durations that differ less than this, in seconds and in proportion, say nothing.
LEAST_SECONDS, LEAST_RATIO = 0.02, 1.25


class Compared(Protocol):
    """Two runs side by side."""

    @property
    def a(self) -> Any: ...
    @property
    def b(self) -> Any: ...
    @property
    def equal(self) -> bool: ...
    @property
    def ratio(self) -> float | None: ...
    @property
    def same_notebook(self) -> bool: ...
    @property
    def parameters(self) -> Sequence[Any]: ...
    @property
    def scraps(self) -> Sequence[Any]: ...
    @property
    def cells(self) -> Sequence[Any]: ...
    @property
    def environment(self) -> Sequence[Any]: ...
    @property
    def packages(self) -> Sequence[Any] | None: ...


class ComparisonDrawer:
    """Draws comparisons in a style and a width. `full` folds nothing."""

    def __init__(
        self, style: Style, columns: int, *, now: float, cwd: str, full: bool = False
    ) -> None:
        self._style = style
        self._columns = columns
        self._now = now
        self._cwd = cwd
        self._full = full
        self._arrow = style.pick("→", "->")
        self._dots = style.pick("…", "...")

    def lines(self, result: Compared) -> list[str]:
        """Who is compared, then a section for everything that differs."""
        lines = self._heads(result)
        if result.equal:
            lines += ["", f"{self._style.sign('success')} no differences"]
        sections = (
            ("Parameters", self._values(result.parameters)),
            ("Scraps", self._values(result.scraps)),
            ("Cells", self._cells(result.cells)),
            ("Durations", self._durations(result)),
            ("Environment", [*self._values(result.environment, equal=False),
                             *self._packages(result.packages)]),
        )  # fmt: skip
        for title, found in sections:
            if found:
                lines += ["", self._style.paint(title, "bold"), *(f"  {line}" for line in found)]
        return [part for line in lines for part in fit(line, self._columns)]

    def _heads(self, result: Compared) -> list[str]:
        sides = (("A", result.a), ("B", result.b))
        lines = table(
            [(self._style.paint(name, "bold"), *self._head(side)) for name, side in sides]
        )
        if not result.same_notebook:
            lines.append(self._style.paint("these are runs of different notebooks", "yellow"))
        return lines

    def _head(self, side: Any) -> tuple[str, ...]:
        path = near_path(side.notebook or side.path, self._cwd)
        name = short_id(side.run_id) if side.run_id else near_path(side.path, self._cwd)
        when = ago(self._now - side.started) if side.started is not None else ""
        took = f" in {duration(side.duration_seconds)}" if side.duration_seconds is not None else ""
        ended = f"{side.reason or side.status or 'how it ended is not known'}{took}"
        sign = self._style.sign(side.status or "not-run")
        return sign, self._style.paint(name, "cyan"), path, when, ended

    def _values(self, changes: Sequence[Any], *, equal: bool = True) -> list[str]:
        """A line for each value that differs; nothing where all are equal."""
        differing = [each for each in changes if each.change != "equal"]
        if not differing:
            return []
        widest = max(min(32, width(plain(each.name))) for each in differing)
        lines = [line for each in differing for line in self._value(each, widest)]
        same = len(changes) - len(differing)
        if same and equal:
            verb = "is" if same == 1 else "are"
            lines.append(self._style.paint(f"{counted(same, 'other')} {verb} equal", "dim"))
        return lines

    def _value(self, change: Any, widest: int) -> Iterator[str]:
        style = self._style
        name = style.paint(pad(one_line(change.name, widest), widest), "cyan")
        room = max(16, (self._columns - widest - 12) // 2)
        alone = max(16, self._columns - widest - len("    only in A: "))
        if change.change == "added":
            yield f"{name}  {style.paint(f'only in B: {scrap_text(change.b, alone)}', 'green')}"
        elif change.change == "removed":
            yield f"{name}  {style.paint(f'only in A: {scrap_text(change.a, alone)}', 'red')}"
        elif change.diff and _is_long(change, room):
            yield f"{name}  changed"
            yield from self._diff(change.diff)
        else:
            yield f"{name}  {self._pair(change, room)}"

    def _pair(self, change: Any, room: int) -> str:
        a, b = _brief(change.a, room), _brief(change.b, room)
        told = f"{a} {self._arrow} {b}"
        if a == b:
            told = f"{a}, the content differs"
        if change.difference is None:
            return told
        percent = "" if change.percent is None else f", {change.percent:+.3g} %"
        return f"{told}  {self._style.paint(f'({change.difference:+.6g}{percent})', 'dim')}"

    def _cells(self, cells: Sequence[Any]) -> list[str]:
        differing = [cell for cell in cells if cell.differs]
        if not differing:
            return []
        lines = [line for cell in differing for line in self._cell(cell)]
        same = sum(cell.outputs == "equal" for cell in cells)
        if same:
            told = f"{counted(same, 'cell')} with equal outputs"
            lines.append(self._style.paint(told, "dim"))
        return lines

    def _cell(self, cell: Any) -> Iterator[str]:
        words = [*self._about(cell)]
        label = self._style.paint(_label(cell, 40), "dim")
        yield f"{_number(cell)} {label}  {', '.join(words)}".rstrip()
        alone = cell.source in ("added", "removed") and not self._full
        for detail in () if alone else cell.details:
            if detail.change != "equal" and detail.diff:
                yield from self._diff(detail.diff)

    def _about(self, cell: Any) -> Iterator[str]:
        if cell.source in ("added", "removed"):
            yield f"only in {'B' if cell.source == 'added' else 'A'}"
        elif cell.source == "changed" and not cell.injected:
            yield "source changed"
        if cell.a and cell.b and cell.a.status != cell.b.status:
            yield f"{cell.a.status or '?'} {self._arrow} {cell.b.status or '?'}"
        alone = cell.source in ("added", "removed")
        for detail in () if alone else cell.details:
            if detail.change != "equal":
                words = {"added": "only in B", "removed": "only in A"}
                told = detail.note or f"{detail.what} {words.get(detail.change, detail.change)}"
                yield one_line(told, 60)

    def _diff(self, diff: Sequence[str]) -> list[str]:
        """Lines of a difference, the first of them; `full` has all."""
        shown = list(diff if self._full else diff[:MOST_LINES])
        lines = [self._diff_line(line) for line in shown]
        if len(shown) < len(diff):
            more = f"{self._dots} {len(diff) - len(shown)} more lines, --full shows them"
            lines.append(self._style.paint(f"    {more}", "dim"))
        return lines

    def _diff_line(self, line: str) -> str:
        names = {"-": ("red",), "+": ("green",)}.get(line[:1], ("dim",))
        text = clip(plain(line).expandtabs(4).replace("\n", " "), self._columns - 6, self._dots)
        return f"    {self._style.paint(text, *names)}"

    def _durations(self, result: Compared) -> list[str]:
        if result.ratio is None:
            return []
        a, b = result.a.duration_seconds, result.b.duration_seconds
        rows = [("all", "", *self._took(a, b, result.ratio))]
        timed = [cell for cell in result.cells if _is_notable(cell)]
        timed.sort(key=lambda cell: -abs(cell.b.duration_seconds - cell.a.duration_seconds))
        for cell in timed if self._full else timed[:MOST_CELLS]:
            label = self._style.paint(_label(cell, 32), "dim")
            times = (cell.a.duration_seconds, cell.b.duration_seconds)
            rows.append((_number(cell), label, *self._took(*times, cell.ratio)))
        return table(rows, right=frozenset((3,)))

    def _took(self, a: float, b: float, ratio: float) -> tuple[str, str]:
        """Both durations, and what one is to the other."""
        how = ""
        if ratio >= LEAST_RATIO:
            how = self._style.paint(f"{ratio:.3g} times as long", "yellow")
        elif ratio * LEAST_RATIO <= 1:
            how = self._style.paint(f"{ratio:.2g} times as long", "green")
        return f"{duration(a)} {self._arrow} {duration(b)}", how

    def _packages(self, packages: Sequence[Any] | None) -> list[str]:
        differing = [each for each in packages or () if each.change != "equal"]
        if not differing:
            return []
        shown = differing if self._full else differing[:MOST_PACKAGES]
        rows = [(self._style.paint(one_line(each.name, 32), "cyan"), self._version(each))
                for each in shown]  # fmt: skip
        lines = [f"{counted(len(differing), 'package')} differ{'s' * (len(differing) == 1)}"]
        lines += [f"  {line}" for line in table(rows)]
        if len(shown) < len(differing):
            more = f"  {self._dots} {len(differing) - len(shown)} more, --full shows them"
            lines.append(self._style.paint(more, "dim"))
        return lines

    def _version(self, change: Any) -> str:
        if change.change == "added":
            return f"only in B: {one_line(str(change.b), 30)}"
        if change.change == "removed":
            return f"only in A: {one_line(str(change.a), 30)}"
        return f"{one_line(str(change.a), 30)} {self._arrow} {one_line(str(change.b), 30)}"


def _label(cell: Any, columns: int) -> str:
    return one_line(cell.title or first_line(cell.text), columns)


def _brief(value: Any, columns: int) -> str:
    """A value in one line; of a table, its shape."""
    if isinstance(value, Mapping) and "encoder" in value:
        rows, names = value.get("rows"), value.get("columns")
        if isinstance(rows, int) and isinstance(names, list):
            return f"table of {counted(rows, 'row')}, {counted(len(names), 'column')}"
    return scrap_text(value, columns)


def _is_long(change: Any, room: int) -> bool:
    """Whether both values do not fit beside each other."""
    texts = [value if isinstance(value, str) else scrap_text(value, 10_000)
             for value in (change.a, change.b)]  # fmt: skip
    return any("\n" in text or width(text) > room for text in texts)


def _is_notable(cell: Any) -> bool:
    if cell.ratio is None or cell.a is None or cell.b is None:
        return False
    away = abs(cell.b.duration_seconds - cell.a.duration_seconds)
    same = 1 / LEAST_RATIO < cell.ratio < LEAST_RATIO
    return away >= LEAST_SECONDS and not same


def _number(cell: Any) -> str:
    """The index of a cell, on both sides where it has moved."""
    indices = dict.fromkeys(
        "+" if side.index is None else str(side.index) for side in (cell.a, cell.b) if side
    )
    return f"[{'/'.join(indices)}]"
