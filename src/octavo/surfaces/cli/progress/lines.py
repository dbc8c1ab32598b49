"""The lines of which a view of runs is made."""

from __future__ import annotations

from octavo.events.types import CellFinished, CellSkipped, Event, RunFinished, RunStarted
from octavo.render.columns import clip, clip_start, one_line, pad
from octavo.render.figures import counted, duration
from octavo.render.places import near_path
from octavo.render.style import Style
from octavo.surfaces.cli.progress.state import RunState

WIDEST_TITLE = 44
TAIL_LINES = 3
#: Statuses that are told in words beside the sign.
_WORDS = {"timed-out", "interrupted", "kernel-died"}


class Lines:
    """Lines of some width and style. `cwd` shortens paths."""

    def __init__(self, style: Style, columns: int, cwd: str) -> None:
        self._style = style
        # The last column stays free: a line that fills it is wrapped by some terminals.
        self._columns = columns - 1
        self._cwd = cwd

    def header(self, state: RunState, event: RunStarted) -> list[str]:
        """The notebook and its interpreter."""
        style = self._style
        path = clip_start(near_path(state.path, self._cwd), self._columns)
        python = near_path(str(event.environment.get("python", "")), self._cwd)
        why = f", {event.environment.get('why', '')}"
        return [
            style.paint(path, "bold"),
            style.paint(one_line(f"{python}{why}", self._columns), "dim"),
        ]

    def cell(self, state: RunState, event: Event) -> str:
        """A cell that is done with."""
        if isinstance(event, CellSkipped):
            return self._cell_line(state, event.cell, "skipped", f"skipped: {event.why}")
        if not isinstance(event, CellFinished):
            return ""
        words = duration(max(0.0, event.time - state.cell_started))
        if event.status in _WORDS:
            words += f"  {event.status}"
        elif event.status == "failed" and state.error is not None:
            words += f"  {state.error.ename}: {state.error.evalue}"
        return self._cell_line(state, event.cell, event.status, words)

    def running(self, state: RunState, now: float, turn: int) -> list[str]:
        """The cell that runs, and the end of what it has written."""
        if state.cell is None:
            words = "between cells" if state.ready else "starting the kernel"
            return [] if state.ready else [f"{self._style.spinner(turn)} {words}"]
        line = self._running_line(state, state.cell, now, turn)
        bar = self._style.pick("│", "|")
        room = self._columns - 6
        tail = [
            self._style.paint(f"    {bar} {clip(text, room)}", "dim")
            for text in state.tail(TAIL_LINES)
        ]
        return [line, *tail]

    def rest(self, state: RunState, now: float) -> list[str]:
        """How much is still to come."""
        more = state.total - state.done - (state.cell is not None)
        if more <= 0:
            return []
        left = state.seconds_left(now)
        about = f", about {duration(left)} left" if left else ""
        text = f"{counted(more, 'more cell')}{about}"
        return [self._style.paint(f"{self._style.pick('·', '.')} {text}", "dim")]

    def run(self, state: RunState, event: RunFinished) -> str:
        """A run that has ended, among several."""
        words = [duration(max(0.0, event.time - state.started))]
        if event.status == "success":
            words.append(counted(state.done, "cell"))
        elif state.error is not None and event.reason == "cell-error":
            place = near_path(state.error_place(), self._cwd)
            words.append(f"{place} {state.error.ename}: {state.error.evalue}")
        else:
            words.append(f"{event.reason} {event.message}")
        return self._run_line(self._style.sign(event.status), state, "  ".join(words))

    def run_under_way(self, state: RunState, now: float, turn: int) -> str:
        """A run that goes on, among several."""
        words = [duration(max(0.0, now - state.started))]
        if not state.ready:
            words.append("starting the kernel")
        elif state.cell is not None:
            tail = "".join(state.tail(1))
            words.append(f"{state.done + 1}/{state.total} {state.title(state.cell)}")
            words += [tail] if tail else []
        return self._run_line(self._style.spinner(turn), state, "  ".join(words), dim=True)

    def _cell_line(self, state: RunState, index: int, status: str, words: str) -> str:
        sign = pad(self._style.sign(status), self._style.sign_width())
        return self._line(sign, state, index, words, dim=status == "skipped")

    def _running_line(self, state: RunState, index: int, now: float, turn: int) -> str:
        words = duration(max(0.0, now - state.cell_started))
        expected = state.expected_of(index)
        if expected is not None and expected >= 0.5:
            words += f" of about {duration(expected)}"
        sign = pad(self._style.spinner(turn), self._style.sign_width())
        return self._line(sign, state, index, words, dim=False)

    def _line(self, sign: str, state: RunState, index: int, words: str, *, dim: bool) -> str:
        number = pad(state.number(index), state.number_width(), right=True)
        left = self._columns - self._style.sign_width() - len(number) - 4
        name = min(WIDEST_TITLE, max(8, left - 10))
        text = pad(one_line(state.title(index), name), name)
        told = one_line(words, max(0, left - name - 1))
        if dim:
            text = self._style.paint(text, "dim")
        return f"{sign} {self._style.paint(number, 'dim')}  {text} {self._style.paint(told, 'dim')}"

    def _run_line(self, sign: str, state: RunState, words: str, *, dim: bool = False) -> str:
        room = self._columns - 3
        name = min(40, max(8, room // 2))
        path = pad(clip_start(near_path(state.path, self._cwd), name), name)
        told = one_line(words, max(0, room - name - 1))
        return f"{sign} {path} {self._style.paint(told, 'dim') if dim else told}"
