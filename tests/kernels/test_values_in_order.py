"""The value of a cell waits for its end; whatever else happens keeps its place after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from octavo.kernels.conformance import Probe

pytestmark = pytest.mark.kernel

#: Code that writes past Python, where nothing of ours can put it in order.
_WRITE = "import ctypes, sys; _c = ctypes.CDLL(None)\ndef write(text): _c.write(1, text, len(text))"
_LATER = [
    ("sys.displayhook(5); write(b'after\\n')", ["5", "after"]),
    ("for i in range(2): (sys.displayhook(i), write(b'x\\n'))", ["0", "x", "1", "x"]),
    ("z = [sys.displayhook(i) or write(b'x\\n') for i in range(2)]", ["0", "x", "1", "x"]),
    ("r = get_ipython().run_cell('5')\nwrite(b'after\\n')", ["5", "after"]),
    ("print('before')\n5", ["before", "5"]),
]


@pytest.mark.parametrize(("code", "shown"), _LATER)
def test_what_code_writes_after_a_value_comes_after_it(
    probed: Callable[[Any], Any], code: str, shown: list[str]
) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(_WRITE)
        assert (await probe.run(code)).sequence == shown

    probed(drive)


def test_every_expression_may_be_shown(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(_WRITE)
        await probe.run("get_ipython().ast_node_interactivity = 'all'")
        ran = await probe.run("1\nx = write(b'between\\n')\n2")
        assert ran.sequence == ["1", "between", "2"]

    probed(drive)


@pytest.mark.parametrize("event", ["post_execute", "post_run_cell"])
@pytest.mark.parametrize("says", ["write(b'hook\\n')", "print('hook')"])
def test_what_is_called_after_a_cell_writes_after_its_value(
    probed: Callable[[Any], Any], event: str, says: str
) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(_WRITE)
        register = f"get_ipython().events.register({event!r}, lambda *given: {says})"
        await probe.run(register)
        assert (await probe.run("5")).sequence == ["5", "hook"]

    probed(drive)


def test_a_value_is_kept_when_the_kernel_dies_after_it(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        die = "lambda result: result.result == 5 and os._exit(3)"
        await probe.run(f"import os; get_ipython().events.register('post_run_cell', {die})")
        ran = await probe.run("5")
        assert ran.sequence == ["5"]
        assert ran.outcome.status == "died"

    probed(drive)


def test_a_value_is_kept_when_the_kernel_dies_with_its_cell(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        # The last thing that a kernel does for a cell is to say how it went.
        await probe.run(
            "import os\nemitter = get_ipython().kernel.emitter\nsay = emitter.say\n"
            "def done(message): say(message); 'last' in message and os._exit(3)\n"
            "emitter.say = done"
        )
        assert (await probe.run("5")).sequence == ["5"]
        assert (await probe.run("6")).outcome.status == "died"

    probed(drive)


@pytest.mark.parametrize(
    ("register", "mime"),
    [
        ("formatters['text/html'].for_type(int, lambda value: f'<b>{value}</b>')", "text/html"),
        ("formatters['text/html'].for_type(object, lambda value: '<b>6</b>')", "text/html"),
        ("formatters['text/latex'].for_type_by_name('builtins', 'int', str)", "text/latex"),
        ("mimebundle_formatter.for_type(int, lambda value, **k: {'a/b': 'c'})", "a/b"),
    ],
)
def test_functions_registered_for_plain_values_are_asked(
    probed: Callable[[Any], Any], register: str, mime: str
) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(f"get_ipython().display_formatter.{register};")
        (output,) = (await probe.run("6")).outputs
        assert mime in output["data"]
        assert output["data"]["text/plain"] == "6"

    probed(drive)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("'a\\nb'", "'a\\nb'"),
        ("True", "True"),
        ("%precision 2\n3.14159", "3.14"),
        ("list(range(3))", "[0, 1, 2]"),
        ("{'b': {1}, 'a': b'x'}", "{'b': {1}, 'a': b'x'}"),
        ("1j, range(2)", "(1j, range(0, 2))"),
    ],
)
def test_plain_values_look_as_ever(probed: Callable[[Any], Any], code: str, text: str) -> None:
    async def drive(probe: Probe) -> None:
        assert (await probe.run(code)).sequence[-1] == text

    probed(drive)


def test_a_number_of_too_many_digits_fails_the_cell(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run("10 ** 10_000")
        assert not ran.ok
        assert "digits" in ran.error.evalue

    probed(drive)
