/** The only style of a report. Its hash is in the policy of the page, so no other style applies. */

export const reportStyle = `
:root { color-scheme: light dark; --bg: #f7f8fa; --panel: #fff; --sunken: #eef0f4; --line: #dde1e8; --text: #1a1f29; --muted: #586174; --accent: #3450c4; --good: #176b3a; --good-soft: #dcf3e4; --warn: #8a5200; --warn-soft: #fdf0d5; --bad: #b3261e; --bad-soft: #fce4e2; }
@media (prefers-color-scheme: dark) { :root { --bg: #0f1218; --panel: #171b23; --sunken: #1f2530; --line: #2c3441; --text: #e6e9ef; --muted: #9aa4b6; --accent: #8fa6ff; --good: #6fd397; --good-soft: #16341f; --warn: #f0b959; --warn-soft: #3a2b0f; --bad: #ff948b; --bad-soft: #431c1a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.25rem; background: var(--bg); color: var(--text); font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.05rem; margin: 0 0 .6rem; } h3 { font-size: .95rem; margin: .8rem 0 .3rem; }
p, ul, dl, figure { margin: .35rem 0; } ul { padding-left: 1.2rem; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 1rem 0; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .8rem 0; } a { color: var(--accent); }
.muted, .muted * { color: var(--muted); } .small { font-size: .85em; } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.badge { display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-weight: 600; background: var(--sunken); } .badge.good { background: var(--good-soft); } .badge.warn { background: var(--warn-soft); } .badge.bad { background: var(--bad-soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem 1.2rem; } .facts dt { color: var(--muted); font-size: .85em; } .facts dd { margin: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: normal; } th { color: var(--muted); font-weight: 500; font-size: .85em; } td.number { text-align: right; }
pre { margin: .3rem 0; padding: .6rem; border-radius: 6px; background: var(--sunken); font: 12px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-x: auto; } code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .92em; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .4rem 0; padding: .4rem .7rem; } summary { cursor: pointer; } summary > * { margin-right: .8rem; }
.diff { padding: 0; } .diff span { display: block; padding: 0 .6rem; min-height: 1.5em; } .diff .add { background: var(--good-soft); } .diff .del { background: var(--bad-soft); } .diff .hunk { color: var(--muted); }
.left-out { color: var(--muted); font-size: .85em; }
svg { display: block; width: 100%; max-width: 48rem; height: auto; } svg text { fill: var(--muted); font-size: 11px; } .agent { fill: var(--accent); } .check { fill: var(--good); } .failed { fill: var(--bad); } .other { fill: var(--muted); } .track { fill: var(--sunken); } .grid { stroke: var(--line); } .series { stroke: currentColor; fill: none; stroke-width: 2; } .band { fill: currentColor; opacity: .14; } .dot { fill: currentColor; } .mark { stroke: var(--muted); stroke-dasharray: 4 4; } g.plain { color: var(--accent); } g.good { color: var(--good); } g.warn { color: var(--warn); } g.bad { color: var(--bad); } g.muted { color: var(--muted); }
.board { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .8rem; } .lane { background: var(--sunken); border-radius: 8px; padding: .5rem; } .card { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .5rem; margin: .4rem 0; } .card p { margin: .1rem 0; }
.matrix td { text-align: center; padding: .15rem .35rem; border: 1px solid var(--panel); } .matrix td.good { background: var(--good-soft); } .matrix td.bad { background: var(--bad-soft); } .matrix td.warn { background: var(--warn-soft); }
@media print { details { break-inside: avoid; } section { break-inside: auto; } }
`
