"""Whether a Python version is one of those that somebody asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS = ("===", "==", "!=", "~=", ">=", "<=", ">", "<")


def satisfies(version: str, specifiers: str) -> bool:
    """Whether a version ("3.12.4") fits: "3.12", or specifiers such as ">=3.11,<3.13".

    What cannot be read is not satisfied.
    """
    parts = [part.strip() for part in specifiers.split(",")]
    return all(_fits(_numbers(version), part) for part in parts if part)


def _fits(version: tuple[int, ...], specifier: str) -> bool:
    operator = next((op for op in OPERATORS if specifier.startswith(op)), "")
    target = specifier[len(operator) :].strip()
    prefix = target.endswith(".*") or not operator
    wanted = _numbers(target.removesuffix(".*"))
    if not wanted:
        return False
    if operator in ("", "==", "===", "!="):
        equal = _same(version, wanted, prefix)
        return not equal if operator == "!=" else equal
    if operator == "~=":
        return version >= wanted and version[: len(wanted) - 1] == wanted[:-1]
    return _compare(operator)(*_padded(version, wanted))


def _same(version: tuple[int, ...], wanted: tuple[int, ...], prefix: bool) -> bool:
    if prefix:
        return version[: len(wanted)] == wanted
    left, right = _padded(version, wanted)
    return left == right


def _compare(operator: str) -> Callable[[tuple[int, ...], tuple[int, ...]], bool]:
    comparisons: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
        ">=": lambda left, right: left >= right,
        "<=": lambda left, right: left <= right,
        ">": lambda left, right: left > right,
        "<": lambda left, right: left < right,
    }
    return comparisons[operator]


def _padded(
    left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    width = max(len(left), len(right))
    return left + (0,) * (width - len(left)), right + (0,) * (width - len(right))


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: (3, 14, 0) for "3.14.0rc1"."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            return tuple(numbers) if numbers else ()
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)
