"""Text: in order, whoever writes it, and nothing lost."""

from __future__ import annotations

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("streams", "python")

_MIX = """\
import ctypes, logging, os, subprocess, sys
from IPython.display import display
logging.basicConfig(format="%(message)s", force=True)
c = ctypes.CDLL(None)
for turn in range(5):
    print(f"print-{turn}")
    c.printf(b"printf-%d\\n", turn)
    print(f"stderr-{turn}", file=sys.stderr)
    os.write(1, b"write-%d\\n" % turn)
    os.write(2, b"write2-%d\\n" % turn)
    subprocess.run(["sh", "-c", f"echo child-{turn}"])
    subprocess.run(["sh", "-c", f"echo child2-{turn} >&2"])
    os.system(f"echo system-{turn}")
    logging.warning(f"log-{turn}")
    display(f"display-{turn}")
    get_ipython().system(f"echo bang-{turn}; echo bang2-{turn} >&2")
    print(f"no-newline-{turn}", end="")
    print(file=sys.stderr)
    print()
"""

_MIXED = [
    "print",
    "printf",
    "stderr",
    "write",
    "write2",
    "child",
    "child2",
    "system",
    "log",
    "display",
]
_MIXED += ["bang", "bang2", "no-newline"]


@room.check("exact-order")
async def every_writer_comes_in_its_turn(probe: Probe) -> None:
    ran = await probe.run(_MIX)
    words = [word.strip("'") for word in ran.sequence if word]
    assert words == [f"{word}-{turn}" for turn in range(5) for word in _MIXED]


@room.check()
async def streams_and_displays_alternate_in_order(probe: Probe) -> None:
    ran = await probe.run(
        "import sys\n"
        "for i in range(20):\n"
        "    print(f'o{i}')\n"
        "    display(i)\n"
        "    print(f'e{i}', file=sys.stderr)\n"
    )
    words = [word for i in range(20) for word in (f"o{i}", f"{i}", f"e{i}")]
    assert ran.sequence == words


@room.check("exact-order")
async def printf_without_a_newline_is_not_lost(probe: Probe) -> None:
    ran = await probe.run("import ctypes\n_ = ctypes.CDLL(None).printf(b'half a line')")
    assert ran.text() == "half a line"


@room.check("exact-order")
async def text_of_a_subprocess_belongs_to_its_cell(probe: Probe) -> None:
    ran = await probe.run(
        "import subprocess\n"
        "print('before')\n"
        "subprocess.run('echo out; echo err >&2', shell=True)\n"
        "print('after')"
    )
    assert ran.text() == "before\nout\nafter\n"
    assert ran.stderr == "err\n"
    assert ran.sequence[-1] == "after"


@room.check()
async def a_flushed_piece_of_a_line_is_seen_while_the_cell_goes_on(probe: Probe) -> None:
    cell = probe.begin("print('working', end='', flush=True)\nwhile True: pass")
    await probe.seen("working")
    await probe.kernel.interrupt()
    assert (await cell).text() == "working"


@room.check()
async def characters_may_be_split_over_writes(probe: Probe) -> None:
    ran = await probe.run(
        "import os, subprocess\n"
        "for byte in 'é€😀\\n'.encode():\n"
        "    os.write(1, bytes([byte]))\n"
        "    subprocess.run(['true'])\n"
    )
    assert ran.text() == "é€😀\n"


@room.check()
async def bytes_that_are_no_text_are_marked(probe: Probe) -> None:
    ran = await probe.run("import os\n_ = os.write(1, b'a\\xff\\xfeb\\n')")
    assert ran.text() == "a��b\n"


@room.check()
async def an_unfinished_character_at_the_end_is_marked(probe: Probe) -> None:
    await probe.run("import os\nos.write(1, b'ok\\xe2\\x82')\nos._exit(0)")
    assert "".join(getattr(event, "text", "") for event in probe.events) == "ok�"


