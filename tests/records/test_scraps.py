"""Scraps: what a notebook hands out."""

from __future__ import annotations

from pathlib import Path

from octavo.events.types import Display
from octavo.records.assemble import assemble
from octavo.records.scraps import is_scrap, scraps_in, scraps_of
from octavo.records.store import Store
from records.making import BEGAN, code, finished, started, succeeded


def payload(name: str, data: object) -> dict[str, object]:
    return {"name": name, "data": data, "encoder": "json", "version": 1}


def test_a_bundle_without_a_scrap_has_none() -> None:
    assert scraps_in({"text/plain": "x"}) == {}
    assert not is_scrap({"text/plain": "x"})


def test_scrapbooks_two_encoders_are_read() -> None:
    bundle = {
        "application/scrapbook.scrap.json+json": payload("a", {"b": [1]}),
        "application/scrapbook.scrap.text+json": payload("c", "d"),
    }
    assert scraps_in(bundle) == {"a": {"b": [1]}, "c": "d"}


def test_a_payload_that_is_none_is_passed_over() -> None:
    assert scraps_in({"application/scrapbook.scrap.json+json": "broken"}) == {}


def test_the_scraps_of_a_run_are_read_from_its_record(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.create_run(BEGAN, bytes(8), b"", ".py")
    journal = store.open_journal(run)
    glued = Display(0, {"application/scrapbook.scrap.json+json": payload("score", 0.5)})
    journal.write([started(code(0), run_id=run.run_id), *succeeded(0, glued), finished()])
    store.finish(run, assemble(run.path))
    journal.close()
    assert scraps_of(store, "last") == {"score": 0.5}
