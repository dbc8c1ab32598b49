"""Blocks of TOML in comments, as PEP 723 spells them: `# /// type`, comments, `# ///`.

Finding a block is light, because it happens before every run; reading it as TOML happens only
when somebody needs what it says.
"""

from __future__ import annotations

from octavo.errors import NotebookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLOSING = "# ///"


class CommentBlock:
    """The TOML text of a block, and where it stands.

    `line` is the 1-based line of the opening marker in the file, or in cell `cell` of an
    `.ipynb` (counted from 0, as in every other error).
    """

    __slots__ = ("cell", "content", "line", "path", "type")

    def __init__(
        self, content: str, path: str, line: int, cell: int | None = None, type: str = "script"
    ) -> None:
        self.content = content
        self.path = path
        self.line = line
        self.cell = cell
        self.type = type

    def place(self, line: int = 0) -> str:
        """Where the block's `line` is (0 is the opening marker), as an error names it."""
        where = (
            f"{self.path}, cell {self.cell}, line " if self.cell is not None else f"{self.path}:"
        )
        return f"{where}{self.line + line}"

    def normalised(self) -> str:
        """The text that decides what is meant: blank lines and comments do not."""
        lines = (line.strip() for line in self.content.split("\n"))
        return "\n".join(line for line in lines if line and not line.startswith("#"))

    def mistake(self, message: str, line: int, hint: str) -> NotebookError:
        """What is wrong in the block, at a line of it."""
        kind = _KINDS[self.type]
        message = f"the {self.type} block {message}"
        return NotebookError(kind, message, place=self.place(line), hint=hint)


#: The kind of error that a mistake in a block of each type is.
_KINDS = {"script": "environment-block", "check": "check-block"}


def opening(type: str) -> str:
    """The line that begins a block."""
    return f"# /// {type}"


def find_block(text: str, path: str, type: str = "script") -> CommentBlock | None:
    """The block of a type in a notebook's text, or None.

    In an `.ipynb` it stands in a code cell; in a `.md` in one too, or in an HTML comment of which
    it is the whole. A text that is not a notebook has no block: saying
    so is the business of whoever reads it.
    """
    if opening(type)[2:] not in text and f"\\/\\/\\/ {type}" not in text:
        return None
    if path.endswith(".md"):
        return _only(_blocks_of_markdown(text, path, type))
    if path.endswith(".ipynb"):
        return _only(_blocks_of_ipynb(text, path, type))
    return _only(_scan(text, path, type))


def read_toml(block: CommentBlock, hint: str) -> dict[str, Any]:
    """The block as a table; an error names the file and the line, and gives the hint."""
    import tomllib

    try:
        return tomllib.loads(block.content)
    except tomllib.TOMLDecodeError as error:
        line = _line_of(str(error), block.content)
        raise block.mistake(f"cannot be read: {error}", line, hint) from None


def line_with(key: str, block: CommentBlock) -> int:
    """The line of a block that sets a key; 0 when there is none."""
    lines = block.content.split("\n")
    return next((n for n, line in enumerate(lines, 1) if line.strip().startswith(key)), 0)


def _scan(text: str, path: str, type: str, cell: int | None = None) -> list[CommentBlock]:
    lines = [line.rstrip() for line in text.split("\n")]
    blocks = []
    at = 0
    while at < len(lines):
        if lines[at] != opening(type):
            at += 1
            continue
        end = _end_of_comments(lines, at)
        closing = max((i for i in range(at + 1, end) if lines[i] == CLOSING), default=None)
        if closing is None:
            raise CommentBlock("", path, at + 1, cell, type).mistake(
                "has no end",
                0,
                "close it with a line `# ///`; every line in between starts with `#`",
            )
        content = "\n".join(line[2:] for line in lines[at + 1 : closing])
        blocks.append(CommentBlock(content, path, at + 1, cell, type))
        at = closing + 1
    return blocks


def _end_of_comments(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines) and (lines[end] == "#" or lines[end].startswith("# ")):
        end += 1
    return end


def _blocks_of_ipynb(text: str, path: str, type: str) -> list[CommentBlock]:
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
        for block in _scan(_source(cell), path, type, number)
    ]


def _blocks_of_markdown(text: str, path: str, type: str) -> list[CommentBlock]:
    """Blocks in code cells and comments; one that the text shows as an example is none."""
    from octavo.notebook.formats import read

    try:
        cells = read(text, path).cells
    except NotebookError:
        return []
    return [
        block
        for cell in cells
        if opening(type) in cell.source
        and (cell.kind == "code" or f"<!--\n{opening(type)}\n" in f"\n{cell.source}")
        for block in _scan("\n" * (cell.line - 1) + cell.source, path, type)
    ]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def _only(blocks: list[CommentBlock]) -> CommentBlock | None:
    if len(blocks) > 1:
        first, second, *_ = blocks
        raise NotebookError(
            _KINDS[first.type],
            f"there are {len(blocks)} {first.type} blocks; the first is at {first.place()}",
            place=second.place(),
            hint=f"keep one `{opening(first.type)}` block",
        )
    return blocks[0] if blocks else None


def _line_of(message: str, content: str) -> int:
    """The line that a TOML error speaks of ("... (at line 3, column 5)")."""
    digits = message.rpartition("at line ")[2].partition(",")[0]
    return int(digits) if digits.isdigit() else content.count("\n") + 1
