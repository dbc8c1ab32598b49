"""The top of a percent file: interpreter and encoding lines, and Jupytext's YAML header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from octavo.errors import NotebookError

_ENCODING = r"[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)"
_FENCE = "---"

#: Notebook metadata that the header holds unless a filter says otherwise.
HELD = ("jupytext", "kernelspec", "kernel_info", "orphan", "tocdepth")
NO_HEADER = {"notebook_metadata_filter": "-all"}


class Header(NamedTuple):
    """What stands before the cells. `stop` is the first line after it."""

    metadata: dict[str, Any]
    stop: int
    front_matter: str = ""
    front_matter_line: int = 1
    blank_after: int = 1


def read_header(lines: Sequence[str], path: str) -> Header:
    """The header of a file; without one, metadata that says so."""
    jupytext: dict[str, Any] = {}
    top = _read_top(lines, jupytext, path)
    span = _find_yaml(lines, top)
    if span is None:
        return Header({"jupytext": {**jupytext, **NO_HEADER}}, top)
    first, last = span
    numbers = [*range(top, first), *range(first + 1, last)]
    jupyter, other = split_sections({at: _uncomment(lines[at]) for at in numbers})
    metadata = _load(lines, jupyter, path) if jupyter else {}
    if jupytext or not jupyter:
        own = metadata.get("jupytext")
        metadata["jupytext"] = {
            **(own if isinstance(own, dict) else {}),
            **jupytext,
            **({} if jupyter else NO_HEADER),
        }
    blank = last + 1 < len(lines) and not _uncomment(lines[last + 1]).strip()
    front_matter = (
        "\n".join(["---", *(_uncomment(lines[at]) for at in other), "---"]) if other else ""
    )
    return Header(metadata, last + 1 + blank, front_matter, first + 1, int(blank))


def _read_top(lines: Sequence[str], jupytext: dict[str, Any], path: str) -> int:
    at = 0
    if lines and lines[0].startswith("#!"):
        jupytext["executable"] = lines[0][2:]
        at = 1
    if at < len(lines):
        encoding = re.match(_ENCODING, lines[at]) if "coding" in lines[at] else None
        if encoding:
            if encoding[1].lower().replace("_", "-") not in ("utf-8", "utf8"):
                raise NotebookError(
                    "notebook-encoding",
                    f"the file declares the encoding {encoding[1]}; only UTF-8 is read",
                    place=f"{path}:{at + 1}",
                    hint="save the file as UTF-8 and remove the declaration",
                )
            jupytext["encoding"] = lines[at]
            at += 1
    return at


def _uncomment(line: str) -> str:
    return line[2:] if line.startswith("# ") else line[1:] if line.startswith("#") else line


def _find_yaml(lines: Sequence[str], top: int) -> tuple[int, int] | None:
    """The lines of the opening and the closing `# ---`."""
    first = None
    for at in range(top, len(lines)):
        if not lines[at].startswith("#"):
            return None
        text = _uncomment(lines[at])
        if text.rstrip() == _FENCE:
            if first is not None:
                return first, at
            first = at
        elif first is None and text.strip():
            return None
    return None


def split_sections(lines: Mapping[int, str]) -> tuple[list[int], list[int]]:
    """Which of the lines of a header belong to the `jupyter:` section, and which do not."""
    jupyter: list[int] = []
    other: list[int] = []
    inside = False
    for at, line in lines.items():
        if line.startswith("jupyter") and line[7:].strip() == ":":
            inside = True
        elif line and not line[0].isspace():
            inside = False
        (jupyter if inside else other).append(at)
    return jupyter, other


def _load(lines: Sequence[str], numbers: Sequence[int], path: str) -> dict[str, Any]:
    import yaml

    try:
        metadata = yaml.safe_load("\n".join(_uncomment(lines[at]) for at in numbers))["jupyter"]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = numbers[min(mark.line, len(numbers) - 1)] if mark else numbers[0]
        problem = getattr(error, "problem", None) or "it does not parse"
        raise _bad_header(f"the header is not YAML: {problem}", f"{path}:{line + 1}") from error
    if not isinstance(metadata, dict | None):
        raise _bad_header("`jupyter` is not a mapping", f"{path}:{numbers[0] + 1}")
    return {str(key): plain(value) for key, value in (metadata or {}).items()}


def plain(value: Any) -> Any:
    """A YAML value as JSON could hold it: dates become text, keys too."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    known = value is None or isinstance(value, str | int | float)
    return value if known else str(value)


