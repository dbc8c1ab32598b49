"""The PEP 723 block of a notebook: the packages that it declares for itself.

Finding a block is light, because it happens before every run; reading it as TOML happens only
when an environment has to be built.
"""

from __future__ import annotations

from octavo.errors import NotebookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

OPENING = "# /// script"
CLOSING = "# ///"


class ScriptBlock:
    """The TOML text of a block, and where it stands.

    `line` is the 1-based line of the opening marker in the file, or in cell `cell` of an
    `.ipynb` (counted from 0, as in every other error).
    """

    __slots__ = ("cell", "content", "line", "path")

    def __init__(self, content: str, path: str, line: int, cell: int | None = None) -> None:
        self.content = content
        self.path = path
        self.line = line
        self.cell = cell

    def place(self, line: int = 0) -> str:
        """Where the block's `line` is (0 is the opening marker), as an error names it."""
        where = (
            f"{self.path}, cell {self.cell}, line " if self.cell is not None else f"{self.path}:"
        )
        return f"{where}{self.line + line}"

    def normalised(self) -> str:
        """The text that decides which environment is meant: blank lines and comments do not."""
        lines = (line.strip() for line in self.content.split("\n"))
        return "\n".join(line for line in lines if line and not line.startswith("#"))


class ScriptMetadata:
    """What a block declares."""

    __slots__ = ("dependencies", "requires_python", "uv")

    def __init__(
        self, dependencies: tuple[str, ...], requires_python: str | None, uv: Mapping[str, Any]
    ) -> None:
        self.dependencies = dependencies
        self.requires_python = requires_python
        self.uv = uv


def find_block(text: str, path: str) -> ScriptBlock | None:
    """The script block of a notebook's text, or None.

    In an `.ipynb` it stands in a code cell; in a `.md` in one too, or in an HTML comment of which
    it is the whole. A text that is not a notebook has no block: saying
    so is the business of whoever reads it.
    """
    if OPENING[2:] not in text and "\\/\\/\\/ script" not in text:
        return None
    if path.endswith(".md"):
        return _only(_blocks_of_markdown(text, path))
    return _only(_blocks_of_ipynb(text, path) if path.endswith(".ipynb") else _scan(text, path))


def read_block(block: ScriptBlock) -> ScriptMetadata:
    """The block as declarations; an error names the file and the line."""
    import tomllib

    try:
        table = tomllib.loads(block.content)
    except tomllib.TOMLDecodeError as error:
        raise _mistake(block, str(error), _line_of(str(error), block.content)) from None
    dependencies = table.get("dependencies", [])
    requires = table.get("requires-python")
    tool = table.get("tool", {})
    if not _is_list_of_text(dependencies):
        raise _mistake(block, "`dependencies` must be a list of strings", 0)
    if requires is not None and not isinstance(requires, str):
        raise _mistake(block, "`requires-python` must be a string", 0)
    if requires is not None and not _are_specifiers(requires):
        message = f"`requires-python` is {requires!r}, not a range of versions such as '>=3.11'"
        raise _mistake(block, message, _line_with("requires-python", block.content))
    uv = tool.get("uv", {}) if isinstance(tool, dict) else None
    if not isinstance(uv, dict):
        raise _mistake(block, "`tool.uv` must be a table", 0)
    return ScriptMetadata(tuple(dependencies), requires, uv)


def _scan(text: str, path: str, cell: int | None = None) -> list[ScriptBlock]:
    lines = [line.rstrip() for line in text.split("\n")]
    blocks = []
    at = 0
    while at < len(lines):
        if lines[at] != OPENING:
            at += 1
            continue
        end = _end_of_comments(lines, at)
        closing = max((i for i in range(at + 1, end) if lines[i] == CLOSING), default=None)
        if closing is None:
            raise _unclosed(ScriptBlock("", path, at + 1, cell))
        content = "\n".join(line[2:] for line in lines[at + 1 : closing])
        blocks.append(ScriptBlock(content, path, at + 1, cell))
        at = closing + 1
    return blocks


def _end_of_comments(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines) and (lines[end] == "#" or lines[end].startswith("# ")):
        end += 1
    return end


def _blocks_of_ipynb(text: str, path: str) -> list[ScriptBlock]:
    import json

    try:
        document = json.loads(text)
    except ValueError:
        return []
    cells = document.get("cells") if isinstance(document, dict) else None
    return [
        block
        for number, cell in enumerate(cells if isinstance(cells, list) else ())
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
        for block in _scan(_source(cell), path, number)
    ]


def _blocks_of_markdown(text: str, path: str) -> list[ScriptBlock]:
    """Blocks in code cells and comments; one that the text shows as an example is none."""
    from octavo.notebook.formats import read

    try:
        cells = read(text, path).cells
    except NotebookError:
        return []
    return [
        block
        for cell in cells
        if OPENING in cell.source
        and (cell.kind == "code" or f"<!--\n{OPENING}\n" in f"\n{cell.source}")
        for block in _scan("\n" * (cell.line - 1) + cell.source, path)
    ]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def _only(blocks: list[ScriptBlock]) -> ScriptBlock | None:
    if len(blocks) > 1:
        raise NotebookError(
            "environment-block",
            f"there are {len(blocks)} script blocks; the first is at {blocks[0].place()}",
            place=blocks[1].place(),
            hint="keep one `# /// script` block",
        )
    return blocks[0] if blocks else None


def _unclosed(block: ScriptBlock) -> NotebookError:
    return NotebookError(
        "environment-block",
        "the script block has no end",
        place=block.place(),
        hint="close it with a line `# ///`; every line in between starts with `#`",
    )


def _mistake(block: ScriptBlock, message: str, line: int) -> NotebookError:
    return NotebookError(
        "environment-block",
        f"the script block cannot be read: {message}",
        place=block.place(line),
        hint='write it as TOML in comments, for example `# dependencies = ["pandas>=2"]`',
    )


def _line_of(message: str, content: str) -> int:
    """The line that a TOML error speaks of ("... (at line 3, column 5)")."""
    digits = message.rpartition("at line ")[2].partition(",")[0]
    return int(digits) if digits.isdigit() else content.count("\n") + 1


def _line_with(key: str, content: str) -> int:
    lines = content.split("\n")
    return next((n for n, line in enumerate(lines, 1) if line.strip().startswith(key)), 0)


def _are_specifiers(text: str) -> bool:
    import re

    one = r"\s*(?:===|~=|==|!=|<=|>=|<|>)?\s*\d[\w.*+!-]*\s*"
    return re.fullmatch(rf"\s*|{one}(?:,{one})*,?\s*", text) is not None


def _is_list_of_text(value: object) -> bool:
    items: Iterable[object] = value if isinstance(value, list) else (None,)
    return all(isinstance(item, str) for item in items)
