// --continue: a loop goes on from the log of an earlier one, also on another machine.

import { expect, test } from 'vitest'
import { parseLog } from '../../../src/loops/tune/report/parse-log.ts'
import type { TuneSettings } from '../../../src/loops/tune/tune-session.ts'
import type { TuneState } from '../../../src/loops/tune/tune-state.ts'
import { createTuneStory, documentsIn, easy, type FakeWorkload, manifestOf } from './fixture.ts'

async function play(
  workload: FakeWorkload,
  input: object = {},
  settings: Partial<TuneSettings> = {},
) {
  const { story } = createTuneStory(workload, settings, undefined, { waitMsMax: 0 }, input)
  const { world, loop, input: given, tasks } = await story
  const run = await world.start(loop, { input: given as never })
  await world.finish(run, loop)
  const { progress, outcome } = await world.state(run)
  const state = progress as unknown as TuneState
  return { state, outcome, tasks, documents: documentsIn(await world.events(run)) }
}

/** One knob helps in the first loop; the other one is left for the second. */
const two: FakeWorkload = {
  ...easy,
  run: (rules, id) =>
    (rules.includes('x=3') && 'abc'.includes(id)) || (rules.includes('y=on') && 'def'.includes(id))
      ? 'good'
      : 'bad',
  manifest: { maxIterations: 1 },
}

const ended = (state: TuneState) => {
  if (state.phase !== 'ended') throw new Error(JSON.stringify(state).slice(0, 800))
  return state
}

test('it goes on at N+1, measures again what was kept, and skips the calibration that passed', async () => {
  const first = await play(two, {}, { mode: 'precision', apply: 'never' })
  const before = ended(first.state)
  expect(before.incumbent.passing).toHaveLength(3)
  const text = first.documents.get('LOOP_LOG.md') ?? ''
  const second = await play(
    two,
    { log: { path: 'LOOP_LOG.md', text } },
    { mode: 'precision', apply: 'never' },
  )
  const after = ended(second.state)
  expect(second.tasks.filter(({ repeat = 0 }) => repeat > 50_000 && repeat < 60_000)).toEqual([])
  const [one, again, next] = after.trail.map(({ iteration }) => iteration)
  expect([one, again, next]).toEqual([1, 2, 3])
  expect(after.trail.slice(0, 2).map(({ hypothesis }) => hypothesis)).toEqual(
    before.trail.map(({ hypothesis }) => hypothesis),
  )
  const measured = after.trail[2]?.measured?.options.map(({ option }) => option.id)
  expect(measured).toEqual(['2.kept'])
  expect(after.baseline.passing).toEqual([])
  // The scores of the other machine are not used.
  expect(after.trail[2]?.best.gain?.delta).toBeCloseTo(0.5)
})

test('its log has the earlier one, so it can be continued again', async () => {
  const settings = { mode: 'precision', apply: 'never' } as const
  const first = await play(two, {}, settings)
  const text = first.documents.get('LOOP_LOG.md') ?? ''
  const second = await play(two, { log: { path: 'LOOP_LOG.md', text } }, settings)
  const longer = second.documents.get('LOOP_LOG.md') ?? ''
  const entries = parseLog(longer)
  const before = parseLog(text)
  if (typeof entries === 'string' || typeof before === 'string') throw new Error('no log')
  expect(entries.slice(0, before.length)).toEqual(before)
  const third = await play(two, { log: { path: 'LOOP_LOG.md', text: longer } }, settings)
  const numbers = ended(third.state).trail.map(({ iteration }) => iteration)
  expect(numbers).toEqual(numbers.map((_one, at) => at + 1))
  expect(numbers.length).toBeGreaterThan(ended(second.state).trail.length)
})

test('an answers file answers again in the loop that continues', async () => {
  const answers = { path: 'a', text: 'gate iteration: proceed to synthesis\n' }
  const first = await play(two, { answers }, { apply: 'never' })
  const text = first.documents.get('LOOP_LOG.md') ?? ''
  const second = await play(two, { log: { path: 'x', text }, answers }, { apply: 'never' })
  const asked = second.state.log.flatMap((entry) =>
    entry.type === 'interaction' ? [entry.by] : [],
  )
  expect(asked).toEqual(['the answers file, in an earlier run', 'the answers file'])
})

test.each([
  ['{"type":"edit-applied","iteration":1}'],
  ['{"type":"iteration-complete","iteration":1e9}'],
  ['{"type":"plan","plan":{"focus":5},"by":"person"}'],
  ['{"type":"unknown"}'],
  ['[]'],
  ['null'],
])('an entry that is not one is refused: %s', async (entry) => {
  const text = `# Loop log\n\n## X\n\n<!-- loop-entry ${entry} -->\n`
  const { outcome, tasks } = await play(two, { log: { path: 'LOOP_LOG.md', text } })
  expect(JSON.stringify(outcome)).toContain('cannot be read')
  expect(tasks).toEqual([])
})

test('another manifest is calibrated again', async () => {
  const first = await play(two, {}, { apply: 'never' })
  const text = first.documents.get('LOOP_LOG.md') ?? ''
  const changed = manifestOf({ manifest: { ...two.manifest, repeats: { baseline: 3, proof: 2 } } })
  const second = await play(
    two,
    { log: { path: 'x', text }, manifest: { path: 'loop.manifest.json', text: changed } },
    { apply: 'never' },
  )
  expect(second.tasks.some(({ repeat = 0 }) => repeat > 50_000 && repeat < 60_000)).toBe(true)
})

test('it asks for the manifest where the log alone is known', async () => {
  const first = await play(two, {}, { apply: 'never' })
  const text = first.documents.get('LOOP_LOG.md') ?? ''
  const second = await play(
    two,
    {
      log: { path: 'LOOP_LOG.md', text },
      manifest: '',
      answers: { path: 'a', text: 'manifest: loop.manifest.json\n' },
    },
    { apply: 'never' },
  )
  expect(ended(second.state).workload.manifestPath).toBe('loop.manifest.json')
  const missing = await play(
    two,
    {
      log: { path: 'LOOP_LOG.md', text },
      manifest: '',
      answers: { path: 'a', text: 'manifest: other.json\n' },
    },
    { apply: 'never' },
  )
  expect(JSON.stringify(missing.outcome)).toContain('there is no manifest other.json')
})

test('a log that no loop wrote is refused with the reason', async () => {
  const { outcome, tasks } = await play(two, { log: { path: 'notes.md', text: '# Notes\n' } })
  expect(JSON.stringify(outcome)).toContain('notes.md: it does not start with')
  expect(tasks).toEqual([])
})
