"""The templates that there are: those of the project first, then our own."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from octavo.errors import NotebookError, OctavoError, UsageError
from octavo.notebook import formats
from octavo.notebook.front_matter import front_matter
from octavo.notebook.model import Notebook
from octavo.sources import read_source
from octavo.value import Value

BUILT_IN = Path(__file__).parent / "templates"
DEFAULT = "task"
_SUFFIXES = (".py", ".md", ".ipynb")
_ABOUT = re.compile(r"^template:.*(?:\n|\Z)(?:[ \t]+.*(?:\n|\Z))*", re.MULTILINE)
_SHORT = 100


class Template(Value):
    """A template file; `where` tells whose it is."""

    name: str
    path: str
    where: str
    about: str = ""


def templates(project: Path, folders: Sequence[str]) -> tuple[Template, ...]:
    """All of them by name; one of the project takes the place of ours."""
    found: dict[str, Template] = {}
    for folder in folders:
        for path in _files(project / folder):
            found.setdefault(path.stem, Template(path.stem, str(path), _shown(path, project)))
    for path in _files(BUILT_IN):
        found.setdefault(path.stem, Template(path.stem, str(path), "built in"))
    return tuple(found[name] for name in sorted(found, key=lambda name: (name != DEFAULT, name)))


def described(template: Template) -> Template:
    """The template with a line about it; a broken one says so."""
    try:
        notebook = read_source(template.path).notebook
    except OctavoError as error:
        return template.replace(about=f"cannot be read: {error.message}")
    return template.replace(about=_about(notebook))


def find_template(name: str, project: Path, folders: Sequence[str], cwd: str) -> Template:
    """The template of a name, or the file at a path."""
    known = templates(project, folders)
    for template in known:
        if template.name == name:
            return template
    path = Path(cwd, name)
    if formats.is_notebook_name(name) and path.is_file():
        return Template(path.stem, str(path), name)
    from difflib import get_close_matches

    names = [template.name for template in known]
    close = get_close_matches(name, names, 3, 0.5)
    raise UsageError(
        "template-not-found",
        f"there is no template {name[:80]!r}",
        place=str(project),
        hint=f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(names)}",
        details={"templates": names},
    )


def read_template(template: Template) -> Notebook:
    """The notebook of a template, without the line that is about the template itself.

    One that makes no notebook is refused.
    """
    notebook = _without_about(read_source(template.path).notebook, template.path)
    if not notebook.cells:
        message, hint = "the template has no cells", "write what a new notebook is to begin with"
        raise NotebookError("notebook-empty", message, place=template.path, hint=hint)
    return notebook


def _without_about(notebook: Notebook, path: str) -> Notebook:
    first = notebook.cells[0]
    if first.kind != "raw" or "template" not in front_matter(notebook, path):
        return notebook
    kept = _ABOUT.sub("", first.source, count=1)
    rest = notebook.cells[1:]
    if not kept.replace("---", "").strip():
        return notebook.replace(cells=rest)
    return notebook.replace(cells=(first.replace(source=kept), *rest))


def _about(notebook: Notebook) -> str:
    told = _front_matter(notebook).get("template")
    if isinstance(told, str) and told.strip():
        return " ".join(told.split())[:_SHORT]
    texts = (cell.source for cell in notebook.cells if cell.kind == "markdown")
    lines = (line.strip() for text in texts for line in text.split("\n"))
    return next((e[:_SHORT] for e in lines if e and e[0] not in "#>`{" and "{{" not in e), "")


def _front_matter(notebook: Notebook) -> dict[str, object]:
    if not notebook.cells or notebook.cells[0].kind != "raw":
        return {}
    with suppress(NotebookError):
        return dict(front_matter(notebook))
    return {}


def _files(folder: Path) -> list[Path]:
    """The notebooks in a folder; of a pair the text."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    paths = [folder / name for name in names if not name.startswith((".", "_", "README"))]
    files = [path for path in paths if path.suffix in _SUFFIXES and path.is_file()]
    return sorted(files, key=lambda path: _SUFFIXES.index(path.suffix))


def _shown(path: Path, project: Path) -> str:
    return os.path.relpath(path, project)
