"""Errors: what they are called, where they come from, how they are shown."""

from __future__ import annotations

import re

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe, Ran

room = Room("errors", "python")


def _shown(ran: Ran) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(ran.error.traceback))


@room.check()
async def a_traceback_shows_the_line(probe: Probe) -> None:
    ran = await probe.run("a = 1\nb = 0\na / b\nc = 2")
    assert ran.error.line == 3
    assert "----> 3 a / b" in _shown(ran)
    assert "ZeroDivisionError: division by zero" in _shown(ran)


@room.check()
async def the_line_is_that_of_the_running_cell(probe: Probe) -> None:
    await probe.run("def broken():\n    x = 1\n    raise KeyError('deep')")
    ran = await probe.run("y = 1\nbroken()")
    assert (ran.error.ename, ran.error.evalue, ran.error.line) == ("KeyError", "'deep'", 2)
    assert "raise KeyError('deep')" in _shown(ran)


@room.check()
async def a_function_of_the_same_cell_has_the_inner_line(probe: Probe) -> None:
    ran = await probe.run("def f():\n    return 1 / 0\n\nf()")
    assert ran.error.line == 2


@room.check()
async def syntax_errors_name_their_line(probe: Probe) -> None:
    ran = await probe.run("x = 1\ndef f(:\n    pass")
    assert (ran.error.ename, ran.error.line) == ("SyntaxError", 2)
    assert ran.text() == ""


@room.check()
async def indentation_errors_name_their_line(probe: Probe) -> None:
    ran = await probe.run("if True:\nprint(1)")
    assert (ran.error.ename, ran.error.line) == ("IndentationError", 2)


@room.check()
async def a_syntax_error_in_evaluated_text_has_the_cells_line(probe: Probe) -> None:
    ran = await probe.run("x = 1\neval('1 +')")
    assert (ran.error.ename, ran.error.line) == ("SyntaxError", 2)


@room.check()
async def what_was_printed_before_comes_before(probe: Probe) -> None:
    ran = await probe.run("print('before')\n1 / 0")
    assert [output["output_type"] for output in ran.outputs] == ["stream", "error"]


@room.check()
async def causes_are_shown(probe: Probe) -> None:
    ran = await probe.run(
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise RuntimeError('outer') from e"
    )
    assert (ran.error.ename, ran.error.line) == ("RuntimeError", 4)
    assert "direct cause" in _shown(ran)


@room.check()
async def an_error_that_cannot_be_printed_is_told(probe: Probe) -> None:
    ran = await probe.run(
        "class Mute(Exception):\n    def __str__(self): raise ValueError('no words')\nraise Mute()"
    )
    assert ran.outcome.status == "error"
    assert ran.errors[-1].ename == "Mute"
    assert (await probe.run("1 + 1")).value == "2"


@room.check()
async def base_exceptions_do_not_end_the_kernel(probe: Probe) -> None:
    ran = await probe.run("class Rude(BaseException): pass\nraise Rude('bye')")
    assert (ran.error.ename, ran.error.evalue) == ("Rude", "bye")
    for name in ("GeneratorExit", "KeyboardInterrupt"):
        assert (await probe.run(f"raise {name}")).error.ename == name
    assert (await probe.run("1 + 1")).value == "2"


@room.check("python-3.11")
async def exception_groups_are_shown_whole(probe: Probe) -> None:
    ran = await probe.run(
        "raise ExceptionGroup('many', [ValueError('first'), TypeError('second')])"
    )
    assert ran.error.ename == "ExceptionGroup"
    assert "first" in _shown(ran)
    assert "second" in _shown(ran)


@room.check()
async def recursion_ends_in_an_error(probe: Probe) -> None:
    ran = await probe.run("def f(n): return f(n + 1)\nf(0)")
    assert ran.error.ename == "RecursionError"
    assert len(_shown(ran)) < 100_000


@room.check()
async def an_error_with_a_long_message_arrives(probe: Probe) -> None:
    ran = await probe.run("raise ValueError('x' * 1_000_000)")
    assert len(ran.error.evalue) == 1_000_000


@room.check("python-3.11")
async def asserts_and_notes_are_shown(probe: Probe) -> None:
    ran = await probe.run(
        "try:\n    assert 1 == 2, 'sums'\n"
        "except AssertionError as e:\n    e.add_note('look here')\n    raise"
    )
    assert (ran.error.ename, ran.error.evalue) == ("AssertionError", "sums")
    assert "look here" in _shown(ran)


@room.check()
async def a_mistyped_magic_is_an_error(probe: Probe) -> None:
    ran = await probe.run("%no_such_magic")
    assert ran.error.ename == "UsageError"
    assert "no_such_magic" in ran.error.evalue


@room.check()
async def an_error_in_a_library_names_the_cells_line(probe: Probe) -> None:
    ran = await probe.run("import json\njson.loads('{')")
    assert (ran.error.ename, ran.error.line) == ("JSONDecodeError", 2)


@room.check()
async def the_traceback_can_be_shown_again(probe: Probe) -> None:
    await probe.run("1 / 0")
    ran = await probe.run("import sys\nsys.last_value.__class__.__name__")
    assert ran.value == "'ZeroDivisionError'"


@room.check()
async def hooks_for_exceptions_are_called(probe: Probe) -> None:
    await probe.run(
        "def mine(shell, etype, value, tb, tb_offset=None):\n    print('handled', value)\n"
        "get_ipython().set_custom_exc((ValueError,), mine)"
    )
    ran = await probe.run("raise ValueError('x')")
    assert ran.text() == "handled x\n"
    assert ran.outcome.status == "error"