def _bad_header(message: str, place: str) -> NotebookError:
    hint = "correct the lines between the two `# ---`, or remove them"
    return NotebookError("notebook-invalid", message, place=place, hint=hint)


def extend_filters(metadata: dict[str, Any], cell_keys: Iterable[str]) -> None:
    """Let the filters in the header cover what the file holds, so that writing keeps it."""
    jupytext = metadata.get("jupytext")
    told = jupytext.get("cell_metadata_filter") if isinstance(jupytext, dict) else None
    if isinstance(jupytext, dict) and isinstance(told, str):
        names = [name.strip() for name in told.split(",")]
        if "all" not in names:
            kept = [name for name in names if not (name[1:] in cell_keys and name[0] == "-")]
            added = [key for key in cell_keys if key not in kept]
            plain = [name for name in kept if not name.startswith("-")]
            minus = [name for name in kept if name.startswith("-")]
            jupytext["cell_metadata_filter"] = ",".join([*plain, *added, *minus])
        return
    told = jupytext.get("notebook_metadata_filter", "") if isinstance(jupytext, dict) else ""
    names = [name for name in str(told).split(",") if name]
    extra = [key for key in metadata if key not in HELD and key not in names]
    if extra and "all" not in names and "-all" not in names:
        metadata.setdefault("jupytext", {})["notebook_metadata_filter"] = ",".join(names + extra)


def select(
    metadata: Mapping[str, Any], told: Any, kept: Sequence[str] | None, dropped: Sequence[str] = ()
) -> dict[str, Any]:
    """The part of some metadata that a Jupytext filter lets through.

    `kept` names what is held by default (None: everything but `dropped`).
    """
    names = [name.strip() for name in str(told or "").split(",") if name.strip()]
    plus = {name.lstrip("+") for name in names if not name.startswith("-")}
    minus = {name[1:].strip() for name in names if name.startswith("-")}
    if "all" in plus:
        return {key: value for key, value in metadata.items() if key not in minus}
    if "all" in minus:
        return {key: value for key, value in metadata.items() if key in plus}
    return {
        key: value
        for key, value in metadata.items()
        if key not in minus and (key in plus or (key in kept if kept else key not in dropped))
    }


def write_header(metadata: Mapping[str, Any], front_matter: str) -> tuple[list[str], list[str]]:
    """Interpreter and encoding lines, and the commented YAML header (empty when it has nothing)."""
    jupytext = dict(metadata.get("jupytext") or {})
    top = ["#!" + jupytext.pop("executable")] if "executable" in jupytext else []
    if "encoding" in jupytext:
        top.append(jupytext.pop("encoding"))
    kernelspec = metadata.get("kernelspec") or {}
    if jupytext.get("main_language") == kernelspec.get("language", "python"):
        del jupytext["main_language"]
    told = jupytext.get("notebook_metadata_filter")
    whole = {**metadata, "jupytext": jupytext}
    if not jupytext:
        del whole["jupytext"]
    held = select(whole, told, HELD)
    lines = front_matter.strip("\n\t ").splitlines()[1:-1] if front_matter else []
    if held:
        lines += _dump(held)
    if not lines:
        return top, []
    return top, [f"# {line}" if line else "#" for line in ["---", *lines, "---"]]


def _dump(metadata: Mapping[str, Any]) -> list[str]:
    import yaml

    text: str = yaml.safe_dump({"jupyter": metadata}, default_flow_style=False)
    return text.splitlines()


def is_front_matter(source: str, metadata: Mapping[str, Any]) -> bool:
    """Whether a raw first cell can stand in the header and come back as it is."""
    lines = source.rstrip("\n").split("\n")
    inner = lines[1:-1]
    return (
        len(lines) >= 3
        and lines[0] == lines[-1] == _FENCE
        and set(metadata) <= {"lines_to_next_cell"}
        and not any(line.rstrip() == _FENCE or line.startswith("jupyter") for line in inner)
    )
