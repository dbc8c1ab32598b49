"""How a few plain things are said in the languages of kernels, so that all can be measured."""

from __future__ import annotations

from octavo.environments.launch import Launch
from octavo.value import Value


class Language(Value):
    """Sources of cells. An empty one means that the language, or its kernel, has no such thing.

    `spin` writes "started" and goes on for ever; `leave` ends the process with exit code 3 after
    writing "last words"; `child` starts a process that would live for minutes and writes its
    number; `lines` writes the numbers below 2000, one a line.
    """

    name: str
    hello: str
    two: str
    fail: str
    ename: str
    line: int | None
    spin: str
    leave: str
    mistake: str
    remember: str
    recall: str
    complain: str
    unicode: str
    lines: str
    variable: str
    folder: str
    child: str
    hoard: str


PYTHON = Language(
    name="python",
    hello="print('hello')",
    two="1 + 1",
    fail="1 / 0",
    ename="ZeroDivisionError",
    line=1,
    spin="print('started', flush=True)\nwhile True: pass",
    leave="import os\nprint('last words', flush=True)\nos._exit(3)",
    mistake="def (",
    remember="kept = 'remembered'",
    recall="print(kept)",
    complain="import sys\nprint('oops', file=sys.stderr)",
    unicode="print('é€😀')",
    lines="for i in range(2000): print(i)",
    variable="import os\nprint(os.environ['OCTAVO_PROBE'])",
    folder="import os\nprint(os.getcwd())",
    child="import subprocess\nprint(subprocess.Popen(['sleep', '600']).pid)",
    hoard="b = []\nwhile True: b.append(b'x' * (8 << 20))",
)

BASH = Language(
    name="bash",
    hello="echo hello",
    two="",
    fail="false",
    ename="Error",
    line=None,
    spin="echo started; while true; do :; done",
    leave="echo 'last words'; kill -9 $PPID",
    mistake="if then",
    remember="kept=remembered",
    recall="echo $kept",
    complain="echo oops >&2",
    unicode="echo 'é€😀'",
    lines="seq 0 1999",
    variable="echo $OCTAVO_PROBE",
    folder="pwd",
    child="sleep 600 &\necho $!",
    hoard="x=xxxxxxxx; while true; do x=$x$x; done",
)

TYPESCRIPT = Language(
    name="typescript",
    hello="console.log('hello')",
    two="1 + 1",
    fail="throw new TypeError('no')",
    ename="TypeError",
    line=None,
    spin="console.log('started'); while (true) {}",
    leave="console.log('last words'); Deno.exit(3)",
    mistake="function (",
    remember="const kept: string = 'remembered'",
    recall="console.log(kept)",
    complain="console.error('oops')",
    unicode="console.log('é€😀')",
    lines="for (let i = 0; i < 2000; i++) console.log(String(i))",
    variable="console.log(Deno.env.get('OCTAVO_PROBE'))",
    folder="console.log(Deno.cwd())",
    child="console.log(String(new Deno.Command('sleep', {args: ['600']}).spawn().pid))",
    hoard="const b = []; while (true) b.push(new Uint8Array(8 << 20).fill(1))",
)

_LANGUAGES = {each.name: each for each in (PYTHON, BASH, TYPESCRIPT)}


def language_of(launch: Launch) -> Language:
    """The language that the kernel of a launch speaks; KeyError where it is not known here."""
    return PYTHON if launch.kernel is None else _LANGUAGES[launch.kernel.language]
