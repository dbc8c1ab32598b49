"""The declared outputs of a notebook: which scraps it promises to hand out, without running it.

A cell tagged `scraps` declares them with bare annotations; the notebook's metadata can do so in
any language.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from octavo.errors import NotebookError
from octavo.notebook.model import Notebook
from octavo.notebook.parameter_types import ANY, ParameterType, type_name
from octavo.notebook.places import place_of
from octavo.value import Value

TAG = "scraps"
#: Where the schema of a scrap says its unit, and that it is a table or a display.
UNIT, FORM = "x-unit", "x-form"

Form = Literal["value", "table", "display"]


class Handout(Value):
    """One declared scrap. `place` says where it is declared; of a table or a display only that it
    is one can be checked.
    """

    name: str
    type: ParameterType = ANY
    form: Form = "value"
    annotation: str = ""
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    help: str = ""
    required: bool = True
    place: str = ""

    @property
    def kind(self) -> str:
        """The type as its author spelled it, else as we call it; `None` where it may be missing."""
        named = self.annotation or (type_name(self.type) if self.form == "value" else self.form)
        says_so = self.required or "None" in named or "Optional" in named
        return named if says_so else f"{named} | None"

    @property
    def bounds(self) -> str:
        """`0..1 share`: the bounds and the unit, as they are declared."""
        if self.minimum is None and self.maximum is None:
            return self.unit
        low, high = ("" if end is None else f"{end:g}" for end in (self.minimum, self.maximum))
        return f"{low}..{high} {self.unit}".strip()


def declared_handouts(notebook: Notebook, path: str = "") -> tuple[Handout, ...]:
    """What a notebook promises to hand out, in the order of its declaration.

    Raises NotebookError `scraps-declaration` when the declaration makes no sense.
    """
    index = scraps_cell(notebook, path)
    entries = _metadata(notebook, path)
    if index is None and entries is None:
        return ()
    from octavo.notebook.handout_grammar import from_cell, from_metadata

    in_cell = from_cell(notebook, index, path) if index is not None else ()
    in_metadata = from_metadata(entries, path) if entries is not None else ()
    _refuse_repetition(in_cell, in_metadata, path)
    return (*in_cell, *in_metadata)


def scraps_cell(notebook: Notebook, path: str = "") -> int | None:
    """The index of the code cell tagged `scraps`."""
    tagged = [index for index in notebook.tagged(TAG) if notebook.cells[index].kind == "code"]
    if len(tagged) > 1:
        places = [place_of(path, index, notebook.cells[index]) for index in tagged]
        raise NotebookError(
            "scraps-declaration",
            f"{len(tagged)} cells are tagged `{TAG}`: {', '.join(places)}",
            place=places[1],
            hint="keep the tag on one of them",
            details={"places": places},
        )
    return tagged[0] if tagged else None


def handouts_schema(handouts: tuple[Handout, ...]) -> dict[str, Any]:
    """The JSON Schema of the scraps of a run; others than the declared ones may be among them."""
    from octavo.notebook.parameter_schema import DIALECT

    required = [each.name for each in handouts if each.required]
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": {each.name: _property(each) for each in handouts},
        **({"required": required} if required else {}),
    }


def _property(handout: Handout) -> dict[str, Any]:
    from octavo.notebook.parameter_schema import type_schema

    described = type_schema(handout.type) if handout.form == "value" else {FORM: handout.form}
    said = {
        "minimum": handout.minimum,
        "maximum": handout.maximum,
        UNIT: handout.unit or None,
        "description": handout.help or None,
    }
    return {**described, **{key: value for key, value in said.items() if value is not None}}


def _metadata(notebook: Notebook, path: str) -> Any:
    """What the metadata says under `octavo: {scraps: …}`; None where it says nothing."""
    ours = notebook.metadata.get("octavo", _in_front_matter(notebook, path))
    return ours.get("scraps") if isinstance(ours, Mapping) else None


def _in_front_matter(notebook: Notebook, path: str) -> Any:
    """The same in front matter that is a cell of its own, as that of plain Markdown is."""
    first = notebook.cells[0] if notebook.cells else None
    if first is None or first.kind != "raw" or not first.source.startswith("---"):
        return None
    if "\noctavo:" not in first.source:
        return None
    from octavo.notebook.formats.markdown.header import front_matter_of

    return front_matter_of(first.source, path, first.line).get("octavo")


def _refuse_repetition(
    in_cell: tuple[Handout, ...], in_metadata: tuple[Handout, ...], path: str
) -> None:
    places = {each.name: each.place for each in in_cell}
    for each in in_metadata:
        if each.name in places:
            raise NotebookError(
                "scraps-declaration",
                f"{each.name} is declared in the metadata and again at {places[each.name]}",
                place=f"{path}, metadata" if path else "metadata",
                hint="keep one of the two declarations",
            )
