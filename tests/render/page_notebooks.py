"""Notebooks that pages are made of."""

from __future__ import annotations

from typing import Any

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
    "gg=="
)

Json = dict[str, Any]


def code(source: str = "x", *outputs: Json, **metadata: Any) -> Json:
    return {
        "cell_type": "code", "source": source, "metadata": metadata, "outputs": list(outputs),
        "execution_count": 1,
    }  # fmt: skip


def markdown(source: str, **more: Any) -> Json:
    return {"cell_type": "markdown", "source": source, "metadata": {}, **more}


def stream(text: str, name: str = "stdout") -> Json:
    return {"output_type": "stream", "name": name, "text": text}


def shown(metadata: Json | None = None, **data: Any) -> Json:
    """A display; `text_html` stands for `text/html`."""
    named = {mime.replace("_", "/", 1): value for mime, value in data.items()}
    return {"output_type": "display_data", "data": named, "metadata": metadata or {}}


def raised(name: str = "ValueError", value: str = "no", traceback: list[str] | None = None) -> Json:
    lines = traceback if traceback is not None else [f"{name}: {value}"]
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": lines}


def notebook(*cells: Json, **metadata: Any) -> Json:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


#: Markup that should do nothing at all. `{url}` is an address that notes who asks for it.
ATTACKS = (
    "<script>window.hacked = 1</script>",
    "<script src='{url}/a.js'></script>",
    "<img src='{url}/b.png' onerror='window.hacked = 2'>",
    "<img src=x onerror=window.hacked=3>",
    "<svg onload='window.hacked = 4'><script>window.hacked = 5</script></svg>",
    "<svg><style><img src=x onerror=window.hacked=6></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=7></style></table></math>",
    "<noscript><p title='</noscript><img src=x onerror=window.hacked=8>'></noscript>",
    "<iframe src='{url}/c' srcdoc='<script>parent.hacked = 9</script>'></iframe>",
    "<object data='{url}/d'></object><embed src='{url}/e'>",
    "<link rel=stylesheet href='{url}/f.css'><link rel=prefetch href='{url}/f'>",
    "<style>@import '{url}/g.css'; body {{ background: url({url}/h.png) }}</style>",
    "<style>* {{ display: none }} main {{ color: red }}</style>",
    "<div style='background: url({url}/i.png); position: fixed; inset: 0'>over all</div>",
    "<meta http-equiv=refresh content='0; url={url}/j'>",
    "<base href='{url}/'>",
    "<form action='{url}/k'><input autofocus onfocus='window.hacked = 10'><button>x</button>",
    "<a id=go href='javascript:window.hacked = 11'>a</a>",
    "<a href='java\tscript:window.hacked = 12'>b</a>",
    "<a href=' &#1;javascript:window.hacked=12'>c</a>",
    "<a href='data:text/html,<script>window.hacked = 13</script>'>d</a>",
    "<video src='{url}/l' poster='{url}/m'><source src='{url}/n'></video><audio src='{url}/o'>",
    "<img srcset='{url}/p 1x' src='{url}/p2'><picture><source srcset='{url}/q'></picture>",
    "<body onload='window.hacked = 14' background='{url}/r'><table background='{url}/s'>",
    "<input type=image src='{url}/t'><details ontoggle='window.hacked = 15' open>x</details>",
    "</div></div></section></main></body></html><h1 id=cell-0>outside</h1>",
    "<div><table><tr><td><ul><li><b><i><a href=x><pre><blockquote><details>",
    "<plaintext>", "<xmp>", "<textarea>", "<title>", "<select>", "<!--", "<![CDATA[", "<?php",
    "<template><script>window.hacked = 16</script></template>",
    "<p class='about head cell' id='cell-1' style='width: 99999px'>as if it were ours</p>",
    "<b title='&#xe000;0&#xe001;'>&#xe000;0&#xe001;</b>",
)  # fmt: skip


def attacking(url: str) -> Json:
    """A notebook that tries everything, in every place."""
    attacks = [attack.replace("{{", "{").replace("}}", "}").replace("{url}", url)
               for attack in ATTACKS]  # fmt: skip
    cells = [markdown("# Quiet title\n\n## A second one")]
    for attack in attacks:
        drawing = f'<svg xmlns="http://www.w3.org/2000/svg" onload="top.hacked = 20">{attack}</svg>'
        cells.append(
            markdown(f"```\n{attack}\n```\n\ntext {attack} text\n\n{attack}\n\n> {attack}")
        )
        cells.append(
            code(
                attack,
                stream(attack), stream(attack, "stderr"), raised(attack, attack, [attack]),
                shown(text_html=attack, text_plain=attack), shown(text_markdown=attack),
                shown(text_latex=attack), shown(text_plain=attack),
                shown(application_json={attack: attack}),
                shown(**{"image_svg+xml": drawing}), shown(image_png=attack),
                shown(**{attack: attack}), shown(application_javascript="window.hacked = 21"),
                name=attack, tags=[attack.replace(",", "")],
            )
        )  # fmt: skip
    cells.append(markdown("![x](javascript:window.hacked=22) [y](javascript:window.hacked=23)"))
    cells.append(markdown(f"![z]({url}/u.png) [w]: {url}/v <{url}/w>"))
    cells.append(markdown(r"$\href{javascript:window.hacked=24}{x}$"))
    cells.append(markdown(r"$\text{</math><img src=x onerror=window.hacked=25>}$"))
    cells.append(markdown("## The last one"))
    word = "<script>window.hacked = 26</script>"
    spec = {"name": word, "display_name": word, "language": word}
    return notebook(*cells, kernelspec=spec)
