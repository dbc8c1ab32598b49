"""Markdown on a page: formulas, highlighted code, headings with ids, and HTML that is cleaned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from octavo.render.page.code import code_html
from octavo.render.page.foreign import MARKS, Cleaner, Images, library, link, pages_missing
from octavo.render.page.markup import Ids, joined, mapping, text
from octavo.render.page.maths import Maths
from octavo.value import Value

#: More Markdown of one cell is shown as it was written; formulas end within so many characters.
LONGEST, LONGEST_FORMULA = 300_000, 8000
#: The reader looks for the ends of brackets again and again.
MOST_BRACKETS = 10_000

_KEPT = re.compile("\ue000(\\d{1,7})\ue001")
_ATTACHED = "attachment:"
_ENVIRONMENT = re.compile(
    r"\\begin\{((?:equation|align|gather|multline|eqnarray|alignat|flalign|cases|[bpvBV]?matrix)"
    r"\*?)\}"
)


class Heading(Value):
    """A heading in the prose of a notebook."""

    level: int
    title: str
    id: str


class Prose:
    """Draws the Markdown of one page, and gathers its headings."""

    def __init__(self, ids: Ids, maths: Maths, images: Images) -> None:
        self.headings: list[Heading] = []
        self._ids = ids
        self._maths = maths
        self._images = images
        self._kept: list[str] = []

    def html(
        self, markdown: str, attachments: Mapping[str, Any] | None = None, *, outline: bool = True
    ) -> str:
        """The Markdown of a cell; its headings go into the outline if they are to."""
        source = MARKS.sub("", markdown)
        if len(source) > LONGEST or source.count("[") > MOST_BRACKETS:
            return f"<pre>{text(source)}</pre>"
        images = _with_attachments(mapping(attachments), self._images)
        drawn = self._drawn(source, images, outline)
        safe = Cleaner(self._ids, images).clean(drawn) if drawn is not None else None
        if safe is None:
            return f"<pre>{text(source)}</pre>"
        kept, self._kept = self._kept, []
        return _KEPT.sub(lambda found: _nth(kept, int(found[1])), safe.html)

    def _drawn(self, source: str, images: Images, outline: bool) -> str | None:
        self._kept = []
        reader = _reader()
        env = {"prose": self, "images": images}
        try:
            tokens = reader.parse(source, env)
            self._name_headings(tokens, outline)
            return str(reader.renderer.render(tokens, reader.options, env))
        except RecursionError:
            return None

    def keep(self, html: str) -> str:
        """What stands for markup of ours until all else has been cleaned."""
        self._kept.append(html)
        return f"\ue000{len(self._kept) - 1}\ue001"

    def formula(self, tex: str, *, display: bool) -> str:
        return self.keep(self._maths.html(tex, display=display))

    def code(self, source: str, language: str) -> str:
        return self.keep(f'<pre class="source"><code>{code_html(source, language)}</code></pre>')

    def _name_headings(self, tokens: Sequence[Any], outline: bool) -> None:
        for at, token in enumerate(tokens):
            if token.type != "heading_open":
                continue
            title = _words(tokens[at + 1])
            # As Jupyter names them, so that links within a notebook lead somewhere.
            wanted = re.sub(r"\s+", "-", title)[:120]
            name = self._ids_for(wanted or "section")
            if outline:
                self.headings.append(Heading(int(token.tag[1]), title, name))
            token.meta["octavo"] = name

    def _ids_for(self, wanted: str) -> str:
        if wanted.startswith(("cell-", "octavo-")):
            wanted = f"section-{wanted}"
        return self._ids.ours(wanted)


def _nth(kept: Sequence[str], number: int) -> str:
    return kept[number] if number < len(kept) else ""


def _words(inline: Any) -> str:
    parts = [
        child.content if child.type in ("text", "code_inline", "octavo_formula") else " "
        for child in inline.children or ()
        if child.type in ("text", "code_inline", "octavo_formula", "softbreak", "image")
    ]
    return " ".join("".join(parts).split())


def _with_attachments(attachments: Mapping[str, Any], images: Images) -> Images:
    def found(address: str) -> str | None:
        if not address.startswith(_ATTACHED):
            return images(address)
        bundle = mapping(attachments.get(address.removeprefix(_ATTACHED)))
        for mime, data in bundle.items():
            if str(mime).startswith("image/"):
                return data_address(str(mime), joined(data))
        return None

    return found


def data_address(mime: str, data: str) -> str | None:
    """An image as an address that holds it; None where it is damaged."""
    if not re.fullmatch(r"image/[\w.+-]+", mime):
        return None
    if mime == "image/svg+xml" and data.lstrip().startswith("<"):
        from base64 import b64encode

        data = b64encode(data.encode("utf-8", "replace")).decode()
    packed = "".join(data.split())
    if not packed or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", packed):
        return None
    return f"data:{mime};base64,{packed}"


@lru_cache(1)
def _reader() -> Any:
    """The reader of Markdown, with formulas; EnvironmentFailure where it is not installed."""
    library()
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise pages_missing("markdown-it-py") from error

    reader: Any = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    reader.validateLink = _is_followed
    reader.inline.ruler.before("escape", "octavo_formula", _inline_formula)
    usual = {"alt": ["paragraph", "blockquote", "list"]}
    reader.block.ruler.before("fence", "octavo_formula", _block_formula, usual)
    for name, rule in _RULES.items():
        reader.add_render_rule(name, rule)
    return reader


def _is_followed(address: str) -> bool:
    """Whether Markdown makes a link or an image of an address; they are looked at again later."""
    return address.startswith(("data:image/", _ATTACHED)) or link(address) is not None


def _render_formula(_: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    prose: Prose = env["prose"]
    kept = prose.formula(tokens[at].content, display=tokens[at].markup == "$$")
    return f"<p>{kept}</p>\n" if tokens[at].block else kept


def _render_code(_: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    prose: Prose = env["prose"]
    words = tokens[at].info.split()
    language = re.sub(r"[^\w+#.-]", "", words[0]) if words else ""
    return prose.code(tokens[at].content, language or "text") + "\n"


def _render_heading(_: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    prose: Prose = env["prose"]
    name = text(tokens[at].meta.get("octavo", ""))
    return f"<{tokens[at].tag}>" + prose.keep(_anchor(name))


def _anchor(name: str) -> str:
    return f'<a class="anchor" id="{name}" href="#{name}" aria-label="Link to this heading"></a>'


def _render_image(_: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    """An image that the page can hold; else a link to it."""
    token = tokens[at]
    address, alt = str(token.attrs.get("src", "")), text(token.content)
    found = address if address.startswith("data:image/") else env["images"](address)
    if found:
        return f'<img src="{text(found)}" alt="{alt}">'
    target = link(address)
    if target is None or address.startswith(_ATTACHED):
        return f"[{alt or 'image'}]"
    return f'<a href="{text(target)}">{alt or text(target)}</a>'


_RULES = {
    "octavo_formula": _render_formula,
    "fence": _render_code,
    "code_block": _render_code,
    "heading_open": _render_heading,
    "image": _render_image,
}


def _inline_formula(state: Any, silent: bool) -> bool:
    """`$x$` and `$$x$$`, and `\\(x\\)` and `\\[x\\]`, within a line or a paragraph."""
    found = _formula_at(state.src, state.pos, state.posMax)
    if found is None:
        return False
    tex, end, display = found
    if not silent:
        token = state.push("octavo_formula", "", 0)
        token.content, token.markup = tex, "$$" if display else "$"
    state.pos = end
    return True


def _formula_at(source: str, at: int, end: int) -> tuple[str, int, bool] | None:
    """A formula that begins there: its TeX, where it ends, and whether it is displayed."""
    end = min(end, at + LONGEST_FORMULA)
    if source.startswith("\\begin{", at):
        return _environment_at(source, at, end)
    for opening, closing, display in (("$$", "$$", True), ("\\\\[", "\\\\]", True),
                                      ("\\\\(", "\\\\)", False)):  # fmt: skip
        if source.startswith(opening, at):
            close = source.find(closing, at + len(opening), end)
            body = source[at + len(opening) : close]
            return (body, close + len(closing), display) if close > 0 and body.strip() else None
    return _dollars(source, at, end) if source.startswith("$", at) else None


def _environment_at(source: str, at: int, end: int) -> tuple[str, int, bool] | None:
    found = _ENVIRONMENT.match(source, at)
    if found is None:
        return None
    closing = f"\\end{{{found[1]}}}"
    close = source.find(closing, found.end(), end)
    return (source[at : close + len(closing)], close + len(closing), True) if close > 0 else None


def _dollars(source: str, at: int, end: int) -> tuple[str, int, bool] | None:
    """A `$` is one of a formula only if it is written close to it: prices are none."""
    if source[at + 1 : at + 2].isspace() or source[at - 1 : at] == "\\":
        return None
    close = source.find("$", at + 1, min(end, at + 2000))
    while close > 0 and source[close - 1] == "\\":
        close = source.find("$", close + 1, min(end, at + 2000))
    if close <= at + 1 or source[close - 1].isspace() or source[close + 1 : close + 2].isdigit():
        return None
    return source[at + 1 : close], close + 1, False


def _block_formula(state: Any, first: int, last: int, silent: bool) -> bool:
    """Lines from `$$` to `$$`, or of an environment: what is between is not Markdown."""
    start = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first) or not state.src.startswith(("$$", "\\begin{"), start):
        return False
    found = _formula_at(state.src, start, len(state.src))
    if found is None or not found[2]:
        return False
    line = first
    while line < last and state.eMarks[line] < found[1]:
        line += 1
    if line >= last or state.src[found[1] : state.eMarks[line]].strip():
        return False
    if not silent:
        token = state.push("octavo_formula", "", 0)
        token.content, token.markup, token.block = found[0], "$$", True
        token.map = [first, line + 1]
        state.line = line + 1
    return True
