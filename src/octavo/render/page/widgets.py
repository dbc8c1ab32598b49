"""Widgets as text: what they showed last, from the state that a notebook keeps of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from octavo.render.figures import value_text
from octavo.render.html import Text, html_blocks
from octavo.render.page.markup import listed, mapping

STATE = "application/vnd.jupyter.widget-state+json"
_REFERENCE = "IPY_MODEL_"
_BAR, MOST_DEPTH, MOST_PARTS = 20, 6, 200


class Widgets:
    """The widgets of one notebook."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        kept = mapping(mapping(document.get("metadata")).get("widgets"))
        self._models = mapping(mapping(kept.get(STATE)).get("state"))

    def text(self, model: Any) -> str:
        """What a widget shows; empty where the text beside it says as much."""
        known = mapping(self._models.get(str(model)))
        alone = not listed(mapping(known.get("state")).get("children"))
        if alone and not str(known.get("model_name")).endswith("ProgressModel"):
            return ""
        parts = []
        for part in self._parts(str(model), 0):
            parts.append(part)
            if len(parts) >= MOST_PARTS:
                break
        return " ".join(filter(None, parts))

    def _parts(self, model: str, depth: int) -> Iterator[str]:
        known = mapping(self._models.get(model))
        state = mapping(known.get("state"))
        if not state or depth > MOST_DEPTH:
            return
        children = listed(state.get("children"))
        for child in children[:MOST_PARTS]:
            yield from self._parts(str(child).removeprefix(_REFERENCE), depth + 1)
        if not children:
            yield _words(state.get("description"))
            yield _value(str(known.get("model_name")), state)


def _value(kind: str, state: Mapping[str, Any]) -> str:
    value = state.get("value")
    if kind.endswith("ProgressModel"):
        return _bar(value, state.get("min"), state.get("max"))
    if kind.startswith("HTML") or isinstance(value, str):
        return _words(value)
    return "" if value is None else value_text(value, 200)


def _bar(value: Any, least: Any, most: Any) -> str:
    try:
        share = (float(value) - float(least)) / (float(most) - float(least))
    except (TypeError, ValueError, ZeroDivisionError):
        return ""
    full = round(max(0.0, min(1.0, share)) * _BAR) if share == share else 0
    return f"|{'█' * full}{' ' * (_BAR - full)}|"


def _words(html: Any) -> str:
    """The words of a text that may be HTML."""
    if not isinstance(html, str):
        return ""
    blocks = html_blocks(html[:20_000])
    return " ".join(block.text for block in blocks if isinstance(block, Text))
