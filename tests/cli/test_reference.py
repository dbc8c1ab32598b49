"""The page about the command line says what the commands say."""

from __future__ import annotations

from pathlib import Path

from octavo.errors import OctavoError
from octavo.surfaces.cli.reference import reference

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert page == reference(), "python -m octavo.surfaces.cli.reference > docs/cli.md"


def test_the_page_shows_errors_as_they_are() -> None:
    error = OctavoError("internal", "message")
    for key in error.to_json():
        assert f'"{key}"' in reference()
