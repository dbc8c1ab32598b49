"""The forms that a notebook is exported in; each is loaded when it is asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from octavo.authoring.exporting.material import Material
from octavo.authoring.exporting.request import FORMS, STANDARD, ExportContext, ExportRequest
from octavo.errors import UsageError
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.authoring.exporting.places import Place


class Written(Value):
    """The content of a file, images that go beside it, and what a reader should know."""

    content: bytes
    figures: tuple[tuple[str, bytes], ...] = ()
    notes: tuple[str, ...] = ()


class Form:
    """A form by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def suffix(self, taken: Material) -> str:
        """How names of files in this form end."""
        if self.name != "script":
            return f".{self.name}"
        from octavo.authoring.exporting.script import script_suffix

        return script_suffix(taken.document)

    async def write(
        self, taken: Material, place: Place, request: ExportRequest, context: ExportContext
    ) -> Written:
        """The material in this form."""
        if self.name == "html":
            return Written(_page(taken, request, context).encode("utf-8", "replace"))
        if self.name == "pdf":
            from octavo.authoring.exporting.printing import printed

            page = _page(taken, request, context)
            return Written(await printed(page, request.browser, context))
        if self.name == "md":
            return _markdown(taken, place, request)
        if self.name == "script":
            from octavo.authoring.exporting.script import script

            text, notes = script(taken.document, taken.about.path)
            return Written(text.encode("utf-8", "replace"), (), notes)
        return Written(_notebook(taken))


def form_of(to: str, output: str) -> Form:
    """The form of a name, or that of an output's name."""
    suffix = os.path.splitext(output)[1].lower() if output != STANDARD else ""
    meant = {".htm": "html", ".py": "script"}.get(suffix, suffix.removeprefix("."))
    told = meant if meant in FORMS and not output.endswith("/") else ""
    if to and told and told != to:
        message = f"--to {to} and the name of the output do not agree"
        raise UsageError("wrong-argument", message, place=output, hint="give one of them")
    return Form(to or told or "html")


def _page(taken: Material, request: ExportRequest, context: ExportContext) -> str:
    from octavo.authoring.exporting.images import local_images
    from octavo.render.page import page

    images = local_images(taken.path, str(context.project))
    return page(taken.document, taken.about, code=not request.no_code, images=images)


def _markdown(taken: Material, place: Place, request: ExportRequest) -> Written:
    from octavo.render.page.as_markdown import notebook_markdown

    beside = place.figures.name if place.figures is not None and not request.embed else None
    text, figures = notebook_markdown(
        taken.document, taken.about, code=not request.no_code, folder=beside
    )
    return Written(text.encode("utf-8", "replace"), tuple(figures))


def _notebook(taken: Material) -> bytes:
    """Of a run the very bytes that are in its record."""
    if taken.executed:
        with open(taken.executed, "rb") as file:
            return file.read()
    from octavo.notebook.formats import ipynb

    return ipynb.encode(ipynb.dumps(dict(taken.document)))
