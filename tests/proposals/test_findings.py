"""Comments become findings with a cell, a line, and what the reviewer wants there."""

from __future__ import annotations

from octavo.forges.port import Comment
from octavo.notebook import formats
from octavo.notebook.identity import handle
from octavo.proposals.findings import finding_of

TEXT = "# %% [markdown]\n# Title\n\n# %% check\nn = 1\nassert n\n"


def made(body: str = "why?", **facts: object) -> Comment:
    known = {"path": "nb.py", "line": 5, **facts}
    return Comment("7", "ada", body, "2026-01-01T00:00:00Z", **known)  # type: ignore[arg-type]


def test_a_comment_on_a_line_of_a_cell() -> None:
    finding = finding_of(made(), {"nb.py": TEXT}.get)
    cell = formats.read(TEXT, "nb.py").cells[1]
    assert (finding.cell, finding.cell_line, finding.text) == (1, 1, "n = 1")
    assert (finding.handle, finding.path, finding.line) == (handle(cell), "nb.py", 5)
    assert finding.to_json()["body"] == "why?"


def test_a_suggestion_is_told_apart() -> None:
    body = "Better:\r\n```suggestion\r\nn = 2\r\n```\r\nor so"
    assert finding_of(made(body), {"nb.py": TEXT}.get).suggestion == "n = 2"
    assert finding_of(made("```suggestion\n```"), {"nb.py": TEXT}.get).suggestion == ""
    assert finding_of(made("```python\nn = 2\n```"), {"nb.py": TEXT}.get).suggestion is None


def test_what_has_no_place_is_about_the_whole() -> None:
    plain = finding_of(made(path=None, line=None), {}.get)
    assert (plain.path, plain.cell, plain.outdated) == (None, None, False)


def test_a_place_that_is_gone_is_outdated() -> None:
    for facts in ({"line": None}, {"old": True}):
        finding = finding_of(made(**facts), {"nb.py": TEXT}.get)
        assert finding.outdated and finding.cell is None


def test_a_comment_on_a_whole_file_is_not() -> None:
    finding = finding_of(made(line=None, commit="c0ffee"), {"nb.py": TEXT}.get, "c0ffee")
    assert (finding.path, finding.outdated) == ("nb.py", False)
    assert finding_of(made(line=None, commit="c0ffee"), {"nb.py": TEXT}.get, "beef").outdated


def test_other_files_have_lines_but_no_cells() -> None:
    finding = finding_of(made(path="lib/x.txt"), {"lib/x.txt": "a\n"}.get)
    assert (finding.line, finding.cell) == (5, None)
    assert finding_of(made(path="gone.py"), {}.get).cell is None
