"""Cells and outputs on a terminal, as a reader sees them."""

from __future__ import annotations

from typing import Any

from octavo.render.notebook import NotebookDrawer
from octavo.render.outputs import OutputDrawer
from octavo.render.style import PLAIN, Style
from octavo.runs.looking.show import ShownCell


def drawn(outputs: list[dict[str, Any]], *, full: bool = False, style: Style = PLAIN) -> list[str]:
    return OutputDrawer(style, 40, "none", full=full).lines(outputs)


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def bundle(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def test_a_run_cell_by_cell() -> None:
    cells = [
        ShownCell(0, "markdown", "# Report"),
        ShownCell(1, "code", "n = 1", {"tags": ["parameters"]}, (), "succeeded", 0.012),
        ShownCell(None, "code", "n = 3", {}, (), "succeeded", 0.001),
        ShownCell(2, "code", "print(n)", {"name": "shout"}, [stream("3\n")], "succeeded", 1.5),
        ShownCell(3, "code", "never()", {}, (), "skipped", None, "tagged `skip`"),
        ShownCell(4, "code", "1 / 0", {}, (), "failed", 0.02),
        ShownCell(5, "code", "2", {}, (), "not-run"),
        ShownCell(6, "raw", "as it is"),
    ]
    lines = [line.rstrip(" ─") for line in NotebookDrawer(PLAIN, 44, "python", "none").lines(cells)]
    assert (
        "\n".join(lines)
        == """\
Report

[1] ✓ 12 ms #parameters
n = 1

[+] ✓ 1 ms
n = 3

[2] ✓ 1.5 s shout
print(n)
│ 3

[3] ○ skipped: tagged `skip`
never()

[4] ✗ 20 ms, failed
1 / 0

[5] · not-run
2

as it is"""
    )


def test_long_output_is_folded_to_its_ends() -> None:
    lines = drawn([stream("".join(f"{n}\n" for n in range(100)))])
    assert lines[0] == "0"
    assert lines[14] == "… 80 lines left out, --full shows them …"
    assert lines[-1] == "99"
    assert len(drawn([stream("".join(f"{n}\n" for n in range(100)))], full=True)) == 100


def test_progress_bars_show_their_end() -> None:
    assert drawn([stream("10%\r100%\n")]) == ["100%"]


def test_bundles_show_their_best_form() -> None:
    assert drawn([bundle(**{"text/plain": ["a\n", "b"], "text/html": "<b>"})]) == ["a", "b"]
    assert drawn([bundle(**{"text/markdown": "**x**", "text/plain": "y"})]) == ["x"]
    assert drawn([bundle(**{"application/json": {"a": 1}})]) == ["{", '  "a": 1', "}"]
    assert drawn([bundle(**{"text/html": "<b>x</b>"})]) == ["x"]
    assert drawn([bundle(**{"text/html": "<script>x</script>"})]) == ["[text/html, 18 bytes]"]
    figure = {"image/png": "AAAA", "text/plain": "<Figure size 640x480 with 1 Axes>"}
    assert drawn([bundle(**figure)]) == ["[image/png, 3 bytes]"]
    assert drawn([bundle(**{"image/png": "AAAA", "text/plain": "a chart"})])[1:] == ["a chart"]


def test_an_object_with_only_a_rich_form_shows_what_can_be_read_of_it() -> None:
    def of(kind: str, **data: Any) -> list[str]:
        return drawn([bundle(**data, **{"text/plain": f"<IPython.core.display.{kind} object>"})])

    assert of("Latex", **{"text/latex": "$x$"}) == ["$x$"]
    assert of("JSON", **{"application/json": [1]}) == ["[", "  1", "]"]
    assert of("HTML", **{"text/html": "<h1>A</h1><li>one<li>two"}) == ["A", "• one", "• two"]
    assert of("SVG", **{"image/svg+xml": "<svg/>"}) == ["[image/svg+xml, 6 bytes]"]
    assert of("Widget") == ["<IPython.core.display.Widget object>"]


def test_what_went_wrong_has_a_bar_of_its_own_colour() -> None:
    outputs = [stream("a"), {**stream("b"), "name": "stderr"},
               {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []}]  # fmt: skip
    cell = ShownCell(0, "code", "x", {}, outputs)
    lines = NotebookDrawer(Style(colour=True), 40, "text", "none").lines([cell])[-3:]
    assert [line.partition("│")[0] for line in lines] == ["\x1b[2m", "\x1b[33m", "\x1b[31m"]


def test_sources_cannot_speak_to_the_terminal() -> None:
    cells = [ShownCell(0, kind, "a\x1b]0;t\x07\x1b[2Jb") for kind in ("code", "raw", "markdown")]
    for style in (PLAIN, Style(colour=True)):
        text = "\n".join(NotebookDrawer(style, 40, "text", "none").lines(cells))
        assert "\x1b[2J" not in text
        assert "\x07" not in text
        assert "\x1b]" not in text


def test_scraps_are_named() -> None:
    mime = "application/scrapbook.scrap.json+json"
    scrap = {"name": "score", "data": 0.9, "encoder": "json", "version": 1}
    assert drawn([bundle(**{mime: scrap})]) == ["scrap score = 0.9"]


def test_tracebacks_keep_their_colours_only_where_there_are_colours() -> None:
    error = {
        "output_type": "error",
        "ename": "E",
        "evalue": "v",
        "traceback": ["\x1b[31mE\x1b[0m: v"],
    }
    assert drawn([error]) == ["E: v"]
    assert drawn([error], style=Style(colour=True)) == ["\x1b[31mE\x1b[0m: v"]
    assert drawn([{**error, "traceback": []}]) == ["E: v"]


def test_code_is_highlighted_and_nothing_is_lost() -> None:
    from octavo.render.code import code_lines
    from octavo.render.columns import plain

    source = "def f():\n\n    return 'x'  # why"
    painted = code_lines(source, "python", Style(colour=True))
    assert "\x1b[" in painted[0]
    assert [plain(line) for line in painted] == source.split("\n")
    assert code_lines("whatever", "no-such-language", Style(colour=True)) == ["whatever"]
