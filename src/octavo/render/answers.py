"""The outputs of an execution as an answer to an agent, within a budget of tokens.

Of everything there is the beginning, the end, and a handle to the whole. Images are files, with
their size; of a traceback there are the author's own frames, and the line of the author's file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from octavo.render.answer_parts import Author, Keep, Part, part
from octavo.render.answer_texts import MARK, Cut, beginning, cost_of, cut, ending
from octavo.render.tokens import PARTS, in_tokens, weight
from octavo.value import Value

__all__ = ["BUDGET", "Answer", "Author", "Keep", "answer"]

#: What an answer may cost when nobody says; less than the least is not an answer.
BUDGET, LEAST = 2000, 120
#: An item costs about so much before anything is in it; so many are shown at most.
_ITEM_TOKENS, _MOST_ITEMS = 60, 40
#: What the keys and the handle of an item that was cut cost.
_CUT_KEYS = 32 * PARTS
#: So many outputs are first tried whole; a character weighs at least so much.
_FEW, _LIGHTEST = 10, 4
#: How often items that are too long are made shorter before some are left out.
_TRIES = 4
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Answer(Value):
    """Items as an agent reads them, and about how many tokens they cost as JSON.

    `omitted` outputs are not among them at all.
    """

    items: tuple[Mapping[str, Any], ...]
    tokens: int
    omitted: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"outputs": list(self.items), "tokens": self.tokens, "omitted": self.omitted}


def answer(
    outputs: Sequence[Mapping[str, Any]],
    budget: int | None = None,
    *,
    handle: str = "",
    author: Author | None = None,
    keep: Keep | None = None,
) -> Answer:
    """Outputs as nbformat spells them, in at most `budget` tokens.

    `handle` names the execution, `<run>:<cell>`; `author` tells where its cells come from;
    `keep` puts images into files.
    """
    room = max(LEAST, BUDGET if budget is None else budget) * PARTS
    known: dict[int, Part] = {}
    if len(outputs) <= _FEW:
        known = {at: part(at, each, author, keep) for at, each in enumerate(outputs)}
        whole = _all_of(known.values(), room, handle)
        if whole is not None:
            return whole
    count = min(_MOST_ITEMS, max(1, room // PARTS // _ITEM_TOKENS))
    while True:
        chosen = _chosen(outputs, count)
        for at in chosen:
            if at not in known:
                known[at] = part(at, outputs[at], author, keep)
        items, used = _fitting([known[at] for at in chosen], len(outputs), room, handle)
        if used <= room or count <= 1:
            return Answer(tuple(items), in_tokens(used), len(outputs) - len(chosen))
        count //= 2


def _all_of(parts: Collection[Part], room: int, handle: str) -> Answer | None:
    """Everything, as most answers are; None where it could be too much."""
    if any(each.text.gone for each in parts):
        return None
    if sum(len(line) for each in parts for line in each.text.lines) * _LIGHTEST > room:
        return None
    items = [_filled(each, dict(each.item), None, handle) for each in parts]
    used = _cost(items)
    return Answer(tuple(items), in_tokens(used)) if used <= room else None


def _chosen(outputs: Sequence[Mapping[str, Any]], count: int) -> list[int]:
    """The first and the last outputs, and above all the last error."""
    if len(outputs) <= count:
        return list(range(len(outputs)))
    errors = [at for at, each in enumerate(outputs) if each.get("output_type") == "error"]
    chosen = {errors[-1]} if errors else {len(outputs) - 1}
    first = (count - len(chosen) + 1) // 2
    chosen.update(range(first))
    for at in range(len(outputs) - 1, -1, -1):
        if len(chosen) >= count:
            break
        chosen.add(at)
    return sorted(chosen)


def _fitting(
    parts: Sequence[Part], total: int, room: int, handle: str
) -> tuple[list[Mapping[str, Any]], int]:
    """The items and what they cost. What a text costs among others is not known to the last bit
    beforehand, so where it was too much they are given less.
    """
    given = room
    for _ in range(_TRIES):
        items = _items(parts, total, given, handle)
        used = _cost(items)
        if used <= room:
            break
        given -= used - room
    return items, used


def _items(parts: Sequence[Part], total: int, room: int, handle: str) -> list[Mapping[str, Any]]:
    """Every part with as much of its text as its share of the room allows."""
    left = total - len(parts)
    note = {"type": "omitted", "outputs": left, **({"handle": handle} if handle else {})}
    room -= _cost([note]) if left else 0
    fixed = [_shortened(each, max(0, room) // max(1, len(parts)) // 2) for each in parts]
    room -= _cost(fixed) + _CUT_KEYS // 2
    shares = _shares([_wanted(each) for each in parts], room)
    items: list[Mapping[str, Any]] = [
        _filled(each, item, share - _CUT_KEYS, handle)
        for each, item, share in zip(parts, fixed, shares, strict=True)
    ]
    if left:
        after = next((at for at, each in enumerate(parts) if each.index != at), len(items))
        items.insert(after, note)
    return items


def _shortened(each: Part, room: int) -> dict[str, Any]:
    """The item without its text; what an error may say is bounded too."""
    item = dict(each.item)
    if item["type"] == "error":
        item["name"] = beginning(item["name"], room // 4)
        item["where"] = ending(item["where"], room // 4)
        item["message"] = beginning(item["message"], room // 2)
    return item


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """A fair share for each: those that want little leave the rest to the others."""
    level = max(0, room)
    rising = sorted(wanted)
    for at, each in enumerate(rising):
        if each * (len(rising) - at) > room:
            level = room // (len(rising) - at)
            break
        room -= each
    return [min(each, level) for each in wanted]


def _wanted(each: Part) -> int:
    if not each.text.lines:
        return 0
    return cost_of(each.text.lines) + _CUT_KEYS + (MARK if each.text.gone else 0)


def _filled(each: Part, item: dict[str, Any], room: int | None, handle: str) -> dict[str, Any]:
    shown = Cut(each.text.lines, each.unseen) if room is None else cut(each.text, room, each.unseen)
    if each.key == "lines":
        item["lines"] = list(shown.lines)
    elif shown.lines or item["type"] != "image":
        item["text"] = "\n".join(shown.lines)
    shortened = len(str(item.get("message", ""))) < len(str(each.item.get("message", "")))
    if shown.omitted or each.text.gone or shortened:
        item["omitted"] = shown.omitted
        if handle:
            item["handle"] = f"{handle}:{each.index}"
    elif handle and each.key == "lines":
        item["handle"] = f"{handle}:{each.index}"
    return item


def _cost(items: Sequence[Mapping[str, Any]]) -> int:
    return weight(_encode(items))
