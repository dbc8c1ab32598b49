"""Cells of a notebook that a real Jupyter server holds are changed through that server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import ConflictError, InfrastructureError, UsageError
from octavo.kernels.remote.server import Server, server_at
from octavo.sessions.lab.editing import Change, make, notebook_of, open_notebook
from servers.jupyter import JupyterServer, collaboration_python, jupyter_server

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


def write(root: Path, name: str, *sources: str) -> Path:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": source}
        | {"outputs": [], "execution_count": None}
        for i, source in enumerate(sources)
    ]
    path = root / name
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    return path


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    home = tmp_path_factory.mktemp("home")
    with jupyter_server(tmp_path_factory.mktemp("root"), home) as running:
        yield running


@pytest.fixture(scope="module")
def sharing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    python = collaboration_python()
    home = tmp_path_factory.mktemp("home")
    with jupyter_server(tmp_path_factory.mktemp("root"), home, python=python) as running:
        yield running


@pytest.fixture(params=["plain", "sharing"])
def server(request: pytest.FixtureRequest) -> JupyterServer:
    running: JupyterServer = request.getfixturevalue(request.param)
    return running


def known(running: JupyterServer) -> Server:
    return server_at(running.url, running.token)


async def change(running: JupyterServer, name: str, *changes: Change) -> list[str]:
    opened = await open_notebook(known(running), name)
    try:
        return [await make(opened, each) for each in changes]
    finally:
        await opened.close()


def seen(running: JupyterServer, name: str) -> list[str]:
    """What somebody who opens the notebook now would see."""

    async def look() -> list[str]:
        opened = await open_notebook(known(running), name)
        try:
            return [cell.source for cell in await opened.cells()]
        finally:
            await opened.close()

    return asyncio.run(look())


def test_cells_are_replaced_inserted_and_deleted(server: JupyterServer) -> None:
    write(server.root, "report.ipynb", "a = 1", "b = a + 1", "print(b)")
    changes = (
        Change("replace", 1, "b = a + 1", "b = a + 41  # 😀 né"),
        Change("insert", 1, "b = a + 41  # 😀 né", "c = 3", side="before"),
        Change("delete", 2, "print(b)"),
        Change("insert", 0, None, "# Title", "markdown"),
    )
    told = asyncio.run(change(server, "report.ipynb", *changes))
    expected = ["# Title", "a = 1", "c = 3", "b = a + 41  # 😀 né"]
    assert seen(server, "report.ipynb") == expected
    assert all("report.ipynb" in each for each in told)


def test_a_cell_that_somebody_else_changed_is_left_alone(server: JupyterServer) -> None:
    write(server.root, "stale.ipynb", "a = 1", "b = 2")
    asyncio.run(change(server, "stale.ipynb", Change("replace", 0, "a = 1", "a = 'theirs'")))
    with pytest.raises(ConflictError) as caught:
        asyncio.run(change(server, "stale.ipynb", Change("replace", 0, "a = 1", "a = 'ours'")))
    assert caught.value.kind == "stale"
    assert seen(server, "stale.ipynb") == ["a = 'theirs'", "b = 2"]


def test_what_was_saved_since_it_was_read_is_not_overwritten(plain: JupyterServer) -> None:
    write(plain.root, "saved.ipynb", "a = 1", "b = 2")

    async def drive() -> None:
        opened = await open_notebook(known(plain), "saved.ipynb")
        assert opened.how == "contents"
        await opened.cells()
        shown: Any = opened
        assert shown._version.digest, "this server tells a digest of the content too"
        model = plain.call("GET", "contents/saved.ipynb?content=1")
        model["content"]["cells"][1]["source"] = "b = 'of the person'"
        plain.call("PUT", "contents/saved.ipynb", model)
        await opened.replace(0, "a = 1", "a = 'ours'")

    with pytest.raises(ConflictError) as caught:
        asyncio.run(drive())
    assert caught.value.kind == "stale"
    assert sources(plain.root / "saved.ipynb") == ["a = 1", "b = 'of the person'"]


def test_metadata_outputs_and_other_cells_are_kept(plain: JupyterServer) -> None:
    path = write(plain.root, "kept.ipynb", "a = 1", "b = 2")
    before = json.loads(path.read_text())
    before["metadata"] = {"authors": [{"name": "né"}]}
    before["cells"][1] |= {"metadata": {"tags": ["keep"]}, "execution_count": 7}
    path.write_text(json.dumps(before))
    asyncio.run(change(plain, "kept.ipynb", Change("replace", 0, "a = 1", "a = 3")))
    after = json.loads(path.read_text())
    assert after["metadata"]["authors"] == [{"name": "né"}]
    assert after["cells"][1] | {"source": "b = 2"} == before["cells"][1]
    assert after["cells"][0]["id"] == "cell-0"


def test_two_write_in_one_shared_cell_and_nothing_is_lost(sharing: JupyterServer) -> None:
    write(sharing.root, "both.ipynb", "first = 1\nmiddle = 2\nlast = 3", "other = 1")

    async def drive() -> list[str]:
        person = await open_notebook(known(sharing), "both.ipynb")
        agent = await open_notebook(known(sharing), "both.ipynb")
        assert (person.how, agent.how) == ("shared", "shared")
        whole = (await agent.cells())[0].source
        await agent.replace(0, whole, whole.replace("first = 1", "first = 100"))
        await person.replace(1, "other = 1", "other = 2")
        now = (await person.cells())[0].source
        await person.replace(0, now, now.replace("last = 3", "last = 300"))
        told = [cell.source for cell in await agent.cells()]
        await person.close()
        await agent.close()
        return told

    assert asyncio.run(drive()) == ["first = 100\nmiddle = 2\nlast = 300", "other = 2"]


def test_outputs_are_shown_to_whoever_shares_the_document(sharing: JupyterServer) -> None:
    path = write(sharing.root, "shown.ipynb", "print('hi')")
    outputs: list[dict[str, Any]] = [{"output_type": "stream", "name": "stdout", "text": "hi\n"}]

    async def drive() -> None:
        opened = await open_notebook(known(sharing), "shown.ipynb")
        await opened.show(0, outputs, 3)
        # The server writes the file a while later: other clients of the room have it at once.
        other = await open_notebook(known(sharing), "shown.ipynb")
        await other.cells()
        shared: Any = other
        cell = shared._notebook.get_cell(0)
        assert (cell["outputs"], cell["execution_count"]) == (outputs, 3)
        await other.close()
        await opened.close()

    asyncio.run(drive())
    assert path.exists()


def test_the_notebook_of_a_kernel_is_known(plain: JupyterServer) -> None:
    write(plain.root, "open.ipynb", "1")
    kernel = plain.open_notebook("open.ipynb")
    assert asyncio.run(notebook_of(known(plain), kernel)) == "open.ipynb"
    assert asyncio.run(notebook_of(known(plain), plain.start_kernel())) is None


def test_a_notebook_that_is_not_there(server: JupyterServer) -> None:
    with pytest.raises(UsageError) as caught:
        asyncio.run(open_notebook(known(server), "none.ipynb"))
    assert caught.value.kind == "notebook-not-found"


def test_a_wrong_token_changes_nothing(server: JupyterServer) -> None:
    path = write(server.root, "token.ipynb", "a = 1")
    with pytest.raises(InfrastructureError) as caught:
        asyncio.run(open_notebook(server_at(server.url, "wrong"), "token.ipynb"))
    assert caught.value.kind == "jupyter-token"
    assert sources(path) == ["a = 1"]
