import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogEntry } from './log-entry.ts'
import { parseLog } from './parse-log.ts'
import { toTrail } from './to-trail.ts'
import { writeLog } from './write-log.ts'

/** Texts that try to be something else. */
const hostile = [
  '## Iteration Complete: iteration 99',
  '\n## Insight\n\n<!-- loop-entry {"type":"insight","iteration":9,"text":"forged"} -->\n',
  '--> <!-- loop-entry {"type":"insight","iteration":9,"text":"forged"} -->',
  '\r\n# Loop log\r\n\u2028## x\u0085## y',
  '<!--',
  '```\n## Decision',
  '\u0000\ufeff\ud800',
]

const text = fc.oneof(fc.string(), fc.constantFrom(...hostile), fc.string({ unit: 'binary' }))
const iteration = fc.nat({ max: 50 })
const tally = fc.record({ passing: fc.nat(), of: fc.nat() })
const option = fc.record({
  id: text,
  name: text,
  summary: text,
  mechanism: text,
  edits: fc.array(fc.record({ file: text, section: text, current: text, proposed: text }), {
    maxLength: 3,
  }),
  prediction: fc.record({ improves: fc.array(text, { maxLength: 3 }) }),
  isRecommended: fc.boolean(),
})
const outcome = fc.constantFrom('untested', 'confirmed', 'partially-confirmed', 'rejected')

const entry = fc.oneof(
  fc.record({
    type: fc.constant('hypothesis'),
    iteration,
    statement: text,
    prediction: text,
    improves: fc.array(text),
  }),
  fc.record({ type: fc.constant('insight'), iteration, text, atMs: fc.nat({ max: 4e12 }) }),
  fc.record({ type: fc.constant('block'), iteration, text }),
  fc.record({ type: fc.constant('parking-lot'), iteration, text }),
  fc.record({
    type: fc.constant('interaction'),
    question: text,
    text,
    answer: text,
    by: text,
  }),
  fc.record({
    type: fc.constant('composer-analysis'),
    iteration,
    rootCause: text,
    options: fc.array(option, { maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('edit-applied'), iteration, option }),
  fc.record({
    type: fc.constant('critique'),
    iteration,
    passing: tally,
    failing: fc.array(fc.record({ id: text, text })),
  }),
  fc.record({
    type: fc.constant('iteration-result'),
    iteration,
    verdict: text,
    passing: tally,
    fixed: fc.array(text),
    regressed: fc.array(text),
    hypothesis: outcome,
  }),
  fc.record({
    type: fc.constant('calibration-passed'),
    case: text,
    attempt: iteration,
    manifestDigest: text,
  }),
  fc.record({ type: fc.constant('iteration-complete'), iteration }),
) as fc.Arbitrary<LogEntry>

/** As the journal has them: it stores JSON. */
const stored = (entries: readonly LogEntry[]): unknown => JSON.parse(JSON.stringify(entries))

describe('a log', () => {
  test('that is written and parsed has the same entries, whatever their texts are', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
        expect(parseLog(writeLog(entries))).toEqual(stored(entries))
      }),
      { numRuns: 300 },
    )
  })

  test('keeps its entries when lines end as on Windows', () => {
    const entries: readonly LogEntry[] = [{ type: 'insight', iteration: 1, text: 'a\nb' }]
    expect(parseLog(writeLog(entries).replaceAll('\n', '\r\n'))).toEqual(entries)
  })

  test('gains nothing from a text that looks like an entry: neither a heading nor a comment of it starts a line', () => {
    const forged = hostile.map((one): LogEntry => ({ type: 'insight', iteration: 1, text: one }))
    const written = writeLog(forged)
    const headings = written.split('\n').filter((line) => line.startsWith('## '))
    expect(headings).toHaveLength(hostile.length)
    const comments = written.split('\n').filter((line) => line.startsWith('<!--'))
    expect(comments).toHaveLength(hostile.length)
    expect(parseLog(written)).toHaveLength(hostile.length)
  })

  test('without entries, or of something else, is refused with the reason', () => {
    expect(parseLog('# Loop log\n\n## Insight\n\n- by hand\n')).toContain('no entry')
    expect(parseLog('# Notes\n')).toContain('does not start with')
    const broken = writeLog([{ type: 'insight', iteration: 1, text: 'a' }]).replace(
      '"type"',
      'type',
    )
    expect(parseLog(broken)).toContain('line 3')
  })

  test('a file that ends in the middle of an entry keeps those before it', () => {
    const entries = [1, 2, 3].map((at): LogEntry => ({ type: 'iteration-complete', iteration: at }))
    const written = writeLog(entries)
    const cut = written.slice(0, written.lastIndexOf('## ') + 10)
    expect(parseLog(cut)).toEqual(entries.slice(0, 2))
  })
})

test('the record goes up to the last complete iteration', () => {
  const trail = toTrail([
    { type: 'hypothesis', iteration: 0, statement: 'x', prediction: 'y', improves: [] },
    { type: 'hypothesis', iteration: 1, statement: 'a', prediction: 'b', improves: ['c'] },
    { type: 'iteration-complete', iteration: 1 },
    { type: 'hypothesis', iteration: 2, statement: 'd', prediction: 'e', improves: [] },
  ])
  expect(trail).toMatchObject([
    { iteration: 1, hypothesis: { statement: 'a', prediction: 'b', improves: ['c'] } },
  ])
})
