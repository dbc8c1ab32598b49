"""How the page of a notebook looks: on a light ground and on a dark one, wide, narrow, printed."""

from __future__ import annotations

STYLE = """\
:root {
  --ground: #ffffff; --text: #1f2328; --quiet: #5c6570; --line: #d8dee4; --panel: #f6f8fa;
  --accent: #0a58ca; --good: #116932; --good-ground: #dcf5e3; --bad: #b3261e; --bad-ground: #fdecea;
  --warn: #7a4d00; --warn-ground: #fff6dd; --mark: #eef3fb;
  --c: #65707c; --k: #8b2fa8; --s: #1a6b35; --n: #0550ae; --b: #0b5f78; --f: #6b3fa0; --d: #8a4b00;
  --black: #24292f; --red: #b3261e; --green: #116932; --yellow: #7a5200; --blue: #0a4fb8;
  --magenta: #8b2fa8; --cyan: #0b5f78; --white: #6e7781;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1319; --text: #e2e8ef; --quiet: #97a1ad; --line: #303844; --panel: #171d26;
    --accent: #7ab0ff; --good: #7bd99a; --good-ground: #12301d; --bad: #ff9a92;
    --bad-ground: #3a1715; --warn: #f0c674; --warn-ground: #33270d; --mark: #1a2433;
    --c: #8b96a3; --k: #d39bf0; --s: #8fd6a4; --n: #86b9ff; --b: #7fd3e6; --f: #c8a8ff;
    --d: #f0b070;
    --black: #8b96a3; --red: #ff9a92; --green: #7bd99a; --yellow: #f0c674; --blue: #86b9ff;
    --magenta: #d39bf0; --cyan: #7fd3e6; --white: #e2e8ef;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 58rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; overflow-x: clip; }
a { color: var(--accent); text-underline-offset: .15em; }
code, pre, kbd, samp { font-family: var(--mono); font-size: .86em; }
pre { margin: 0; line-height: 1.5; white-space: pre; overflow-x: auto; tab-size: 4; }
pre code { font-size: inherit; }
img, video { max-width: 100%; height: auto; }
.quiet, .note { color: var(--quiet); }
.note { margin: .4rem 0; font-size: .92em; }
.wide { overflow-x: auto; }

.about { border: 1px solid var(--line); border-radius: .6rem; background: var(--panel);
  padding: 1rem 1.25rem; margin-bottom: 2rem; }
.about .what { margin: 0; font-size: 1.15rem; display: flex; flex-wrap: wrap; gap: .4rem .8rem;
  align-items: center; overflow-wrap: anywhere; }
.about.plain { border: 0; background: none; padding: 0; margin-bottom: 1.25rem; }
.about.plain .what { font-size: .9rem; color: var(--quiet); }
.badge { font-size: .82rem; font-weight: 600; padding: .1rem .65rem; border-radius: 1rem;
  background: var(--warn-ground); color: var(--warn); }
.badge.success { background: var(--good-ground); color: var(--good); }
.badge.error { background: var(--bad-ground); color: var(--bad); }
.about dl { display: flex; flex-wrap: wrap; gap: .35rem 1.75rem; margin: .7rem 0 0; }
.about dl div { min-width: 0; }
.about dt { font-size: .75rem; color: var(--quiet); line-height: 1.3; }
.about dd { margin: 0; font-size: .92rem; overflow-wrap: anywhere; }
.about .failure { margin: .9rem 0 0; padding: .5rem .75rem; border-radius: .4rem;
  background: var(--bad-ground); color: var(--bad); white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: .92rem; }
.about .failure a { color: inherit; font-weight: 600; }
.about .lists { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin-top: 1rem;
  align-items: flex-start; }
.about .lists .wide { min-width: 0; }

.cell { margin: 0 0 1.25rem; position: relative; }
.cell > a[id] { position: absolute; top: 0; }
.cell:target { scroll-margin-top: 1rem; }
.cell.code:target > .source, .cell.code:target > details > .source { border-color: var(--accent); }
.cell .head { margin: 0 0 .25rem; font-size: .78rem; color: var(--quiet); display: flex;
  gap: .75rem;  align-items: baseline; line-height: 1.4; }
.head .at { color: var(--quiet); text-decoration: none; font-family: var(--mono); }
.head .at:hover { color: var(--accent); text-decoration: underline; }
.head .name { overflow-wrap: anywhere; min-width: 0; }
.head .took { margin-left: auto; white-space: nowrap; font-variant-numeric: tabular-nums; }
.head .status { color: var(--warn); font-weight: 600; white-space: nowrap; }
.failed .head .status, .timed-out .head .status, .kernel-died .head .status,
.interrupted .head .status { color: var(--bad); }
.skipped > .source, .not-run > .source { opacity: .65; }
pre.source { background: var(--panel); border: 1px solid var(--line); border-radius: .45rem;
  padding: .65rem .9rem; }
.outputs { margin: .5rem 0 0; }
.output { margin: .5rem 0 0; }
pre.output { padding: .15rem .9rem; border-left: 3px solid var(--line); }
pre.output.source { padding: .65rem .9rem; border-left-width: 1px; }
pre.stderr { border-left-color: #d9a63a; background: var(--warn-ground); padding: .4rem .9rem;
  border-radius: 0 .3rem .3rem 0; }
pre.cut { margin-bottom: 0; }
pre.widget { color: var(--quiet); }
figure.output { margin: .75rem 0 0; }
figure.output img { background: #ffffff; border-radius: .4rem; display: block; }
@media (prefers-color-scheme: dark) { figure.output img { padding: .35rem; } }
.output.card, .output.formula { overflow-x: auto; }
.output.card { border: 1px solid var(--line); border-radius: .45rem; padding: .6rem .9rem; }
.output.card p { margin: 0; } .output.card pre { margin-top: .4rem; color: var(--quiet); }
.output.scraps { font-size: .92rem; }
.output.scraps + .output.scraps { margin-top: 0; }
.scrap { margin: 0; padding: .1rem .9rem; border-left: 3px solid var(--good); }
.scrap span { color: var(--good); }
.output.error { border-left: 3px solid var(--bad); background: var(--bad-ground);
  border-radius: 0 .4rem .4rem 0; padding: .6rem .9rem; }
.error .raised { margin: 0; color: var(--bad); font-weight: 600; overflow-wrap: anywhere; }
.error pre { margin-top: .4rem; font-size: .8rem; }
details > summary { cursor: pointer; color: var(--quiet); font-size: .85rem; width: fit-content; }
details > summary:hover { color: var(--accent); }
.error details { margin-top: .4rem; }
details.input > .source { margin-top: .4rem; }
details.rest { margin: .25rem 0 0; } details.rest > summary { padding: 0 .9rem; }

.prose > :first-child, .prose > a + :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose h1, .prose h2, .prose h3, .prose h4, .prose h5, .prose h6 { line-height: 1.25;
  margin: 2rem 0 .75rem; overflow-wrap: anywhere; position: relative; }
.prose h1 { font-size: 1.9rem; letter-spacing: -.01em; } .prose h2 { font-size: 1.4rem; }
.prose h2 { padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
.prose h3 { font-size: 1.15rem; } .prose h4, .prose h5, .prose h6 { font-size: 1rem; }
.prose p, .prose ul, .prose ol { margin: .75rem 0; overflow-wrap: break-word; }
.prose li > ul, .prose li > ol, .prose li > p { margin: .2rem 0; }
.prose blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid var(--line);
  color: var(--quiet); }
.prose :not(pre) > code { background: var(--panel); border: 1px solid var(--line);
  border-radius: .3rem; padding: .05em .35em; }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.prose pre { margin: .75rem 0; }
.anchor { position: absolute; left: -1.1em; width: 1.1em; text-decoration: none; opacity: 0; }
.anchor::before { content: "#"; } .prose :hover > .anchor, .anchor:focus { opacity: .6; }
code.tex { background: var(--mark); border-radius: .3rem; padding: .05em .35em;
  white-space: pre-wrap; border: 0; }
code.tex.display { display: block; padding: .5rem .9rem; margin: .75rem 0; }
math[display="block"] { margin: .75rem 0; overflow-x: auto; overflow-y: hidden; }
.raw pre { color: var(--quiet); white-space: pre-wrap; overflow-wrap: anywhere; }

.html { overflow-x: auto; }
.html table, .prose table, table.values { border-collapse: collapse; font-size: .88rem;
  line-height: 1.4; font-variant-numeric: tabular-nums; }
.html th, .html td, .prose th, .prose td, .values th, .values td { padding: .3rem .75rem;
  border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
.html thead th, .prose thead th, .values thead th { border-bottom: 2px solid var(--line);
  color: var(--quiet); font-weight: 600; white-space: nowrap; }
.html tbody th { font-weight: 600; color: var(--quiet); }
.html table { width: max-content; border: 0; }
.html th, .html td { max-width: 28rem; overflow-wrap: break-word; }
.prose th, .prose td, .values th, .values td { text-align: left; }
.values td { overflow-wrap: anywhere; }
.prose table { display: block; overflow-x: auto; margin: 1rem 0; }
.html tbody tr:hover { background: var(--mark); }
.html.light { background: #ffffff; color: #1f2328; color-scheme: light; border-radius: .4rem;
  width: fit-content; max-width: 100%; }
@media (prefers-color-scheme: dark) {
  .html.light { padding: .5rem .75rem; --line: #d8dee4; --quiet: #5c6570; --mark: #eef3fb;
    --accent: #0a58ca; --panel: #f6f8fa; }
}
img:not([src]) { border: 1px dashed var(--line); padding: 0 .4rem; color: var(--quiet); }

.c { color: var(--c); font-style: italic; } .k { color: var(--k); } .s { color: var(--s); }
.n { color: var(--n); } .b { color: var(--b); } .f { color: var(--f); } .d { color: var(--d); }
.del { color: var(--red); } .ins { color: var(--green); }
.t-bold { font-weight: 700; } .t-dim { opacity: .7; } .t-italic { font-style: italic; }
.t-underline { text-decoration: underline; } .t-struck { text-decoration: line-through; }
.t-reverse { filter: invert(1); background: var(--ground); }
.t-f-black, .t-f-bright-black { color: var(--black); }
.t-f-red, .t-f-bright-red { color: var(--red); }
.t-f-green, .t-f-bright-green { color: var(--green); }
.t-f-yellow, .t-f-bright-yellow { color: var(--yellow); }
.t-f-blue, .t-f-bright-blue { color: var(--blue); }
.t-f-magenta, .t-f-bright-magenta { color: var(--magenta); }
.t-f-cyan, .t-f-bright-cyan { color: var(--cyan); }
.t-f-white, .t-f-bright-white { color: var(--white); }
[class*="t-b-"] { color: #ffffff; }
.t-b-black, .t-b-bright-black { background: #3b434d; }
.t-b-red, .t-b-bright-red { background: #a8281f; }
.t-b-green, .t-b-bright-green { background: #17693a; }
.t-b-yellow, .t-b-bright-yellow { background: #e3c04d; color: #1f2328; }
.t-b-blue, .t-b-bright-blue { background: #0a4fb8; }
.t-b-magenta, .t-b-bright-magenta { background: #7b2895; }
.t-b-cyan, .t-b-bright-cyan { background: #0b5f78; }
.t-b-white, .t-b-bright-white { background: #d8dee4; color: #1f2328; }

.outline { display: none; }
.outline ol, .contents ol { list-style: none; margin: 0; padding: 0; }
.outline li, .contents li { margin: 0; }
.outline a, .contents a { display: block; padding: .18rem 0; color: var(--quiet); line-height: 1.35;
  text-decoration: none; font-size: .86rem; overflow-wrap: anywhere; }
.outline a:hover, .contents a:hover { color: var(--accent); }
.l0 a { font-weight: 600; } .l1 { padding-left: .9rem; } .l2 { padding-left: 1.8rem; }
.contents { margin: -1rem 0 2rem; } .contents ol { margin-top: .4rem; }
@media (min-width: 80rem) {
  body:has(> .outline) { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  .outline { display: block; position: sticky; top: 0; max-height: 100vh; overflow-y: auto;
    padding: 2.2rem 1rem 2rem 1.75rem; align-self: start; }
  main { width: 100%; }
  .contents { display: none; }
}
@media (max-width: 40rem) {
  body { font-size: 15px; }
  main { padding: 1rem .9rem 3rem; }
  .about { padding: .8rem .9rem; }
  .prose h1 { font-size: 1.55rem; } .prose h2 { font-size: 1.25rem; }
  pre.source { padding: .55rem .7rem; }
  .anchor { display: none; }
}
@page { margin: 15mm 14mm; }
@media print {
  :root { --ground: #ffffff; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { display: block; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .outline, .contents, .anchor { display: none; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .html, .wide, .prose table { overflow: visible; }
  figure, .about, .output.error, tr { break-inside: avoid; }
  .prose h1, .prose h2, .prose h3, .head { break-after: avoid; }
  a { color: inherit; }
}
"""
