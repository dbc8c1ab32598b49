"""Looking into a Python kernel that Jupyter's protocol drives, by an execution that shows nothing.

The functions come along with the question, because the kernel may be on another machine; they
leave neither a name nor a module behind. An alarm bounds the time that they take.
"""

from __future__ import annotations

import ast
import asyncio
import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import compress

from octavo.errors import KernelFailure
from octavo.kernels.jupyter.client import Message

#: How much later than the alarm an answer may come.
GRACE_SECONDS = 2.0
_HINT = "execute code that shows what you want to see"

_PROGRAM = """\
import json, signal, sys
from types import ModuleType

def load(name):
    module = ModuleType(package + '.' + name)
    sys.modules[package + '.' + name] = module
    exec(compile(sources[name], '<octavo ' + name + '>', 'exec'), module.__dict__)
    setattr(sys.modules[package], name, module)
    return module

def late(*_):
    raise TimeoutError

def ask():
    package_before = sys.modules.get(package)
    if package_before is None:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = []
    mine = [name for name in sources if package + '.' + name not in sys.modules]
    try:
        for name in mine:
            load(name)
        module, _, function = asked.partition(':')
        __import__(package + '.' + module)
        value = getattr(sys.modules[package + '.' + module], function)(namespace, **given)
        return {'type': 'answer', 'value': value}
    finally:
        for name in mine:
            sys.modules.pop(package + '.' + name, None)
        if package_before is None:
            del sys.modules[package]

def bounded():
    try:
        kept = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    except (AttributeError, ValueError):
        return ask()
    try:
        return ask()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)

package = 'octavo_runtime'
try:
    answer = json.dumps(bounded())
except TimeoutError:
    answer = json.dumps({'type': 'late'})
except Exception as error:
    answer = json.dumps({'type': 'failed', 'message': type(error).__name__})
if len(answer) > most:
    answer = json.dumps({'type': 'failed', 'message': 'the answer is larger than 2 MB'})
"""
_MOST_BYTES = 2_000_000


@lru_cache(1)
def _sources() -> dict[str, str]:
    """The functions, in the order in which they need each other."""
    folder = Path(__file__.rpartition("/octavo/kernels/")[0]) / "octavo_runtime"
    names = ("classes", "arrays", "spelling", "tables", "digest", "looks", "paths", "packages")
    modules = [*(f"variables_{name}" for name in names), "variables"]
    return {name: (folder / f"{name}.py").read_text("utf-8") for name in modules}


def question(function: str, arguments: Mapping[str, Any], seconds: float) -> Message:
    """The content of a request that asks a function of the runtime."""
    program = b64encode(compress(_PROGRAM.encode())).decode()
    sources = b64encode(compress(json.dumps(_sources()).encode())).decode()
    unpacked = "__import__('zlib').decompress(__import__('base64').b64decode(%r))"
    given = json.dumps(dict(arguments))
    names = (
        f"'asked': {function!r}, 'seconds': {seconds!r}, 'most': {_MOST_BYTES},"
        f" 'given': __import__('json').loads({given!r}), 'namespace': globals(),"
        f" 'sources': __import__('json').loads({unpacked % sources})"
    )
    expression = f"(lambda d: (exec({unpacked % program}, d), d['answer'])[1])({{{names}}})"
    return {
        "code": "",
        "silent": True,
        "store_history": False,
        "user_expressions": {"octavo": expression},
        "allow_stdin": False,
        "stop_on_error": False,
    }


def answer(reply: Message, seconds: float) -> Any:
    """The value that a kernel replied with."""
    try:
        told = reply["user_expressions"]["octavo"]
        text = ast.literal_eval(told["data"]["text/plain"])
        found = json.loads(text)
        kind = found["type"]
    except (KeyError, TypeError, ValueError, SyntaxError, RecursionError):
        raise _unanswered("it does not answer as IPython's kernel does") from None
    if kind == "late":
        raise TimeoutError(f"no answer within {seconds:g} s")
    if kind != "answer":
        raise _unanswered(str(found.get("message")))
    return found["value"]


def check_language(facts: Mapping[str, Any]) -> None:
    """Only kernels of Python have names that we can look at."""
    language = facts.get("language_info")
    name = str(language.get("name") or "") if isinstance(language, Mapping) else ""
    if name not in ("python", "ipython"):
        raise KernelFailure(
            "platform",
            f"the variables of a kernel for {name or 'another language'} cannot be looked at",
            hint=_HINT,
        )


def _unanswered(why: str) -> KernelFailure:
    return KernelFailure(
        "kernel-nonsense", f"the kernel's names cannot be looked at: {why}", hint=_HINT
    )


Request = Callable[[str, str, Message], str]


class Questions:
    """Questions that were sent and are not answered yet."""

    def __init__(self, request: Request, ended: asyncio.Future[None]) -> None:
        self._request = request
        self._ended = ended
        self._open: dict[str, asyncio.Future[Message]] = {}

    def answered(self, parent: Any, content: Message) -> bool:
        """Whether a reply belongs to a question."""
        waiting = self._open.get(str(parent))
        if waiting is None:
            return False
        if not waiting.done():
            waiting.set_result(content)
        return True

    async def ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """Send a question to an idle kernel and wait for the answer."""
        content = question(function, arguments, seconds)
        parent = self._request("shell", "execute_request", content)
        waiting = self._open[parent] = asyncio.get_running_loop().create_future()
        try:
            pending: set[asyncio.Future[Any]] = {waiting, self._ended}
            await asyncio.wait(
                pending, timeout=seconds + GRACE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if waiting.done():
                return answer(waiting.result(), seconds)
            if self._ended.done():
                raise _unanswered("it has ended")
            raise TimeoutError(f"no answer within {seconds:g} s")
        finally:
            del self._open[parent]
