"""From a value to what is shown of it, without needless work.

IPython asks a dozen formatters about every value. Of plain values only one of them knows anything,
unless somebody has registered a function for their type.
"""

from __future__ import annotations

from typing import Any

from IPython.core import formatters
from IPython.core.formatters import DisplayFormatter
from IPython.lib import pretty

_TEXT = "text/plain"
_PLAIN = (int, str, float, complex, bool, bytes, list, tuple, dict, set, frozenset, range)
#: By what a function may be registered that is meant for values of a type.
_NAMES = {
    plain: frozenset(
        key for each in plain.__mro__ for key in (each, (each.__module__, each.__name__))
    )
    for plain in _PLAIN
}
#: Types of which the text is one line, as `repr` has it, and who makes it so.
_ONE_LINE = {each: pretty._type_pprinters.get(each) for each in (int, str)}
_USUAL = frozenset(each for each in vars(formatters).values() if isinstance(each, type))


class KernelFormatter(DisplayFormatter):  # type: ignore[misc]
    """Asks only the formatter for text about values that have no other form."""

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> Any:
        names = _NAMES.get(type(obj))
        if names is None or include or exclude or not self._has_only_text(names):
            return super().format(obj, include=include, exclude=exclude)
        text = _text(obj, self.formatters[_TEXT])
        return ({} if text is None else {_TEXT: text}), {}

    def _has_only_text(self, names: frozenset[Any]) -> bool:
        """Whether nothing is registered for a type but what makes its text."""
        known = self.formatters
        if type(known.get(_TEXT)) is not formatters.PlainTextFormatter:
            return False
        others = [each for name, each in known.items() if name != _TEXT]
        special = (self.ipython_display_formatter, self.mimebundle_formatter)
        return not any(_may_know(each, names) for each in (*special, *others))


def _may_know(formatter: Any, names: frozenset[Any]) -> bool:
    # Read as they lie: asked for by name, each of these would cost as much as all of this.
    values = formatter._trait_values
    by_type, by_name = values.get("type_printers"), values.get("deferred_printers")
    return (
        type(formatter) not in _USUAL
        or bool(values.get("singleton_printers"))
        or bool(by_type and not names.isdisjoint(by_type))
        or bool(by_name and not names.isdisjoint(by_name))
    )


def _text(obj: Any, formatter: Any) -> Any:
    usual = _ONE_LINE.get(type(obj))
    is_usual = usual is not None and formatter.type_printers.get(type(obj)) is usual
    if is_usual and id(obj) not in formatter.singleton_printers:
        try:
            return repr(obj)
        except ValueError:  # a number of too many digits: the formatter tells that
            pass
    return formatter(obj)
