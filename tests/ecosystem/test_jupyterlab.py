"""Executed notebooks in a real JupyterLab, seen through a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from browser import Page, chromium
from ecosystem.lab import Lab, jupyterlab

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


class Desk(NamedTuple):
    """A browser before a JupyterLab, and notebooks by their name."""

    page: Page
    lab: Lab
    home: Path
    notebooks: Any

    def look(self, name: str, *, trusted: bool = False, drawn: str = "") -> dict[str, Any]:
        path = self.notebooks(name).path
        if trusted:
            notary = NotebookNotary(data_dir=str(self.home / "DATA"))
            notary.sign(nbformat.read(path, as_version=4))
            notary.store.close()
        return self.lab.look(self.page, path, drawn)


@pytest.fixture(scope="module")
def desk(run_by_octavo: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("lab")
    root = run_by_octavo("fleet_health_check-success").path.parent
    with chromium(home / "profile") as page, jupyterlab(root, home) as lab:
        yield Desk(page, lab, home, run_by_octavo)


def test_an_example_opens_with_its_outputs_and_nothing_to_save(desk: Desk) -> None:
    seen = desk.look("agent_task_system_health-success")
    assert (seen["dialogs"], seen["dirty"], seen["readonly"]) == ([], False, False)
    assert seen["headings"] == ["System health"]
    assert [prompt for prompt in seen["prompts"] if prompt][:2] == ["[1]:", "[2]:"]
    assert any("localhost  memory" in output for output in seen["outputs"])
    (image,) = seen["images"]
    assert image[0] == "data:image/png;base64,"
    assert image[1] > 100, "the chart is drawn"


def test_a_failed_run_shows_its_error_and_what_was_not_run(desk: Desk) -> None:
    seen = desk.look("fleet_health_check-error")
    assert (seen["dialogs"], seen["dirty"]) == ([], False)
    assert seen["outputs"][-1].endswith("ValueError: the last cell fails <b>here</b>")
    assert seen["prompts"][-1] == "[ ]:", "the last cell was not run"
    assert any("18 rows, 3 hosts" in output for output in seen["outputs"])


def test_every_kind_of_output_is_drawn_in_a_trusted_notebook(desk: Desk) -> None:
    seen = desk.look("gallery", trusted=True, drawn=".widget-slider .widget-readout")
    assert seen["dialogs"] == []
    text = "\n".join(seen["outputs"])
    for sign in (
        "plain red bold green <b>&amp;", "told on stderr", "100 %", "html shown", "markdown shown",
        "answer42", "printed inside a widget", "web-2", "'second'", "of nobody",
    ):  # fmt: skip
        assert sign in text, sign
    assert "50 %" not in text, "a carriage return takes the line back"
    assert "'first'" not in text
    widths = {kind.split(";")[0].split(",")[0]: width for kind, width in seen["images"]}
    assert widths["data:image/png"] > 100
    assert widths["data:image/svg+xml"] == 20
