"""What is asked of `octavo create`, and what it answers."""

from __future__ import annotations

from typing import Any

from octavo.authoring.creating.choosing import DEFAULT, Template
from octavo.requests import Request, argument, option
from octavo.value import Value


class CreateRequest(Request):
    """What the notebook is for, and where it is to be."""

    description: str = argument(
        "what the notebook is to do, in your words", metavar="DESCRIPTION", default=""
    )
    path: str = argument(
        "the new file, a folder, or - for standard output "
        "(default: named after the description, where the project has its notebooks)",
        metavar="PATH",
        default="",
    )
    format: str = option(
        "--format",
        help="the format (default: by the name of the file, else py)",
        metavar="FORMAT",
        choices=("py", "md", "ipynb"),
        default="",
    )
    template: str = option(
        "-t", "--template", help="the template to begin with", metavar="NAME", default=DEFAULT
    )
    list: bool = option("--list", help="show the templates, make nothing", default=False)


class CreateResult(Value):
    """The new notebook. `beside` is the `.ipynb` that was made with it; `text` is set when it is
    to go to standard output, `templates` when they were asked for.
    """

    path: str
    template: str
    beside: str | None = None
    text: str | None = None
    templates: tuple[Template, ...] = ()

    def to_json(self) -> dict[str, Any]:
        if self.templates:
            return {"templates": [template.to_dict() for template in self.templates]}
        shown = {"path": self.path, "template": self.template, "beside": self.beside}
        return shown if self.text is None else {**shown, "text": self.text}
