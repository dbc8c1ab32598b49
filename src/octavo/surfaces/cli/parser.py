"""From the words of a command line to a request. Made for our own shapes, so that it is light and
can say what was meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from octavo.errors import UsageError
from octavo.surfaces.cli.options import options_with
from octavo.surfaces.cli.shape import Shape, Slot


class Asked:
    """What a command line asks for: the request of the operation, and how to show its result."""

    def __init__(self, request: Any, options: Any) -> None:
        self.request = request
        self.options = options


def parse(shape: Shape, words: Sequence[str]) -> Asked:
    """Read all words; UsageError names the one that does not fit."""
    given = _Reading(shape, words).given
    request = shape.request(**{s.name: value for s, value in given.items() if s.for_request})
    shown = {s.name: value for s, value in given.items() if not s.for_request}
    return Asked(request, options_with(shape.entry.name, shown))


class _Reading:
    """One pass over the words."""

    def __init__(self, shape: Shape, words: Sequence[str]) -> None:
        self.given: dict[Slot, Any] = {}
        self._shape = shape
        self._left = list(reversed(words))
        loose: list[str] = []
        while self._left:
            word = self._left.pop()
            if word == "--":
                rest = tuple(reversed(self._left))
                if (slot := shape.by_flag.get("--")) is not None:
                    self.given[slot] = rest
                else:
                    loose += rest
                break
            if _is_option(word):
                self._option(word)
            else:
                loose.append(word)
        self._arguments(loose)

    def _option(self, word: str) -> None:
        flag, attached = self._split(word)
        slot = self._shape.by_flag.get(flag)
        if slot is None:
            self._refuse_unknown(flag)
        if not slot.takes:
            if attached is not None:
                self._refuse(f"{flag} takes no value", f"leave out {attached!r}")
            self.given[slot] = True
            return
        if attached is None and slot.bare is not None and not self._fits_next(slot):
            self.given[slot] = slot.bare
            return
        texts = self._values(slot, flag, attached)
        value = tuple(texts) if slot.takes > 1 else self._parsed(slot, texts[0], flag)
        self.given[slot] = (*self.given.get(slot, ()), value) if slot.many else value

    def _fits_next(self, slot: Slot) -> bool:
        """Whether the next word is a value of an option that can do without."""
        try:
            slot.parse(self._left[-1] if self._left else "")
        except ValueError:
            return False
        return True

    def _split(self, word: str) -> tuple[str, str | None]:
        """The flag, and the value that hangs on it: `--jobs=2`, `-j2`."""
        if word.startswith("--"):
            flag, equals, value = word.partition("=")
            return flag, value if equals else None
        flag, rest = word[:2], word[2:]
        slot = self._shape.by_flag.get(flag)
        if rest and slot is not None and not slot.takes:
            self._left.append(f"-{rest}")
            return flag, None
        if rest and slot is None:
            return word, None
        return flag, rest or None

    def _values(self, slot: Slot, flag: str, attached: str | None) -> list[str]:
        texts = [] if attached is None else [attached]
        while len(texts) < slot.takes:
            following = self._left[-1] if self._left else None
            if following is None or following in self._shape.by_flag:
                wanted = " ".join(slot.metavar)
                but = f", but {following} follows" if following else ""
                self._refuse(f"{flag} needs {wanted}{but}", f"{flag} {wanted}")
            texts.append(self._left.pop())
        return texts

    def _parsed(self, slot: Slot, text: str, called: str) -> Any:
        if slot.choices and text not in slot.choices:
            listed = ", ".join(slot.choices)
            close = closest(text, slot.choices)
            self._refuse(
                f"{called}: {text!r} is none of {listed}",
                f"did you mean {close}?" if close else "",
            )
        try:
            return slot.parse(text)
        except ValueError as error:
            self._refuse(f"{called}: {error}")

    def _arguments(self, loose: list[str]) -> None:
        for slot in self._shape.arguments:
            if slot.many:
                taken, loose = loose, []
                if taken:
                    self.given[slot] = tuple(
                        self._parsed(slot, each, slot.called()) for each in taken
                    )
            elif loose:
                self.given[slot] = self._parsed(slot, loose.pop(0), slot.called())
            if slot.required and slot not in self.given:
                example = next(iter(self._shape.entry.examples), "")
                self._refuse(f"{slot.metavar[0]} is missing: {slot.help}", example)
        if loose:
            self._refuse(f"{loose[0]!r} is one argument too many")

    def _refuse_unknown(self, flag: str) -> NoReturn:
        known = [each for slot in self._shape.flagged if not slot.hidden for each in slot.flags]
        close = closest(flag, [*known, "--help"])
        self._refuse(f"there is no option {flag}", f"did you mean {close}?" if close else "")

    def _refuse(self, message: str, hint: str = "") -> NoReturn:
        command = f"octavo {self._shape.entry.name}"
        raise UsageError(
            "wrong-argument", message, place=command, hint=hint or f"{command} --help tells more"
        )


def _is_option(word: str) -> bool:
    """Whether a word is one, right or wrong; `-1` is a number, and `- item` a text."""
    after = word[1:]
    return word.startswith("-") and bool(after) and not after.isdecimal() and not after[0].isspace()


def closest(word: str, known: Sequence[str]) -> str | None:
    """The known word that was probably meant."""
    from difflib import get_close_matches

    begins = [each for each in known if len(word) > 3 and each.startswith(word)]
    return next(iter(begins or get_close_matches(word, known, 1, 0.6)), None)
