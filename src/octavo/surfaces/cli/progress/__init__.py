"""How the runs of a command are shown while they go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from octavo.app.context import Context
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from octavo.surfaces.cli.progress.cells import LiveCells
    from octavo.surfaces.cli.progress.outputs import LiveOutputs

__all__ = ["View", "live_cells", "live_outputs", "view_for"]


def view_for(asked: Asked, screen: Screen, context: Context) -> View:
    """The view that fits what was asked for and where it is shown."""
    options = asked.options
    if getattr(asked.request, "watch", False):
        from octavo.surfaces.cli.progress.watch import WatchView

        return WatchView(screen)
    notebooks = len(getattr(asked.request, "paths", ())) or 1
    if getattr(options, "log_output", False):
        from octavo.surfaces.cli.progress.log import LogView

        return LogView(screen, context.cwd, notebooks)
    if getattr(options, "quiet", False):
        return View()
    if screen.live:
        return _live(asked, screen, context, notebooks)
    if options.json:
        return _for_programs(asked, screen)
    if _is_check(asked):
        from octavo.surfaces.cli.progress.notices import NoticesView

        return NoticesView(screen)
    from octavo.surfaces.cli.progress.plain import PlainView

    return PlainView(screen, context.cwd, notebooks)


def live_outputs(budget: int | None, out: Screen) -> LiveOutputs:
    """Shows what code in a session writes: at a terminal all of it, unless a bound is given."""
    from octavo.render.answers import BUDGET
    from octavo.surfaces.cli.progress.outputs import LiveOutputs

    whole = out.is_terminal and budget is None
    # A token is rarely less than two characters, and an answer gives the beginning about half.
    return LiveOutputs(out, None if whole else BUDGET if budget is None else budget // 2)


def live_cells(budget: int | None, out: Screen) -> LiveCells:
    """Shows the cells that a session executes, each with what it writes."""
    from octavo.surfaces.cli.progress.cells import LiveCells

    return LiveCells(out, lambda: live_outputs(budget, out))


def _live(asked: Asked, screen: Screen, context: Context, notebooks: int) -> View:
    def expected(path: str) -> Mapping[str, float]:
        return context.store(path).expected(path)

    if _is_check(asked):
        from octavo.surfaces.cli.progress.checking import LiveCheckView

        return LiveCheckView(screen, context.cwd, 2, expected)
    from octavo.surfaces.cli.progress.live import LiveView

    return LiveView(screen, context.cwd, notebooks, expected)


def _is_check(asked: Asked) -> bool:
    return hasattr(asked.request, "require_records")


def _for_programs(asked: Asked, screen: Screen) -> View:
    """A forge may notice something that its answer does not say."""
    if not hasattr(asked.request, "forge"):
        return View()
    from octavo.surfaces.cli.progress.notices import NoticesView

    return NoticesView(screen)
