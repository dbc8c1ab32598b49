"""The table in the docs has every option of Papermill's, and names options that we have."""

from __future__ import annotations

import re
from pathlib import Path

import click
from papermill.cli import papermill

from octavo.app.table import find
from octavo.surfaces.cli.shape import Shape

PAGE = (Path(__file__).parents[2] / "docs" / "papermill.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if line.startswith("| ")
][2:]


def flags(text: str) -> set[str]:
    return set(re.findall(r"`(--?[a-z][\w-]*)", text))


def test_every_option_of_papermill_is_in_the_table() -> None:
    theirs = {"-h", "--help"}
    for each in papermill.params:
        if isinstance(each, click.Option):
            theirs |= {*each.opts, *each.secondary_opts}
    assert theirs == set().union(*(flags(row[0]) for row in ROWS))


def test_every_option_that_it_names_is_ours() -> None:
    entry = find("run")
    assert entry is not None
    ours = {*Shape(entry).by_flag, "-h", "--help"}
    for _, equivalent, note in ROWS:
        if "octavo --version" not in equivalent:
            assert flags(equivalent) | (flags(note) & set(ours)) <= ours, equivalent


def test_every_row_says_something() -> None:
    for theirs, ours, _ in ROWS:
        assert theirs and ours
