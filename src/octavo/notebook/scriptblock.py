"""The PEP 723 block of a notebook: the packages that it declares for itself."""

from __future__ import annotations

from octavo.errors import NotebookError
from octavo.notebook.comment_blocks import CommentBlock, line_with, read_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_HINT = 'write it as TOML in comments, for example `# dependencies = ["pandas>=2"]`'


class ScriptMetadata:
    """What a block declares."""

    __slots__ = ("dependencies", "requires_python", "uv")

    def __init__(
        self, dependencies: tuple[str, ...], requires_python: str | None, uv: Mapping[str, Any]
    ) -> None:
        self.dependencies = dependencies
        self.requires_python = requires_python
        self.uv = uv


def read_block(block: CommentBlock) -> ScriptMetadata:
    """The block as declarations; an error names the file and the line."""
    table = read_toml(block, _HINT)
    dependencies = table.get("dependencies", [])
    requires = table.get("requires-python")
    tool = table.get("tool", {})
    if not _is_list_of_text(dependencies):
        raise _mistake(block, "`dependencies` must be a list of strings", 0)
    if requires is not None and not isinstance(requires, str):
        raise _mistake(block, "`requires-python` must be a string", 0)
    if requires is not None and not _are_specifiers(requires):
        message = f"`requires-python` is {requires!r}, not a range of versions such as '>=3.11'"
        raise _mistake(block, message, line_with("requires-python", block))
    uv = tool.get("uv", {}) if isinstance(tool, dict) else None
    if not isinstance(uv, dict):
        raise _mistake(block, "`tool.uv` must be a table", 0)
    return ScriptMetadata(tuple(dependencies), requires, uv)


def _mistake(block: CommentBlock, message: str, line: int) -> NotebookError:
    return block.mistake(f"cannot be read: {message}", line, _HINT)


def _are_specifiers(text: str) -> bool:
    import re

    one = r"\s*(?:===|~=|==|!=|<=|>=|<|>)?\s*\d[\w.*+!-]*\s*"
    return re.fullmatch(rf"\s*|{one}(?:,{one})*,?\s*", text) is not None


def _is_list_of_text(value: object) -> bool:
    items: Iterable[object] = value if isinstance(value, list) else (None,)
    return all(isinstance(item, str) for item in items)
