"""How the page of a comparison looks, on a light ground and on a dark one."""

from __future__ import annotations

STYLE = """\
:root {
  --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --panel: #f6f8fa;
  --del: #ffebe9; --del-mark: #ffb8b0; --ins: #dafbe1; --ins-mark: #8fdf9f; --moved: #0969da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --panel: #151b23;
    --del: #3c1618; --del-mark: #8e2a2c; --ins: #12331b; --ins-mark: #23713a; --moved: #4493f8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; margin: 1rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0; padding: .5rem .75rem; background: var(--panel);
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
h2 small { font-weight: normal; color: var(--quiet); margin-left: .5rem; }
.sides, .summary, .note, figcaption { color: var(--quiet); margin: .25rem 0; }
.cell { border: 1px solid var(--line); border-left: .3rem solid var(--line);
  border-radius: .4rem; margin: 1rem 0; overflow: hidden; }
.cell.added { border-left-color: var(--ins-mark); }
.cell.removed { border-left-color: var(--del-mark); }
.cell.moved, .cell.moved-and-edited { border-left-color: var(--moved); }
.cell > .note, .cell > .values { margin: .5rem .75rem; }
.output { margin: 0; padding: .4rem .75rem; color: var(--quiet); cursor: default;
  border-top: 1px solid var(--line); }
summary.output { cursor: pointer; }
.scroll { overflow-x: auto; }
table.diff { border-collapse: collapse; width: 100%;
  font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
.diff td { padding: 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere;
  vertical-align: top; }
.diff td:nth-child(-n+2) { width: 1%; min-width: 2.5rem; text-align: right; color: var(--quiet);
  user-select: none; white-space: nowrap; }
.diff td:nth-child(3) { width: 1%; user-select: none; }
.diff .gap td { color: var(--quiet); text-align: left; }
.del { background: var(--del); } .ins { background: var(--ins); }
mark { color: inherit; border-radius: .2rem; }
.del mark { background: var(--del-mark); } .ins mark { background: var(--ins-mark); }
.images { display: flex; flex-wrap: wrap; gap: 1rem; padding: .5rem .75rem; }
figure { margin: 0; flex: 1 1 18rem; min-width: 0; }
img { max-width: 100%; background: #ffffff; border: 1px solid var(--line); }
table.values { border-collapse: collapse; margin: 1rem 0; }
.values td, .values th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left;
  overflow-wrap: anywhere; }
.values th { background: var(--panel); font-weight: 600; }
@media print { .cell { break-inside: avoid; } }
"""
