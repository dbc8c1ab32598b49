"""What we write is what nbformat's schema, VS Code's reader and GitHub's renderer ask for."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from ecosystem.making import EXAMPLES, Executed, strict

pytestmark = pytest.mark.kernel


def outputs(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in document["cells"]:
        yield from cell.get("outputs", ())


def test_nbformat_finds_nothing_wrong(executed: Executed) -> None:
    with warnings.catch_warnings():
        # Ids that are missing or taken twice are only warned of.
        warnings.simplefilter("error")
        notebook = nbformat.read(executed.path, as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert all(cell.id for cell in notebook.cells)


def test_nbformat_writes_the_same_bytes(executed: Executed) -> None:
    text = executed.path.read_text("utf-8")
    assert nbformat.writes(nbformat.reads(text, as_version=4)) + "\n" == text


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_generated_sources_are_valid(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))


def test_how_it_went_is_in_the_notebook(executed: Executed) -> None:
    document = strict(executed.path)
    ending = executed.name.rpartition("-")[2]
    states = [cell["metadata"].get("octavo", {}).get("status") for cell in document["cells"]]
    expected = {"error": "failed", "timeout": "timed-out", "dead": "kernel-died"}
    assert (executed.code != 0) == (ending in expected)
    if ending in expected:
        assert states[-2:] == [expected[ending], "not-run"]
    else:
        assert set(states) <= {None, "succeeded"}


def test_javascript_readers_find_the_types_that_they_do_not_check(executed: Executed) -> None:
    """VS Code joins and maps without looking: a null or a number there and nothing opens."""
    document = strict(executed.path)
    assert document["cells"], "VS Code shows an empty cell in place of none"
    for cell in document["cells"]:
        assert lines(cell["source"])
        assert isinstance(cell["metadata"], dict)
        assert isinstance(cell["metadata"].get("tags", []), list)
        if cell["cell_type"] == "code":
            assert isinstance(cell["outputs"], list)
            assert cell["execution_count"] is None or cell["execution_count"] > 0
    for output in outputs(document):
        assert output_is_sound(output), output


def lines(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def output_is_sound(output: dict[str, Any]) -> bool:
    if output["output_type"] == "stream":
        return output["name"] in ("stdout", "stderr") and lines(output["text"])
    if output["output_type"] == "error":
        return lines(output["traceback"]) and isinstance(output["evalue"], str)
    bundle = output["data"]
    texts = {mime: value for mime, value in bundle.items() if not mime.endswith("json")}
    return (
        isinstance(output["metadata"], dict)
        and "transient" not in output
        and all(lines(value) or isinstance(value, str) for value in texts.values())
    )


def joined_by_vs_code(pieces: list[str]) -> str:
    """VS Code ends every item of a list with a line feed, but for the last."""
    ended = [piece if piece.endswith("\n") else f"{piece}\n" for piece in pieces[:-1]]
    return "".join((*ended, *pieces[-1:]))


def test_vs_code_reads_the_texts_that_were_written(executed: Executed) -> None:
    document = strict(executed.path)
    texts = [cell["source"] for cell in document["cells"]]
    texts += [output["text"] for output in outputs(document) if output["output_type"] == "stream"]
    changed = [pieces for pieces in texts if joined_by_vs_code(pieces) != "".join(pieces)]
    # Lines that a carriage return ends are items of their own, as nbformat splits them.
    assert all("\r" in "".join(pieces) for pieces in changed)
    assert len(changed) == (1 if executed.name == "gallery" else 0)


def test_an_object_under_a_name_that_may_hold_only_text_is_json(run_by_octavo: Any) -> None:
    """Altair 6 names its charts so; papermill and nbclient end with an invalid notebook."""
    document = strict(run_by_octavo("gallery").path)
    (chart,) = (
        value
        for output in outputs(document)
        for mime, value in output.get("data", {}).items()
        if "vegalite" in mime
    )
    assert (json.loads(chart) if isinstance(chart, str) else chart)["mark"] == {"type": "point"}


def test_github_and_gitea_find_the_language(executed: Executed) -> None:
    metadata = strict(executed.path)["metadata"]
    assert metadata["kernelspec"]["name"] == "python3"
    assert metadata["kernelspec"]["display_name"]
    assert metadata["kernelspec"]["language"] == "python"
    assert metadata["language_info"]["name"] == "python"
    assert metadata["language_info"]["file_extension"] == ".py"


def test_forges_draw_it_because_it_is_small(executed: Executed) -> None:
    """Output beyond the cap is outside of the notebook, which stays below every known limit."""
    assert executed.path.stat().st_size < 1_000_000
