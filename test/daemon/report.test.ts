// One HTML file that shows a run: hostile text stays text, secrets stay out, and what is left out is said.

import { expect, test, vi } from 'vitest'
import { type RunReport, readReport } from '../../src/history/report/read-report.ts'
import { renderReport, reportPolicy } from '../../src/history/report/render-report.ts'
import type { Json, RunEvent, StepId, TreeId } from '../../src/loop/index.ts'
import type { Panel } from '../../src/protocol/api/index.ts'
import { writeRun } from '../../src/testing/write-run.ts'
import { openApi } from './api-fixture.ts'

const canary = 'canary-7f3a9c1e5b2d8046'
const tree = 'a'.repeat(40) as TreeId

const panels: readonly Panel[] = [
  {
    type: 'table',
    title: 'Board',
    columns: ['Task', 'State', 'Why'],
    rows: [[{ text: 'One', hint: 'more', tone: 'bad' }, 'Open', 3]],
    board: { column: 1, lanes: ['Open', 'Done'] },
  },
  { type: 'table', title: 'Table', columns: ['a'], rows: [['b']], leftOut: 'much' },
  {
    type: 'series',
    title: 'Series',
    x: 'iteration',
    y: 'score',
    lines: [
      {
        name: 'best',
        points: [
          { x: 1, y: 2, low: 1, high: 3, text: 'why' },
          { x: 2, y: 3 },
        ],
      },
    ],
    marks: [{ name: 'base', y: 1 }],
  },
  { type: 'diff', title: 'Diff', changes: [{ path: 'a.txt', before: 'a', after: 'b' }] },
  {
    type: 'matrix',
    title: 'Matrix',
    row: 'case',
    columns: ['1'],
    rows: [{ name: 'a', cells: [{ text: 'pass', tone: 'good', flip: 'better' }] }],
  },
  { type: 'text', title: 'Text', text: 'intro', body: 'body' },
]

async function writeWhole(api: Awaited<ReturnType<typeof openApi>>, name: string): Promise<void> {
  const step = (id: string, more: object): RunEvent => ({
    type: 'step-finished',
    iteration: 1,
    step: id as StepId,
    attempt: 1,
    ...more,
  })
  const starts = (id: string, kind: string): RunEvent =>
    ({ type: 'step-started', iteration: 1, step: id as StepId, attempt: 1, kind }) as RunEvent
  const check = { check: 'unit', kind: 'command' } as const
  const run = await writeRun(api.host.journal, { name })
  await run.write(
    { type: 'run-started', owner: 'me', fence: 1, checks: [check] },
    { type: 'iteration-started', iteration: 1, tree },
    starts('prompt#1', 'step'),
    step('prompt#1', {
      kind: 'step',
      role: 'prompt',
      result: { value: { prompt: `Use ${canary}.` } },
    }),
    starts('check:unit#1', 'check'),
    step('check:unit#1', {
      kind: 'check',
      result: { value: { output: `1 failed, token ${canary}`, durationMs: 12, exitCode: 1 } },
      evidence: { ...check, status: 'not-met', tree, iteration: 1, output: 'x' },
      spent: { tokens: 5, costMicros: 7 },
    }),
    starts('panels#1', 'step'),
    step('panels#1', {
      kind: 'step',
      role: 'panels',
      result: { value: panels as unknown as Json },
    }),
    { type: 'iteration-ended', iteration: 1, ending: { type: 'continue' } },
  )
}

test('the file has every part of the run, in one request, without what is secret', async () => {
  vi.stubEnv('SHOP_API_KEY', canary)
  const api = await openApi()
  await writeWhole(api, 'calm-otter')
  const { status, headers, text } = await api.get('/runs/calm-otter/report')
  vi.unstubAllEnvs()
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-disposition')).toMatch(/^attachment/)
  expect(headers.get('content-security-policy')).toMatch(/sandbox; frame-ancestors 'none'$/)
  for (const part of [
    'calm-otter',
    'Iteration 1',
    'Not met',
    '1 failed',
    'Board',
    'Ledger',
    '$0',
  ]) {
    expect(text).toContain(part)
  }
  expect(text).not.toContain(canary)
  expect(text).not.toMatch(/<script|<iframe|<link|<img|javascript:|\son\w+=|https?:/i)
  expect(text).toContain(`content="${reportPolicy.replaceAll("'", '&#39;')}"`)
})

