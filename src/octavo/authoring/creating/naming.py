"""Names of new notebooks, and texts that others wrote made fit to stand in one."""

from __future__ import annotations

import re
import sys
import unicodedata

#: What many notebooks import; the standard library is known by Python itself.
_LIBRARIES = {
    "altair", "bokeh", "dask", "duckdb", "httpx", "ipython", "jupyter", "matplotlib", "notebook",
    "numpy", "octavo", "pandas", "papermill", "plotly", "polars", "pyarrow", "requests", "scipy",
    "scrapbook", "seaborn", "sklearn", "sympy", "torch", "tqdm", "yaml",
}  # fmt: skip
_LONGEST_SLUG = 60
_LONGEST_TITLE = 80
_LONGEST_TEXT = 4000
_LINES = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
#: Signs that nobody sees, and that can turn the order of what is seen around.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def plain_text(description: str) -> str:
    """A description as text of several lines, without what no file should hold; not too long."""
    lines = _LINES.sub("\n", description[: 2 * _LONGEST_TEXT])
    text = _UNSEEN.sub("", lines).expandtabs(4)
    text = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", text)
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()} …"


def title_of(text: str) -> str:
    """The first line that says something, as a heading: on one line, and not too long."""
    lines = (line.strip().lstrip("#>*-`~ ").strip() for line in text.split("\n"))
    title = " ".join(next((line for line in lines if line), "Notebook").split())
    if len(title) <= _LONGEST_TITLE:
        return title
    return f"{title[:_LONGEST_TITLE].rpartition(' ')[0] or title[:_LONGEST_TITLE]} …"


def slug_of(title: str) -> str:
    """A name for a file: lower-case ASCII words with underlines between them."""
    folded = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", folded)
    slug = ""
    for word in words:
        longer = f"{slug}_{word}" if slug else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        slug = longer
    slug = slug or "new_notebook"
    # A notebook runs in its folder, where `import json` would find a `json.py`.
    hides_a_module = slug in sys.stdlib_module_names or slug in _LIBRARIES
    return f"{slug}_notebook" if hides_a_module else slug
