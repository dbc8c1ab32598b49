"""What is committed of a notebook file: all but the results of its runs."""

from __future__ import annotations

from octavo.notebook.cleaning import NotANotebook, cleaned_bytes


def clean(content: bytes) -> bytes:
    """The content of an `.ipynb` to be committed; what is no notebook stays as it is."""
    try:
        return cleaned_bytes(content)
    except NotANotebook:
        return content
