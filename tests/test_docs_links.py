"""The pages lead to each other: every link has an end, and every page a way to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "design").glob("*.md")),
]
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def _without_code(page: Path) -> str:
    return CODE.sub(lambda found: "" if found[0].startswith(("`" * 3, "~")) else "x", _text(page))


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _links(page: Path) -> Iterator[tuple[Path, str]]:
    """The files that a page links to, and the heading in each."""
    for target in LINK.findall(_without_code(page)):
        if "://" not in target and not target.startswith("mailto:"):
            path, _, heading = target.partition("#")
            yield (page.parent / path).resolve() if path else page, heading


def _anchors(page: Path) -> set[str]:
    """The names that GitHub and Gitea give to the headings of a page."""
    fenced = re.sub(r"^(```|~~~).*?^\1", "", _text(page), flags=re.DOTALL | re.MULTILINE)
    names = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(fenced))
    return {name.replace(" ", "-") for name in names}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_has_an_end(page: Path) -> None:
    missing = [str(path) for path, _ in _links(page) if not path.exists()]
    assert not missing
    lost = [
        f"{path.name}#{heading}"
        for path, heading in _links(page)
        if heading and path.suffix == ".md" and heading not in _anchors(path)
    ]
    assert not lost


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [PAGES[0]]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md" and page.is_file():
            reached.add(page)
            waiting += [path for path, _ in _links(page)]
    assert sorted(str(page) for page in PAGES if page not in reached) == []


def test_every_page_for_users_stands_in_the_readme() -> None:
    linked = {path for path, _ in _links(PAGES[0])}
    assert not {page.name for page in PAGES if page.parent.name == "docs" and page not in linked}
