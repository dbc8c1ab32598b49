"""The `create` operation: a template, filled in and put where no file is yet."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from octavo.authoring.base import Bases
from octavo.authoring.convert import STANDARD, spelled
from octavo.authoring.creating.choosing import described, find_template, read_template, templates
from octavo.authoring.creating.filling import filled
from octavo.authoring.creating.naming import plain_text, slug_of, title_of
from octavo.authoring.creating.placing import new_file
from octavo.authoring.creating.request import CreateRequest, CreateResult
from octavo.authoring.pairs import Pair
from octavo.authoring.sides import KERNEL, generate, respelled
from octavo.authoring.syncing import plan
from octavo.errors import NotebookError, UsageError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.model import Notebook
from octavo.notebook.syntax import check
from octavo.value import Value


class CreateSettings(Protocol):
    """The part of the configuration that is about new notebooks."""

    @property
    def notebooks(self) -> tuple[str, ...]: ...

    @property
    def templates(self) -> tuple[str, ...]: ...


class CreateContext(Protocol):
    """What this operation needs from the program around it."""

    cwd: str

    @property
    def project(self) -> Path: ...

    @property
    def settings(self) -> CreateSettings: ...


class _Place(Value):
    """Where a notebook goes: a folder and a name without suffix. `named` by the caller."""

    folder: Path
    stem: str
    suffix: str
    named: bool


async def create(request: CreateRequest, context: CreateContext) -> CreateResult:
    """Make a notebook from a template; it runs as it is. No file is ever overwritten."""
    project, folders = context.project, context.settings.templates
    if request.list:
        listed = tuple(map(described, templates(project, folders)))
        return CreateResult("", "", templates=listed)
    description = plain_text(request.description)
    if not description:
        hint = 'octavo create "Compare the disk usage of all hosts"'
        raise UsageError("wrong-argument", "there is no description", hint=hint)
    template = find_template(request.template, project, folders, context.cwd)
    title = title_of(description)
    place = _place(request, context, slug_of(title))
    values = {
        "title": title,
        "description": description,
        "slug": place.stem,
        "date": time.strftime("%Y-%m-%d"),
    }
    notebook = filled(read_template(template), values, template.path)
    _refuse_broken(notebook, template.path)
    text = _text(notebook, place.suffix, template.path)
    if request.path == STANDARD:
        return CreateResult(STANDARD, template.name, text=text)
    path = new_file(place.folder, place.stem, place.suffix, text, named=place.named)
    beside = _beside(path, project)
    shown = os.path.relpath(path, context.cwd)
    return CreateResult(
        shown, template.name, None if beside is None else os.path.relpath(beside, context.cwd)
    )


def _place(request: CreateRequest, context: CreateContext, slug: str) -> _Place:
    suffix = f".{request.format or 'py'}"
    if not request.path or request.path == STANDARD:
        return _Place(_usual_folder(context), slug, suffix, False)
    path = Path(os.path.normpath(Path(context.cwd) / request.path))
    if path.is_dir() or request.path.endswith(("/", os.sep)):
        return _Place(path, slug, suffix, False)
    formats.format_for(request.path)
    if request.format and path.suffix != suffix:
        message = f"--format {request.format} and the name of the file do not agree"
        raise UsageError("wrong-argument", message, place=request.path, hint="give one of them")
    return _Place(path.parent, path.stem, path.suffix, True)


def _refuse_broken(notebook: Notebook, template: str) -> None:
    """What does not parse cannot run green."""
    for problem in check(notebook, template):
        raise NotebookError(
            "notebook-syntax",
            f"the template does not parse: {problem.message}: {problem.text.strip()[:100]}",
            place=problem.place,
            hint="correct the template",
        )


def _usual_folder(context: CreateContext) -> Path:
    """The first folder where the project has its notebooks; files may be configured as well."""
    names: Sequence[str] = context.settings.notebooks
    folders = [name for name in names if not formats.is_notebook_name(name)]
    return context.project / (folders[0] if folders else "notebooks")


def _text(notebook: Notebook, suffix: str, template: str) -> str:
    """The notebook in a format. A document says that it is a notebook, so that sync takes it."""
    if suffix == ".ipynb":
        return ipynb.dumps(generate(respelled(notebook, "ipynb"), None))
    if suffix == ".md" and notebook.is_python and "kernelspec" not in notebook.metadata:
        told = {key: value for key, value in notebook.metadata.items() if key != "jupytext"}
        notebook = notebook.replace(metadata={**told, "kernelspec": KERNEL})
    return spelled(notebook, suffix[1:], template)


def _beside(path: Path, project: Path) -> Path | None:
    """The `.ipynb` of a new text, where the others in its folder have theirs."""
    notebook = path.with_suffix(".ipynb")
    pairs = (other.with_suffix(path.suffix) for other in path.parent.glob("*.ipynb"))
    if path.suffix == ".ipynb" or not any(text.exists() for text in pairs):
        return None
    bases = Bases(project)
    plan(Pair(path, notebook), bases).carry_out(bases)
    return notebook
