"""Modules that a notebook may make or fetch by itself before it imports them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from octavo.notebook.model import Notebook
from octavo.notebook.syntax import parse_cell

#: After one of these a module may come from anywhere.
_ELSEWHERE = re.compile(
    r"sys\.path|addsitedir|sys\.modules|meta_path|path_hooks|\binstall\b|[%.](?:ch|c)dir\b|%cd"
    r"|^\s*(?:cd|pushd) |%pushd|git clone|\bwget\b|\bcurl\b|\bunzip\b|\btar\b|urlretrieve"
    r"|extractall|unpack_archive|snapshot_download|\}\.py\b|%run|%load\b|site\.main",
    re.MULTILINE,
)


class Made:
    """What the code of a notebook says of files besides its own Python."""

    def __init__(self, notebook: Notebook) -> None:
        sources = [cell.source for cell in notebook.cells if cell.kind == "code"]
        #: Whether modules may come from places that nobody can look into now.
        self.anything = any(_ELSEWHERE.search(source) for source in sources)
        self._said = "" if self.anything else "\n".join(_said(sources))

    def may_make(self, module: str) -> bool:
        """Whether a text names a file or folder such as this module would have."""
        name = re.escape(module)
        shape = rf"^{name}$|(?<![\w.]){name}(?:\.py|\.zip|\.whl|\.so|\.pyx|/|\\)|/{name}\b"
        return re.search(shape, self._said, re.MULTILINE) is not None


def _said(sources: list[str]) -> Iterator[str]:
    """All texts, and all lines that are no Python."""
    for source in sources:
        parsed = parse_cell(source)
        if parsed is None or parsed[1] != source:
            yield source
        for node in ast.walk(parsed[0]) if parsed else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
