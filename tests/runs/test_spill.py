"""Output over the cap: the head stays, the whole is in a file, the cell says so."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.errors import StorageError
from octavo.events.fold import fold_outputs
from octavo.events.types import (
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    OutputCleared,
    Spilled,
    Stream,
)
from octavo.runs.spill import Spill


def shown(run_dir: Path, events: list[Event]) -> list[dict]:
    """What the notebook shows of cell 0."""

    def read(file: str, start: int, end: int) -> bytes:
        return (run_dir / file).read_bytes()[start:end]

    return fold_outputs(events, read).get(0, [])


def spilled(run_dir: Path, cap: int, *events: Event) -> list[Event]:
    spill = Spill(run_dir, cap)
    kept = [each for event in events for each in spill.admit(event)]
    spill.close()
    return kept


def lines(first: int, last: int) -> str:
    return "".join(f"line {n:05}\n" for n in range(first, last))


def test_output_below_the_cap_passes_unchanged(tmp_path: Path) -> None:
    events: list[Event] = [
        Stream(0, "stdout", lines(0, 10)),
        Display(0, {"text/plain": "x"}),
        ExecuteResult(0, 1, {"text/plain": "y"}),
        ErrorRaised(0, "E", "e", ("t",)),
        OutputCleared(0, wait=True),
    ]
    assert spilled(tmp_path, 1000, *events) == events
    assert not (tmp_path / "files").exists()


def test_a_long_stream_shows_its_head_and_its_tail(tmp_path: Path) -> None:
    kept = spilled(
        tmp_path, 220, *(Stream(0, "stdout", lines(n, n + 5)) for n in range(0, 1000, 5))
    )
    assert (tmp_path / "files" / "cell-0-stdout.txt").read_text() == lines(0, 1000)
    (output,) = shown(tmp_path, kept)
    note = "… 10.8 kB left out, the whole is in files/cell-0-stdout.txt …\n"
    assert output["text"] == lines(0, 10) + note + lines(991, 1000)


def test_one_huge_write_is_cut_as_well(tmp_path: Path) -> None:
    kept = spilled(tmp_path, 220, Stream(0, "stdout", lines(0, 1000)))
    assert [type(event) for event in kept] == [Stream, Spilled]
    assert kept[0].text == lines(0, 10)
    assert (tmp_path / "files" / "cell-0-stdout.txt").read_text() == lines(0, 1000)


def test_both_streams_share_the_cap_and_keep_their_order(tmp_path: Path) -> None:
    kept = spilled(
        tmp_path,
        220,
        Stream(0, "stdout", lines(0, 500)),
        Stream(0, "stderr", "a warning\n"),
        Stream(0, "stdout", lines(500, 503)),
    )
    outputs = shown(tmp_path, kept)
    assert [each["name"] for each in outputs] == ["stdout", "stderr", "stdout"]
    assert outputs[1]["text"] == "a warning\n"
    assert outputs[2]["text"] == lines(500, 503)
    assert outputs[0]["text"].endswith(lines(495, 500))
    assert (tmp_path / "files" / "cell-0-stdout.txt").read_text() == lines(0, 503)


def test_every_cell_has_the_cap_for_itself(tmp_path: Path) -> None:
    kept = spilled(
        tmp_path, 220, Stream(0, "stdout", lines(0, 9)), Stream(1, "stdout", lines(0, 9))
    )
    assert [type(event) for event in kept] == [Stream, Stream]


def test_neighbouring_pieces_become_one_event(tmp_path: Path) -> None:
    spill = Spill(tmp_path, 220)
    spill.apply([Stream(0, "stdout", lines(0, 500))])
    kept = spill.apply([Stream(0, "stdout", "a\n"), Stream(0, "stdout", "b\n")])
    assert kept == [Spilled(0, "stdout", "files/cell-0-stdout.txt", 5500, 4, 110)]


def test_a_thread_that_goes_on_printing_for_an_earlier_cell(tmp_path: Path) -> None:
    kept = spilled(
        tmp_path,
        220,
        Stream(0, "stdout", lines(0, 5)),
        Stream(1, "stdout", "x\n"),
        Stream(0, "stdout", lines(5, 500)),
        Stream(1, "stdout", "y\n"),
        Stream(0, "stdout", lines(500, 502)),
    )
    (output,) = shown(tmp_path, kept)
    assert output["text"].startswith(lines(0, 10))
    assert output["text"].endswith(lines(493, 502))
    text = (tmp_path / "files" / "cell-0-stdout.txt").read_text()
    assert text == "(the beginning is in notebook.ipynb)\n" + lines(10, 502)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["stdout", "stderr"]),
            st.text(st.sampled_from("aé🎉\n\ud800"), max_size=30),
        ),
        max_size=20,
    ),
    st.integers(0, 120),
)
def test_nothing_is_lost_whatever_the_cap(tmp_path_factory, written, cap: int) -> None:
    run_dir = tmp_path_factory.mktemp("run")
    kept = spilled(run_dir, cap, *(Stream(0, name, text) for name, text in written))
    for name in ("stdout", "stderr"):
        whole = "".join(text for each, text in written if each == name)
        file = run_dir / "files" / f"cell-0-{name}.txt"
        journalled = "".join(e.text for e in kept if isinstance(e, Stream) and e.name == name)
        held = file.read_bytes().decode("utf-8", "surrogatepass") if file.exists() else journalled
        assert held == whole
    size = sum(len(e.text.encode("utf-8", "surrogatepass")) for e in kept if isinstance(e, Stream))
    assert size <= cap // 2
    if sum(len(text.encode("utf-8", "surrogatepass")) for _, text in written) <= cap // 2:
        assert shown(run_dir, kept) == fold_outputs(Stream(0, n, t) for n, t in written).get(0, [])


def test_a_display_that_is_too_large_leaves_a_note(tmp_path: Path) -> None:
    picture = Display(0, {"image/png": "A" * 5000, "text/plain": "<Figure>"}, {}, "id")
    (kept,) = spilled(tmp_path, 1000, picture)
    assert kept.data["text/plain"] == (
        "<Figure>\n… image/png (5.0 kB) left out, it is line 1 of files/cell-0-displays.jsonl …"
    )
    assert kept.display_id == "id"
    line = (tmp_path / "files" / "cell-0-displays.jsonl").read_text()
    assert json.loads(line)["data"] == picture.data


def test_many_displays_share_the_cap_and_few_notes_are_left(tmp_path: Path) -> None:
    pictures = [Display(0, {"text/html": f"{n:0100}"}) for n in range(500)]
    kept = spilled(tmp_path, 1000, *pictures)
    assert kept[:10] == pictures[:10]
    assert len(kept) == 110
    assert "and so are all that follow" in kept[-1].data["text/plain"]
    held = (tmp_path / "files" / "cell-0-displays.jsonl").read_text().splitlines()
    assert [json.loads(line)["data"] for line in held] == [each.data for each in pictures[10:]]


def test_an_animation_is_not_held_against_the_cap(tmp_path: Path) -> None:
    cleared: list[Event] = []
    for _ in range(50):
        cleared += [OutputCleared(0, wait=True), Display(0, {"image/png": "A" * 500})]
    assert spilled(tmp_path, 1000, *cleared) == cleared
    updates = [Display(1, {"image/png": "A" * 500}, {}, "x", update=True) for _ in range(50)]
    assert spilled(tmp_path, 1000, *updates) == updates


def test_scraps_pass_when_the_cap_is_used_up(tmp_path: Path) -> None:
    scrap = {"application/scrapbook.scrap.json+json": {"name": "n", "data": 1, "version": 1}}
    events = [Display(0, {"text/html": "x" * 990}), Display(0, scrap), Display(0, scrap)]
    assert spilled(tmp_path, 1000, *events) == events


def test_a_huge_error_is_shortened(tmp_path: Path) -> None:
    error = ErrorRaised(0, "ValueError", "x" * 500_000, ("head", "y" * 700_000, "tail"), 3)
    (kept,) = spilled(tmp_path, 1_000_000, error)
    assert (kept.ename, kept.line) == ("ValueError", 3)
    assert len(kept.evalue) < 101_000
    assert kept.traceback[0] == "head"
    assert kept.traceback[-1] == "tail"
    assert "left out, the whole is in files/cell-0-error.txt" in kept.evalue
    whole = (tmp_path / "files" / "cell-0-error.txt").read_text()
    assert whole == "\n".join((error.evalue, *error.traceback))


def test_memory_stays_flat_however_much_is_printed(tmp_path: Path) -> None:
    piece = Stream(0, "stdout", ("x" * 99 + "\n") * 1000)
    spill = Spill(tmp_path, 1_000_000)
    events = 0
    tracemalloc.start()
    try:
        for _ in range(20):
            events += len(spill.apply([piece] * 10))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        spill.close()
    assert (tmp_path / "files" / "cell-0-stdout.txt").stat().st_size == 20_000_000
    assert peak < 5_000_000
    assert events < 40


def test_a_full_disk_gives_the_reserve_back(tmp_path: Path, monkeypatch) -> None:
    def full(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "reserve").write_bytes(b"x")
    monkeypatch.setattr("octavo.runs.spill.write_all", full)
    with pytest.raises(StorageError) as failure:
        Spill(tmp_path, 10).apply([Stream(0, "stdout", "x" * 100)])
    assert failure.value.kind == "disk-full"
    assert not (tmp_path / "reserve").exists()
