"""Scraps: what a notebook hands out, folded from its outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from octavo.events.types import Display
from octavo.records.assemble import assemble
from octavo.records.scraps import ScrapFold, is_scrap, left_out_note, scraps_in, scraps_of
from octavo.records.store import Store
from records.making import BEGAN, code, finished, started, succeeded

JSON = "application/scrapbook.scrap.json+json"
TEXT = "application/scrapbook.scrap.text+json"
PANDAS = "application/scrapbook.scrap.pandas+json"


def payload(name: str, data: object, encoder: str = "json") -> dict[str, object]:
    return {"name": name, "data": data, "encoder": encoder, "version": 1}


def said(name: str, *, data: bool = True, display: bool = False) -> dict[str, Any]:
    return {"scrapbook": {"name": name, "data": data, "display": display}}


def folded(*outputs: tuple[Any, Any], light: bool = False) -> ScrapFold:
    fold = ScrapFold(light=light)
    for data, metadata in outputs:
        fold.take(data, metadata)
    return fold


def test_a_bundle_without_a_scrap_has_none() -> None:
    assert scraps_in({"text/plain": "x"}) == {}
    assert not is_scrap({"text/plain": "x"})


def test_scrapbooks_two_encoders_are_read() -> None:
    bundle = {JSON: payload("a", {"b": [1]}), TEXT: payload("c", "d", "text")}
    assert scraps_in(bundle) == {"a": {"b": [1]}, "c": "d"}


def test_a_payload_that_is_none_is_passed_over() -> None:
    assert scraps_in({JSON: "broken"}) == {}


def test_a_pair_in_two_outputs_is_one_scrap_in_either_order() -> None:
    data = ({JSON: payload("x", 7)}, said("x"))
    shown = ({"text/plain": "7"}, said("x", data=False, display=True))
    for outputs in ((data, shown), (shown, data)):
        (scrap,) = folded(*outputs).scraps.values()
        assert (scrap.payload, scrap.times) == (7, 1)
        assert scrap.display is not None and scrap.display["data"] == {"text/plain": "7"}


def test_a_pair_in_one_output() -> None:
    bundle = {JSON: payload("x", 7), "text/plain": "7"}
    (scrap,) = folded((bundle, said("x", display=True))).scraps.values()
    assert scrap.payload == 7
    assert scrap.display is not None and scrap.display["data"] == bundle


def test_the_last_data_counts_and_an_older_display_goes_with_the_older_data() -> None:
    fold = folded(
        ({JSON: payload("x", 1), "text/plain": "1"}, said("x", display=True)),
        ({JSON: payload("y", 5)}, said("y")),
        ({JSON: payload("x", 2)}, said("x")),
    )
    assert list(fold.scraps) == ["x", "y"]
    assert (fold.scraps["x"].payload, fold.scraps["x"].times) == (2, 2)
    assert fold.scraps["x"].display is None


def test_what_is_not_plain_is_described() -> None:
    table = (
        {PANDAS: payload("t", "QUJD" * 4, "pandas")},
        {"octavo": {"rows": 3, "columns": ["a"]}},
    )
    image = ({"image/png": "…"}, said("i", data=False, display=True))
    null = ({"application/vnd.octavo.scrapbook.null+json": payload("n", None)}, said("n"))
    fold = folded(table, image, null, light=True)
    assert fold.summaries() == {
        "t": {"encoder": "pandas", "rows": 3, "columns": ["a"], "bytes": 12},
        "i": {"encoder": "display", "media": ["image/png"]},
        "n": None,
    }
    assert fold.scraps["t"].payload is None, "a light fold keeps no tables"
    assert folded(table).scraps["t"].payload == "QUJD" * 4


def test_a_scrap_that_was_left_out_says_where_it_is() -> None:
    data, metadata = {JSON: payload("x", [1])}, said("x")
    note = left_out_note(data, metadata, "files/cell-1-displays.jsonl", 2, 50)
    assert note["scrapbook"] == metadata["scrapbook"]
    (scrap,) = folded(({"text/plain": "…"}, note)).scraps.values()
    assert scrap.left_out and scrap.summary() == {
        "encoder": "json", "file": "files/cell-1-displays.jsonl", "line": 2, "bytes": 50,
    }  # fmt: skip


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([JSON, PANDAS, "scrapbook", "octavo", "left_out", "name", "data",
                             "encoder", "display", "bytes", "rows", "file"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(st.tuples(ANYTHING, ANYTHING), max_size=4))
def test_no_output_can_upset_it(outputs: list[tuple[Any, Any]]) -> None:
    fold = folded(*outputs)
    assert list(fold.summaries()) == list(fold.scraps)
    assert all(isinstance(name, str) for name in fold.scraps)
    assert folded(*outputs, light=True).summaries() == fold.summaries()


def test_the_scraps_of_a_run_are_read_from_its_record(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.create_run(BEGAN, bytes(8), b"", ".py")
    journal = store.open_journal(run)
    glued = Display(0, {JSON: payload("score", 0.5)})
    journal.write([started(code(0), run_id=run.run_id), *succeeded(0, glued), finished()])
    store.finish(run, assemble(run.path))
    journal.close()
    assert scraps_of(store, "last") == {"score": 0.5}
