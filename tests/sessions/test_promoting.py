"""`octavo session promote`: a session as a notebook with parameters, proved by a fresh run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.notebook.model import Cell
from octavo.records.scraps import Glued
from octavo.sessions.document import DocumentCell
from octavo.sessions.values import CellInfo
from octavo.sessions.writing.distilling import Distilled, distil, with_parameters
from octavo.sessions.writing.proving import differing
from sessions.live_projects import Live, live_in


def code(*sources: str) -> list[DocumentCell]:
    return [DocumentCell(f"c{at}", Cell("code", source)) for at, source in enumerate(sources)]


def distilled(cells: list[DocumentCell], statuses: dict[int, Any], position: int = 99) -> Distilled:
    infos = [
        CellInfo(at, each.key, "", each.cell.kind, None, "", statuses.get(at, "fresh"), at)
        for at, each in enumerate(cells)
    ]
    return distil(cells, infos, position)


def sources(cells: Any) -> list[str]:
    return [each.cell.source for each in cells]


def test_what_failed_and_what_was_not_executed_is_left_out() -> None:
    found = distilled(code("a = 1", "a / 0", "b = 2", "c = 3"), {1: "failed", 3: "stale"}, 3)

    assert sources(found.cells) == ["a = 1", "b = 2"]
    assert found.record_cells == (0, 2)
    assert [(each.index, each.why) for each in found.dropped] == [
        (1, "failed"),
        (3, "not executed in this state"),
    ]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["x = [1]", "x", "y = 2", "x"], ["x = [1]", "x", "y = 2"]),
        (["import math", "import math"], ["import math"]),
        (["n = 1", "n += 1", "n += 1"], ["n = 1", "n += 1", "n += 1"]),
        (["x = []", "x.append(1)", "x.append(1)"], ["x = []", "x.append(1)", "x.append(1)"]),
        (["n = 1", "n = 2", "n = 1"], ["n = 1", "n = 2", "n = 1"]),
        (["%run a.py", "%run a.py"], ["%run a.py", "%run a.py"]),
        (["a = 1", "", "b = 2"], ["a = 1", "b = 2"]),
    ],
)
def test_what_was_said_twice_to_no_effect_is_said_once(given: list[str], kept: list[str]) -> None:
    assert sources(distilled(code(*given), {}).cells) == kept


def test_constants_become_parameters_at_the_top_with_their_comments() -> None:
    cells = [
        DocumentCell("t", Cell("markdown", "# Title")),
        *code(
            "import math\nlimit: int = 3  # rows\nother = 1",
            "name = (\n    'a',\n)",
            "print(limit, name)",
        ),
    ]

    found = with_parameters(cells, ("limit", "name", "limit"))

    assert sources(found) == [
        "# Title",
        "limit: int = 3  # rows\nname = (\n    'a',\n)",
        "import math\nother = 1",
        "print(limit, name)",
    ]
    assert found[1].cell.tags == ("parameters",)


def test_parameters_are_added_to_the_cell_that_declares_them() -> None:
    cells = [
        DocumentCell("p", Cell("code", "a = 1", {"tags": ["parameters"]}), 0),
        *code("b = 2\nc = a + b"),
    ]

    found = with_parameters(cells, ("a", "b"))

    assert sources(found) == ["a = 1\nb = 2", "c = a + b"]
    assert found[0].origin == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["x = compute()"], "no cell that is kept gives it a constant"),
        (["x = 1", "x = 2"], "assigned 2 times"),
        (["x = 1", "for x in range(3): pass"], "assigned 2 times"),
        (["x = 1", "import x"], "assigned 2 times"),
        (["x = 1; y = 2"], "other code stands beside it"),
        (["def f():\n    x = 1"], "no cell that is kept"),
    ],
)
def test_what_cannot_be_a_parameter_is_told(given: list[str], why: str) -> None:
    with pytest.raises(OctavoError) as caught:
        with_parameters(code(*given), ("x",))
    assert why in caught.value.message
    assert caught.value.hint


def test_constants_that_can_be_had_are_named_also_when_others_were_asked_for() -> None:
    with pytest.raises(OctavoError) as caught:
        with_parameters(code("a = 1", "b = 2; c = 3"), ("a", "nope"))
    assert caught.value.hint == "constants are: a"


def test_a_name_that_is_local_to_a_function_is_another_one() -> None:
    cells = code("x = 1", "def f():\n    x = 2\n    return x")
    assert sources(with_parameters(cells, ("x",))) == ["x = 1", "def f():\n    x = 2\n    return x"]


def test_scraps_are_compared_one_by_one() -> None:
    def glued(name: str, payload: Any, encoder: str = "json") -> Glued:
        return Glued(name, encoder, payload, None, 1)

    session = {"a": glued("a", 1), "b": glued("b", [1, 2]), "c": glued("c", {"x": 1, "y": 2})}
    run = {"a": glued("a", 2), "c": glued("c", {"y": 2, "x": 1}), "d": glued("d", "new", "text")}

    assert [str(each) for each in differing(session, run)] == [
        "a: 1 in the session, 2 in the run",
        "b: [1, 2] in the session, not in the run",
        'd: not in the session, "new" in the run',
    ]


def test_large_scraps_are_compared_by_their_size_and_pictures_by_being_there() -> None:
    shown = {"output_type": "display_data", "data": {"image/png": "one"}, "metadata": {}}
    other = {"output_type": "display_data", "data": {"image/png": "two"}, "metadata": {}}
    large = Glued("t", "pandas", None, None, 1, 100, {"file": "f", "line": 1, "rows": 5})
    assert not differing(
        {"p": Glued("p", "display", None, shown)}, {"p": Glued("p", "display", None, other)}
    )
    assert not differing({"t": large}, {"t": large.replace(told={**large.told, "line": 9})})
    assert differing({"t": large}, {"t": large.replace(size=101)})


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


@pytest.mark.kernel
def test_a_session_becomes_a_notebook_that_hands_out_the_same(live: Live) -> None:
    session = live.start()
    short = session.place.short
    for each in (
        "from octavo_runtime import glue",
        "limit = 4  # how many",
        "numbers = list(range(limit))\nnumbers",
        "1 / 0",
        "numbers",
        "numbers",
        'glue("total", sum(numbers))',
    ):
        session.call("exec", code=each)
    session.call("exec", code="numbers.clear()", scratch=True)

    answer = live.octavo(
        "session", "promote", short, "final.py", "--parameter", "limit", "--json"
    ).json

    assert answer["parameters"] == ["limit"]
    assert answer["scraps"] == ["total"]
    assert [(each["index"], each["why"]) for each in answer["dropped"]] == [
        (3, "failed"),
        (5, "said before"),
    ]
    assert (live.root / "final.py").read_text() == (
        '# %% tags=["parameters"]\nlimit = 4  # how many\n\n'
        "# %%\nfrom octavo_runtime import glue\n\n"
        "# %%\nnumbers = list(range(limit))\nnumbers\n\n"
        "# %%\nnumbers\n\n"
        '# %%\nglue("total", sum(numbers))\n'
    )
    run = live.octavo("run", "final.py", "-p", "limit", "5", "--json").json
    assert run["scraps"] == {"total": 10}
    shown = live.octavo("show", answer["run"], "--json").json
    assert shown["run"]["status"] == "success"


@pytest.mark.kernel
def test_the_proof_runs_with_the_values_of_the_session(live: Live) -> None:
    source = (
        '# %% tags=["parameters"]\nn = 1\n\n'
        '# %%\nfrom octavo_runtime import glue\nglue("double", n * 2)\n'
    )
    live.write(source, "nb.py")
    session = live.start("nb.py", "-p", "n", "21")
    session.call("run-all")

    answer = live.octavo("session", "promote", session.place.short, "final.py", "--json").json

    assert answer["scraps"] == ["double"]
    assert (live.root / "final.py").read_text() == source


@pytest.mark.kernel
def test_a_run_that_does_not_agree_is_told_scrap_by_scrap_and_nothing_is_written(
    live: Live,
) -> None:
    session = live.start()
    for each in (
        "from octavo_runtime import glue\nimport os",
        'glue("fixed", 1)',
        'glue("pid", os.getpid())',
    ):
        session.call("exec", code=each)
    short = session.place.short

    error = live.octavo("session", "promote", short, "final.py", "--json", code=2).json["error"]

    assert error["kind"] == "not-proven"
    assert [each["name"] for each in error["details"]["scraps"]] == ["pid"]
    assert not (live.root / "final.py").exists()


@pytest.mark.kernel
def test_a_run_that_fails_is_told_and_nothing_is_written(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1\nraise ValueError('after x was made')")
    session.call("exec", code="y = x + 1")
    taken = live.write("taken", "taken.py")
    short = session.place.short

    error = live.octavo("session", "promote", short, "final.py", "--json", code=2).json["error"]

    assert error["kind"] == "not-proven"
    assert "NameError" in error["message"]
    assert not (live.root / "final.py").exists()
    error = live.octavo("session", "promote", short, "taken.py", "--json", code=2).json["error"]
    assert (error["kind"], taken.read_text()) == ("output-exists", "taken")
    error = live.octavo("session", "promote", short, "no/a.py", "--json", code=2).json["error"]
    assert error["kind"] == "output-unwritable"
    words = ("session", "promote", short, "final.py", "--parameter", "nope", "--json")
    assert live.octavo(*words, code=2).json["error"]["hint"]


@pytest.mark.kernel
def test_secret_values_are_given_again_for_the_proof(live: Live) -> None:
    source = (
        '# %% tags=["parameters"]\napi_key = ""\n\n# %%\nfrom octavo_runtime import glue\n'
        'import os\nglue("known", [len(api_key), len(os.environ["API_TOKEN"])])\n'
    )
    live.write(source, "nb.py")
    secret, token = "hunter2-hunter2", "tok-0123456789"
    session = live.start("nb.py", "-p", "api_key", secret, "--env", f"API_TOKEN={token}")
    session.call("run-all")
    words = ("session", "promote", session.place.short, "final.py", "--json")

    refused = live.octavo(*words, code=2).json["error"]
    assert "--env API_TOKEN=VALUE" in refused["hint"]
    refused = live.octavo(*words, "--env", f"API_TOKEN={token}", code=2).json["error"]
    assert (refused["kind"], refused["hint"]) == ("parameter-missing", "-p api_key VALUE")
    assert not (live.root / "final.py").exists()

    given = ("--env", f"API_TOKEN={token}", "-p", "api_key", secret)
    assert live.octavo(*words, *given).json["scraps"] == ["known"]
    assert secret not in (live.root / "final.py").read_text()
