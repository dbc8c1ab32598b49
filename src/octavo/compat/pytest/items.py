"""The items: a whole notebook, or one of its cells with one set of values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from octavo.compat.pytest.checks import Checks
from octavo.gate.block import check_block
from octavo.gate.judging import as_nbval
from octavo.gate.verdicts import CellVerdict, CheckReport, NotebookVerdict
from octavo.notebook.addresses import names_of
from octavo.render.check_words import why
from octavo.render.checks import CheckView
from octavo.render.columns import one_line
from octavo.render.style import Style
from octavo.sources import read_source
from octavo.value import Value

#: The items beside those of cells: a whole notebook, and what is to be said of it besides.
NOTEBOOK, FINDINGS = "notebook", "findings"
_ODD = re.compile(r"[\x00-\x20\x7f]+|::|[\[\]@]")


class Wanted(Value):
    """A cell as it is known before anything ran: its place among all cells, and its values."""

    index: int
    line: int
    values: str


class CheckFailed(Exception):
    """A notebook, or a cell, did not pass; the verdicts say why."""

    def __init__(self, verdicts: tuple[NotebookVerdict, ...]) -> None:
        super().__init__("; ".join(why(each) for each in verdicts if not each.ok))
        self.verdicts = verdicts


def of_cells(path: Path) -> Iterator[tuple[str, Wanted]]:
    """The code cells of a notebook for each set of values, with names that no two share."""
    source = read_source(path)
    sets = check_block(source).value_sets()
    for values in sets:
        taken: set[str] = set()
        number = -1
        for index, cell in enumerate(source.notebook.cells):
            if cell.kind != "code":
                continue
            number += 1
            called = _ODD.sub("-", next(iter(names_of(cell)), "")).strip("-")
            name = called if called and called not in (*taken, FINDINGS) else f"cell-{number}"
            taken.add(name)
            suffix = f"[{_ODD.sub('-', values.name)}]" if values.name else ""
            yield f"{name}{suffix}", Wanted(index, cell.line, values.name)


def _skip(told: str) -> NoReturn:
    """Skip an item; the place that pytest names is the notebook's, not ours."""
    raise pytest.skip.Exception(one_line(told, 200), _use_item_location=True)


class _Item(pytest.Item):
    def __init__(self, checks: Checks, **given: Any) -> None:
        super().__init__(**given)
        self._checks = checks

    def _verdicts(self) -> tuple[NotebookVerdict, ...]:
        found = self._checks.verdicts(self.path)
        if any(each.reason == "interrupted" for each in found):
            raise KeyboardInterrupt
        return found

    def _note(self, verdict: NotebookVerdict) -> None:
        """What a JUnit report has of the run."""
        if verdict.run_id:
            name = "octavo_reused_run" if verdict.reused else "octavo_run"
            self.user_properties.append((name, verdict.run_id))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if not isinstance(excinfo.value, CheckFailed):
            return super().repr_failure(excinfo, style)
        shown = CheckView(
            style=Style(colour=self.config.get_terminal_writer().hasmarkup),
            columns=self.config.get_terminal_writer().fullwidth,
            cwd=str(self.config.invocation_params.dir),
            project=str(self._checks.project),
        )
        report = CheckReport(excinfo.value.verdicts, mode=self._checks.mode)
        lines = shown.lines(report, quiet=True)
        # The last lines are a blank and the sum, which pytest tells itself.
        return f"{excinfo.value}\n" + "\n".join(lines).rpartition("\n\n")[0]


class NotebookItem(_Item):
    """A whole notebook; beside items for its cells, only what none of them tells."""

    def __init__(self, beside_cells: bool, **given: Any) -> None:
        super().__init__(**given)
        self._beside_cells = beside_cells

    def runtest(self) -> None:
        verdicts = self._verdicts()
        for verdict in verdicts:
            self._note(verdict)
        if not all(each.ok or self._is_told(each) for each in verdicts):
            raise CheckFailed(verdicts)
        if verdicts and all(each.outcome == "skipped" for each in verdicts):
            _skip(verdicts[0].message or "the notebook says so")

    def _is_told(self, verdict: NotebookVerdict) -> bool:
        return self._beside_cells and any(each.outcome == "failed" for each in verdict.cells)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, f"{self.path.name} ({self.name})"


class CellItem(_Item):
    """A code cell. Its outcome is what nbval would say."""

    def __init__(self, cell: Wanted, **given: Any) -> None:
        super().__init__(**given)
        self._cell = cell

    def runtest(self) -> None:
        verdicts = self._verdicts()
        verdict = next((each for each in verdicts if each.values == self._cell.values), verdicts[0])
        cell = self._verdict_in(verdict)
        self._note(verdict)
        if cell is not None:
            self._conclude(verdict, cell)
        elif verdict.ok:
            _skip(verdict.message or "the cell was not looked at")
        else:
            raise CheckFailed((verdict,))

    def _verdict_in(self, verdict: NotebookVerdict) -> CellVerdict | None:
        return next((each for each in verdict.cells if each.index == self._cell.index), None)

    def _conclude(self, verdict: NotebookVerdict, cell: CellVerdict) -> None:
        outcome = as_nbval(cell)
        told = one_line(cell.message, 200)
        if outcome == "skipped":
            _skip(told or "the cell says so")
        if outcome == "xfailed":
            pytest.xfail(told)
        if outcome == "failed":
            only = verdict.replace(cells=(cell,), findings=(), outcome="failed")
            raise CheckFailed((only,))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        line = 0 if self.path.suffix == ".ipynb" else max(0, self._cell.line - 1)
        # pytest takes the dots out of a name that its own id ends with.
        return self.path, line, f"{self.path.name} ({self.name})"