@room.check()
async def lone_surrogates_do_not_break_print(probe: Probe) -> None:
    ran = await probe.run(r"print('a\ud800b')")
    assert ran.ok
    assert ran.text().startswith("a")
    assert ran.text().endswith("b\n")


@room.check()
async def control_characters_come_as_they_were_written(probe: Probe) -> None:
    ran = await probe.run(r"print('50%\r100%\x1b[31mred\x1b[0m\x08\t\0|')")
    assert ran.text() == "50%\r100%\x1b[31mred\x1b[0m\x08\t\0|\n"


@room.check()
async def much_text_arrives_whole(probe: Probe) -> None:
    ran = await probe.run("for i in range(200_000): print(i)")
    assert ran.text() == "".join(f"{i}\n" for i in range(200_000))


@room.check()
async def a_flood_from_a_process_does_not_hold_up_the_cell(probe: Probe) -> None:
    ran = await probe.run(
        "import subprocess\nflood = subprocess.Popen(['yes'])\n"
        "for i in range(30): display(i)\nflood.kill()\n_ = flood.wait()"
    )
    assert [data["text/plain"] for data in ran.displays] == [str(i) for i in range(30)]
    assert set(ran.text()) <= {"y", "\n"}


@room.check()
async def one_long_write_arrives_whole(probe: Probe) -> None:
    ran = await probe.run("import sys\n_ = sys.stdout.write('x' * 5_000_000)")
    assert len(ran.text()) == 5_000_000


@room.check()
async def a_replaced_stdout_is_respected(probe: Probe) -> None:
    ran = await probe.run(
        "import contextlib, io, sys\n"
        "with contextlib.redirect_stdout(io.StringIO()) as taken:\n"
        "    print('inside')\n"
        "kept, sys.stdout = sys.stdout, io.StringIO()\n"
        "print('also inside')\n"
        "sys.stdout = kept\n"
        "print(taken.getvalue().strip().upper())"
    )
    assert ran.text() == "INSIDE\n"


@room.check()
async def print_survives_a_closed_descriptor(probe: Probe) -> None:
    ran = await probe.run("import os\nos.close(1)\nprint('still here')")
    assert ran.text() == "still here\n"
    assert (await probe.run("print('and here')")).text() == "and here\n"


@room.check()
async def closing_the_streams_does_not_silence_the_next_cell(probe: Probe) -> None:
    await probe.run("import sys\nsys.stdout.close()\nsys.stderr.close()")
    ran = await probe.run("import sys\nprint('out')\nprint('err', file=sys.stderr)")
    assert (ran.text(), ran.stderr) == ("out\n", "err\n")


@room.check()
async def bytes_may_be_written_to_the_buffer(probe: Probe) -> None:
    ran = await probe.run(
        "import sys\nprint('a')\n_ = sys.stdout.buffer.write(b'b\\n')\nprint('c')"
    )
    assert ran.text() == "a\nb\nc\n"


@room.check()
async def warnings_and_logging_go_to_stderr(probe: Probe) -> None:
    ran = await probe.run(
        "import logging, warnings\n"
        "warnings.warn('mind the gap')\n"
        "logging.getLogger('deep').warning('logged')"
    )
    assert "UserWarning: mind the gap" in ran.stderr
    assert "logged" in ran.stderr


@room.check()
async def threads_print_into_the_cell_that_runs(probe: Probe) -> None:
    ran = await probe.run(
        "import threading\n"
        "def work(n):\n"
        "    for i in range(100): print(f'{n}-{i}')\n"
        "threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()"
    )
    lines = ran.text().split("\n")
    assert sorted(line for line in lines if line) == sorted(
        f"{n}-{i}" for n in range(4) for i in range(100)
    )


@room.check()
async def streams_have_the_usual_attributes(probe: Probe) -> None:
    ran = await probe.run(
        "import sys\n"
        "[sys.stdout.encoding.lower(), sys.stdout.isatty(), sys.stdout.writable(),"
        " sys.stdout.fileno() >= 0, sys.stdin.read()]"
    )
    assert ran.value == "['utf-8', False, True, True, '']"
