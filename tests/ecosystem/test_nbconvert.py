"""nbconvert turns every executed notebook into a page, a document and a script."""

from __future__ import annotations

import re
import warnings
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert import get_exporter
from nbconvert.filters import strip_ansi

from ecosystem.making import Executed, command

pytestmark = pytest.mark.kernel

#: nbconvert says so of every output without a kind that it can draw, whoever wrote it.
UNSHOWN = r"Your element with mimetype\(s\) dict_keys\(\['application/(scrapbook|vnd\.plotly)"


class Page(HTMLParser):
    """The text that a page shows, and where its images come from."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.images: list[str] = []
        self.pieces: list[str] = []
        self._hidden = 0
        self.feed(html)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("style", "script")
        self.images += [value or "" for name, value in attrs if (tag, name) == ("img", "src")]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)


def convert(kind: str, executed: Executed) -> tuple[str, dict[str, Any]]:
    notebook = nbformat.read(executed.path, as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", category=UserWarning)
        warnings.filterwarnings("ignore", message=UNSHOWN)
        text, resources = get_exporter(kind)().from_notebook_node(notebook)
    return text, dict(resources)


def printed(executed: Executed) -> list[str]:
    """The lines that the cells printed, and the last line of errors, without colours."""
    notebook = nbformat.read(executed.path, as_version=4)
    texts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "stream" and "\r" not in output.text:
                texts += strip_ansi(output.text).splitlines()
            if output.output_type == "error":
                texts.append(strip_ansi(f"{output.ename}: {output.evalue}".strip()))
    return [text for text in texts if text.strip()]


def test_as_a_page(executed: Executed) -> None:
    html, _ = convert("html", executed)
    page = Page(html)
    missing = [line for line in printed(executed) if line not in page.text]
    assert missing == []
    assert "\x1b" not in html, "colours have become styles"
    if "system_health" in executed.name:
        assert any(image.startswith("data:image/png;base64,") for image in page.images)


def test_as_markdown(executed: Executed) -> None:
    text, resources = convert("markdown", executed)
    # Errors are escaped in Markdown, what was printed is not.
    shown = strip_ansi(text) + unescape(strip_ansi(text))
    missing = [line for line in printed(executed) if line not in shown]
    assert missing == []
    if "system_health" in executed.name:
        assert [name for name in resources["outputs"] if name.endswith(".png")]


def test_as_a_script(executed: Executed) -> None:
    text, resources = convert("script", executed)
    assert resources["output_extension"] == ".py"
    compile(text, executed.name, "exec")
    for cell in nbformat.read(executed.path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.source in text


def test_as_latex_text(executed: Executed) -> None:
    notebook = nbformat.read(executed.path, as_version=4)
    # Markdown, HTML and SVG are turned into LaTeX by Pandoc and Inkscape, which are not ours.
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if executed.name == "gallery":
        notebook.cells = notebook.cells[:2]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=UNSHOWN)
        text, resources = get_exporter("latex")().from_notebook_node(notebook)
    assert text.rstrip().endswith(r"\end{document}")
    if "system_health" in executed.name:
        assert [name for name in resources["outputs"] if name.endswith(".png")]


def test_a_failing_cell_is_seen_as_a_failure(run_by_octavo: Any) -> None:
    html, _ = convert("html", run_by_octavo("fleet_health_check-error"))
    assert "ValueError" in Page(html).text
    assert "&lt;b&gt;here&lt;/b&gt;" in html, "what an error says is text, never markup"


def test_long_output_says_where_the_whole_is(run_by_octavo: Any) -> None:
    html, _ = convert("html", run_by_octavo("fleet_health_check-long"))
    assert re.search(r"left out, the whole is in files/cell-\d+-stdout\.txt", Page(html).text)


def test_every_kind_of_output_reaches_the_page(run_by_octavo: Any) -> None:
    html, _ = convert("html", run_by_octavo("gallery"))
    page = Page(html)
    for sign in (
        "plain red bold green <b>&amp;", "told on stderr", "100 %", "html shown", "markdown shown",
        r"$\int_0^1 x\,dx$", "web-2", "second", "of nobody",
    ):  # fmt: skip
        assert sign in page.text, sign
    assert "'first'" not in page.text, "the display was updated"
    assert any(image.startswith("data:image/svg+xml") for image in page.images)
    for sign in ("application/vnd.jupyter.widget-view+json", "window.octavo_gallery"):
        assert sign in html, sign
    assert "printed inside a widget" in html, "the state of widgets is in the page"


def test_the_command_line_puts_images_beside_markdown(tmp_path: Path, run_by_octavo: Any) -> None:
    path = run_by_octavo("agent_task_system_health-success").path
    words = ("jupyter", "nbconvert", "--to", "markdown", "--output-dir", tmp_path, path)
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (image,) = tmp_path.glob("*_files/*.png")
    assert image.name in (tmp_path / f"{path.stem}.md").read_text("utf-8")