const payloads: readonly string[] = [
  '<script>attack()</script>',
  '</script><script>attack()</script>',
  '<img src=x onerror=attack()>',
  '"><svg onload=attack()>',
  "'><svg onload=attack()>",
  '` onmouseover=attack()',
  '" autofocus onfocus=attack() x="',
  "' onclick='attack()",
  '</style><script>attack()</script>',
  '</title><script>attack()</script>',
  '</pre><script>attack()</script>',
  '</textarea><script>attack()</script>',
  '--><script>attack()</script>',
  ']]><script>attack()</script>',
  '<a href="javascript:attack()">x</a>',
  'javascript:attack()',
  'data:text/html,<script>attack()</script>',
  '<iframe srcdoc="<script>attack()</script>">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<form action=https://evil.example><input name=x>',
  '<object data="https://evil.example"></object>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<math><mi//xlink:href="data:x,<script>attack()</script>">',
  '&lt;script&gt;attack()&lt;/script&gt;',
  '&#60;script&#62;attack()',
  '\u003cscript\u003eattack()',
  '<scr\u0000ipt>attack()</scr\u0000ipt>',
  '\u202e<script>\u2066attack()\u2069</script>',
  '{{constructor.constructor("attack()")()}}',
  '${attack()}',
  '<!--<img src="--><img src=x onerror=attack()>',
]

/** Its elements and their attributes, without any text. */
const skeletonOf = (html: string): readonly string[] =>
  [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replaceAll(/="[^"]*"/g, '=""'))

/** Texts that a schema or the engine fixes: they cannot hold a payload. */
const fixed = new Set(
  'type status kind state tone flip decision action tree id before after issuedAt at level'.split(
    ' ',
  ),
)

function poison<T>(value: T, text: string): T {
  const visit = (one: unknown, key: string): unknown => {
    if (key === 'patch') return patchOf(text)
    if (typeof one === 'string') return fixed.has(key) ? one : text
    if (Array.isArray(one)) return one.map((part) => visit(part, key))
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, visit(part, name)]))
  }
  return visit(value, '') as T
}

const patchOf = (text: string): string =>
  `diff --git a/${text} b/${text}\n--- a/${text}\n+++ b/${text}\n@@ -1 +1 @@ ${text}\n-${text}\n+${text}\n`

async function readHarmless(): Promise<RunReport> {
  const api = await openApi()
  await writeWhole(api, 'calm-otter')
  const report = await readReport(api.host, 'calm-otter', {
    nowMs: 0,
    mask: (text) => text,
    findMaker: () => undefined,
  })
  const level = 'red-to-green'
  const rate = { count: 1, of: 20, low: 0.01, high: 0.2 }
  const certificate = {
    checks: [
      {
        name: 'unit',
        status: 'met',
        command: ['npm', 'test'],
        reads: { count: 3, digest: 'x' },
        calibration: { falseAccepts: rate, falseRejects: rate, ref: 'x' },
        flaky: ['met', 'not-met'],
      },
    ],
    approvals: [{ by: 'ada', at: 'today', codes: ['seal'] }],
    strength: { level, required: level, statements: ['It was red.'] },
    issuedAt: '2026-01-01T00:00:00Z',
  } as unknown as NonNullable<RunReport['certificate']>['certificate']
  return {
    ...report,
    certificate: { id: 'c'.repeat(64), certificate },
    diff: {
      run: { id: report.inspection.run.id, name: 'x' },
      before: tree,
      after: tree,
      files: [{ path: 'x', added: 1, removed: 1 }],
      leftOut: [],
      patch: patchOf('x'),
    },
    actions: [{ key: 'k', kind: 'merge', summary: 's', status: 'refused', atMs: 0, reason: 'r' }],
    policy: {
      items: [
        {
          seq: 1,
          atMs: 0,
          action: 'callTool',
          resource: 'run',
          iteration: 1,
          decision: 'deny',
          rules: ['r'],
          reason: 'why',
          context: { tokens: 1 },
        } as unknown as RunReport['policy']['items'][number],
      ],
      leftOut: 2,
    },
  }
}

test('whatever a run contains, the elements of the file and their attributes are the same', async () => {
  const harmless = await readHarmless()
  const expected = skeletonOf(renderReport(poison(harmless, 'harmless')))
  expect(expected.length).toBeGreaterThan(150)
  expect(payloads.length).toBeGreaterThanOrEqual(30)
  for (const payload of payloads) {
    const html = renderReport(poison(harmless, payload))
    expect(skeletonOf(html)).toEqual(expected)
    expect(html).toMatch(/attack|evil/)
  }
  // The comparison can fail: an element in a text that is not escaped is seen.
  expect(skeletonOf(`${renderReport(harmless)}<b>`)).not.toEqual(skeletonOf(renderReport(harmless)))
})

test('a section that is too large gives way, and the file says so', async () => {
  const harmless = await readHarmless()
  const [first] = harmless.evidence.items
  if (first === undefined) throw new Error('no evidence')
  const items = Array.from({ length: 3000 }, () => ({ ...first, output: '"'.repeat(4000) }))
  const html = renderReport({ ...harmless, evidence: { items, leftOut: 7 } })
  expect(html.length).toBeLessThan(9_000_000)
  expect(html).toContain('Not in this report, because it is too large.')
  expect(html).toContain('It was red.')
})
