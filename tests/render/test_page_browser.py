"""Pages in a real browser: nothing in a notebook runs, asks for anything, or leaves its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from browser import Page, chromium
from octavo.render.page import About, page
from render.page_notebooks import PNG, attacking, code, markdown, notebook, shown, stream

pytestmark = pytest.mark.slow


@contextmanager
def server() -> Iterator[tuple[str, list[str]]]:
    """An address, and the paths that somebody has asked it for."""
    asked: list[str] = []

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Noting)
    Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}", asked
    finally:
        listening.shutdown()
        listening.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


def opened(browser: Page, html: str, folder: Path) -> None:
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    browser.open(path.as_uri())
    browser.wait_for("document.readyState === 'complete'")


@pytest.mark.parametrize("policy", [True, False], ids=["as it is", "without its policy"])
def test_nothing_runs_and_nothing_is_fetched(browser: Page, tmp_path: Path, policy: bool) -> None:
    """The page must hold without its policy too: each of the two walls stands by itself."""
    with server() as (url, asked):
        document = attacking(url)
        html = page(document, About(path="<script>window.hacked = 30</script>"))
        if not policy:
            html = html.replace('http-equiv="Content-Security-Policy"', 'name="nothing"')
        opened(browser, html, tmp_path)
        browser.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        browser.evaluate("document.querySelectorAll('main a[href^=j]').forEach(a => a.click())")
        browser.evaluate("new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)))")
        assert browser.evaluate("window.hacked ?? null") is None
        assert browser.evaluate("document.title") == "Quiet title"
        assert browser.evaluate("location.protocol") == "file:"
        assert asked == []
    for tag in ("script", "iframe", "object", "embed", "form", "input", "link", "base", "svg"):
        assert browser.evaluate(f"document.querySelectorAll('{tag}').length") == 0, tag


def test_the_frame_of_the_page_stays(browser: Page, tmp_path: Path) -> None:
    document = attacking("https://example.org")
    opened(browser, page(document), tmp_path)
    found = browser.evaluate(
        "[...document.querySelectorAll('section.cell')].map(each => each.parentNode.tagName)"
    )
    assert found == ["MAIN"] * len(document["cells"])
    assert browser.evaluate("[...document.body.children].map(each => each.tagName)") == [
        "NAV",
        "MAIN",
    ]
    last = "document.querySelector('main > section:last-of-type')"
    assert browser.evaluate(f"{last}.innerText.trim()") == "The last one"
    assert browser.evaluate(f"getComputedStyle({last}).display") == "block"
    # Nothing that a notebook brings takes an id or a class of the page, or covers it.
    assert browser.evaluate("document.getElementById('cell-0').tagName") == "SECTION"
    assert browser.evaluate("document.querySelectorAll('.about').length") == 1
    placed = "[...document.querySelectorAll('.output *')].filter(each => " + (
        "['fixed', 'sticky'].includes(getComputedStyle(each).position)).length"
    )
    assert browser.evaluate(placed) == 0


def test_it_fits_on_a_phone_and_shows_what_it_has(browser: Page, tmp_path: Path) -> None:
    import pandas as pd

    wide = pd.DataFrame({f"column {at}": range(3) for at in range(30)})
    document = notebook(
        markdown("# Title\n\n## Part\n\n$$\\frac{a}{b}$$"),
        code("x = '" + "y" * 400 + "'", stream("z" * 500), shown(image_png=PNG)),
        code("wide", shown(text_html=wide._repr_html_(), text_plain="frame")),
    )
    html = page(document, About(path="a/" + "long" * 60 + ".py", status="success", run_id="1" * 36))
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    try:
        opened(browser, html, tmp_path)
        assert browser.evaluate("document.documentElement.scrollWidth") == 390
        assert browser.evaluate(
            "document.querySelector('mfrac').getBoundingClientRect().height > 0"
        )
        assert browser.evaluate("document.querySelector('figure img').complete")
        assert browser.evaluate("document.querySelector('figure img').naturalWidth") == 1
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible_in_both_schemes(browser: Page, tmp_path: Path, scheme: str) -> None:
    colours = "\n".join(f"\x1b[{base + at}mword\x1b[0m" for base in (30, 90, 40) for at in range(8))
    document = notebook(
        markdown("text [link](https://example.org) `code`\n\n> quote"),
        code("def f(x):\n    return 'text' + 1  # comment\n@d\nclass C: pass", stream(colours)),
        code("y", stream("warned", "stderr"), octavo={"status": "failed"}),
    )
    wanted = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=wanted)
    opened(browser, page(document, About(path="nb.py", status="error", failed="no")), tmp_path)
    assert browser.evaluate(_FAINT) == []


#: Texts with less contrast to their ground than people need.
_FAINT = """
(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const found = parts(getComputedStyle(node).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll('main *')) {
    const own = [...node.childNodes].some(each => each.nodeType === 3 && each.data.trim());
    if (!own) continue;
    const [a, b] = [light(parts(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${node.className} ${node.textContent.slice(0, 20)} ${ratio}`);
  }
  return faint;
})()
"""
