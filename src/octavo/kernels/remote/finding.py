"""Which kernels run in a Jupyter server, and for which notebooks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.kernels.remote import failures
from octavo.kernels.remote.server import Server, call
from octavo.value import Value

_SHOWN = 6
#: Ids stand in addresses.
_ID = re.compile(r"(?!None$)[0-9A-Za-z_-]{1,200}")


class Running(Value):
    """A kernel of a server. `notebooks` are paths on the server that are open with it."""

    id: str
    name: str
    state: str
    notebooks: tuple[str, ...] = ()

    def words(self) -> str:
        what = ", ".join(self.notebooks) or self.name
        return f"{self.id} ({what})"


async def running(server: Server) -> list[Running]:
    """All kernels of a server, those that are used last first."""
    kernels = await _listed(server, "api/kernels")
    opened = await _listed(server, "api/sessions")
    if not all(_ID.fullmatch(str(each.get("id"))) for each in kernels):
        raise failures.strange(server.url, "its kernels have no ids")
    ordered = sorted(kernels, key=lambda each: str(each.get("last_activity")), reverse=True)
    return [
        Running(
            str(each.get("id")),
            _word(each.get("name")),
            _word(each.get("execution_state")),
            _notebooks(str(each.get("id")), opened),
        )
        for each in ordered
    ]


async def _listed(server: Server, path: str) -> list[Mapping[str, Any]]:
    found = await call(server, "GET", path)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise failures.strange(server.url, f"{path} is no list")
    return found


def _notebooks(kernel: str, opened: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(
        _word(each.get("path"))
        for each in opened
        if each.get("type") == "notebook" and _kernel_of(each) == kernel
    )


def _kernel_of(opened: Mapping[str, Any]) -> Any:
    kernel = opened.get("kernel")
    return kernel.get("id") if isinstance(kernel, dict) else None


def _word(said: Any) -> str:
    """A text of the server's that can be printed and sent back."""
    return str(said).encode("utf-8", "replace").decode()


async def choose(server: Server, kernel: str | None, notebook: str | None) -> Running:
    """The kernel of an id (or the beginning of one), else that of a notebook, else the only one."""
    known = await running(server)
    words = ", ".join(each.words() for each in known[:_SHOWN])
    if kernel:
        return _by_id(server, known, kernel, words)
    if notebook:
        return _by_notebook(server, known, notebook, words)
    if len(known) != 1:
        raise (
            failures.several(server.url, words) if known else failures.no_kernel(server.url, "", "")
        )
    return known[0]


def _by_id(server: Server, known: list[Running], kernel: str, words: str) -> Running:
    found = [each for each in known if each.id == kernel]
    found = found or [each for each in known if len(kernel) >= 4 and each.id.startswith(kernel)]
    if len(found) != 1:
        raise failures.no_kernel(server.url, kernel, words)
    return found[0]


def _by_notebook(server: Server, known: list[Running], notebook: str, words: str) -> Running:
    """Paths on the server begin at its root: the longest common end decides."""
    scored = [(_common(notebook, path), each) for each in known for path in each.notebooks]
    best = max((score for score, _ in scored), default=0)
    found = {each.id: each for score, each in scored if score == best and best}
    if not found:
        raise failures.no_notebook(server.url, notebook, words)
    if len(found) > 1:
        raise failures.several(server.url, words)
    return next(iter(found.values()))


def same_notebook(local: str, remote: str) -> bool:
    """Whether a path here and a path on the server can be one notebook."""
    return _common(local, remote) > 0


def _common(local: str, remote: str) -> int:
    """How many folders and names agree from the end; 0 where the one is no end of the other."""
    ours, theirs = _stemmed(local), _stemmed(remote)
    shorter = min(len(ours), len(theirs))
    return shorter if ours[-shorter:] == theirs[-shorter:] else 0


def _stemmed(path: str) -> list[str]:
    """The parts of a path; a text notebook and its `.ipynb` are one."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    stem = parts[-1].rpartition(".")[0] or parts[-1] if parts else ""
    return [*parts[:-1], stem]
