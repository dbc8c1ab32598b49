"""From the text of a cell to what is compiled, without needless work.

IPython splits every cell into tokens to find its own syntax. Most cells have none of it, and that
can be seen without tokens.
"""

from __future__ import annotations

from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.inputtransformer2 import TransformerManager

try:
    from _sha1 import sha1  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from hashlib import sha1

_ANYWHERE = ("%", "!", "?")
_AT_THE_START = (",", ";", "/")


class QuickTransformer(TransformerManager):  # type: ignore[misc]
    """Looks for IPython's syntax only in cells that can have some."""

    def __init__(self) -> None:
        super().__init__()
        self._usual = list(self.token_transformers)

    def do_token_transforms(self, lines: list[str]) -> Any:
        if self.token_transformers == self._usual and _is_plain(lines):
            return lines
        return super().do_token_transforms(lines)


def _is_plain(lines: list[str]) -> bool:
    return not any(
        any(sign in line for sign in _ANYWHERE) or line.lstrip().startswith(_AT_THE_START)
        for line in lines
    )


class KernelCompiler(CachingCompiler):  # type: ignore[misc]
    """Names code as IPython does; the modules of OpenSSL are not loaded for it."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        text = transformed_code.encode("utf-8", "surrogatepass")
        digest = sha1(text, usedforsecurity=False).hexdigest()
        return f"<ipython-input-{number}-{digest[:12]}>"
