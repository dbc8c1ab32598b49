"""The front matter of a Markdown document: YAML between two `---` lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.errors import NotebookError
from octavo.notebook.formats.percent import options_in
from octavo.notebook.formats.percent.header import HELD, NO_HEADER, plain, select, split_sections

_FENCE = "---"
_CELLS = ("```", "<!--")
_OWN = ("jupyter", "jupytext", "kernelspec")


class Span(NamedTuple):
    """The lines of the two `---`, and the first line after the header."""

    first: int
    last: int
    stop: int


class Header(NamedTuple):
    """What stands before the cells. `stop` is the first line after it and its blank lines."""

    metadata: dict[str, Any]
    stop: int
    front_matter: str = ""
    line: int = 1
    blanks: int = 1


def find_header(lines: Sequence[str]) -> Span | None:
    """The front matter; it may stand in an HTML comment, and has no code in it."""
    first = _past_blanks(lines, 0)
    hidden = first < len(lines) and lines[first].strip() == "<!--"
    if hidden:
        first = _past_blanks(lines, first + 1)
    if first >= len(lines) or lines[first].rstrip() != _FENCE:
        return None
    for last in range(first + 1, len(lines)):
        if lines[last].startswith(_CELLS):
            return None
        if lines[last].rstrip() == _FENCE:
            stop = _past_blanks(lines, last + 1) if hidden else last
            if stop >= len(lines) or (hidden and lines[stop].strip() != "-->"):
                return None
            return Span(first, last, stop + 1)
    return None


def _past_blanks(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def read_header(lines: Sequence[str], path: str) -> Header:
    """The header in Jupytext's spelling: notebook metadata stands under `jupyter`."""
    span = find_header(lines)
    if span is None:
        return Header({"jupytext": dict(NO_HEADER)}, 0)
    jupyter, other = split_sections({at: lines[at] for at in range(span.first + 1, span.last)})
    metadata = _jupyter(lines, jupyter, path)
    if not jupyter:
        metadata["jupytext"] = dict(NO_HEADER)
    front_matter = "\n".join([_FENCE, *(lines[at] for at in other), _FENCE]) if other else ""
    if "kernelspec" not in metadata:
        metadata.update(_root_kernelspec(front_matter))
    stop = _past_blanks(lines, span.stop)
    return Header(metadata, stop, front_matter, span.first + 1, stop - span.stop)


def _jupyter(lines: Sequence[str], numbers: Sequence[int], path: str) -> dict[str, Any]:
    if not numbers:
        return {}
    content = load_mapping(lines, numbers, path)["jupyter"]
    if not isinstance(content, Mapping | None):
        raise bad_header("`jupyter` is not a mapping", f"{path}:{numbers[0] + 1}")
    return dict(content or {})


def load_mapping(lines: Sequence[str], numbers: Sequence[int], path: str) -> dict[str, Any]:
    """The YAML mapping on some lines; an error names the line."""
    import yaml

    try:
        content = yaml.safe_load("\n".join(lines[at] for at in numbers))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = numbers[min(mark.line, len(numbers) - 1)] if mark else numbers[0]
        problem = getattr(error, "problem", None) or "it does not parse"
        message = f"the front matter is not YAML: {problem}"
        raise bad_header(message, f"{path}:{line + 1}") from error
    if not isinstance(content, Mapping | None):
        place = f"{path}:{numbers[0] + 1}" if numbers else path
        raise bad_header("the front matter is not a mapping", place)
    loaded: dict[str, Any] = plain(content or {})
    return loaded


def bad_header(message: str, place: str) -> NotebookError:
    """The error for front matter that cannot be read."""
    hint = "correct the lines between the two `---`, or remove them"
    return NotebookError("notebook-invalid", message, place=place, hint=hint)


def front_matter_of(source: str, path: str = "", line: int = 1) -> dict[str, Any]:
    """The value of front matter with its two `---` lines; `line` is where the first one stands."""
    lines = [""] * line + source.strip("\n\t ").split("\n")[1:-1]
    return load_mapping(lines, range(line, len(lines)), path)


def _root_kernelspec(front_matter: str) -> dict[str, Any]:
    """A `kernelspec` outside of `jupyter:`, as people who know MyST write it."""
    if "\nkernelspec" not in front_matter:
        return {}
    try:
        kernelspec = front_matter_of(front_matter).get("kernelspec")
    except NotebookError:
        return {}
    return {"kernelspec": kernelspec} if isinstance(kernelspec, Mapping) else {}


def declares_notebook(text: str) -> bool:
    """Whether front matter says that a document is a notebook."""
    lines = text.removeprefix("\ufeff").splitlines()
    span = find_header(lines)
    if span is None:
        return False
    return any(
        line.startswith(_OWN) and line.partition(":")[0].rstrip() in _OWN
        for line in lines[span.first + 1 : span.last]
    )


def write_header(metadata: Mapping[str, Any], front_matter: str) -> list[str]:
    """The lines of a header in Jupytext's spelling; none when it has nothing to say."""
    options = written_options(metadata, "markdown")
    kernelspec = metadata.get("kernelspec")
    whole = {**metadata, "jupytext": options}
    if not options:
        del whole["jupytext"]
    if kernelspec and _root_kernelspec(front_matter) == {"kernelspec": kernelspec}:
        del whole["kernelspec"]
    held = select(whole, options.get("notebook_metadata_filter"), HELD)
    lines = front_matter.strip("\n\t ").split("\n")[1:-1] if front_matter else []
    if held:
        lines += _dump(held)
    if not lines:
        return []
    lines = [_FENCE, *lines, _FENCE]
    return ["<!--", "", *lines, "", "-->"] if options.get("hide_notebook_metadata") else lines


def written_options(metadata: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Jupytext's options without what does not belong to Markdown in this spelling."""
    options = dict(options_in(metadata))
    kernelspec = metadata.get("kernelspec")
    known = kernelspec.get("language") if isinstance(kernelspec, Mapping) else None
    if known and options.get("main_language") == known:
        del options["main_language"]
    told = options.get("text_representation")
    if not isinstance(told, Mapping) or told.get("format_name") != name:
        options.pop("text_representation", None)
    if name == "markdown":
        options.pop("default_lexer", None)
    return options


def _dump(metadata: Mapping[str, Any]) -> list[str]:
    import yaml

    text: str = yaml.safe_dump({"jupyter": plain(metadata)}, default_flow_style=False)
    return text.splitlines()
