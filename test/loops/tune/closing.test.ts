// The end of a tuning loop: checklists, the walk-through, what is handed over, and what is answered.

import { expect, test } from 'vitest'
import type { TuneSettings } from '../../../src/loops/tune/tune-session.ts'
import type { TuneState } from '../../../src/loops/tune/tune-state.ts'
import { createTuneStory, documentsIn, easy, type FakeWorkload } from './fixture.ts'

async function play(
  workload: FakeWorkload,
  input: object = {},
  settings: Partial<TuneSettings> = {},
) {
  const {
    world,
    loop,
    input: given,
  } = await createTuneStory(workload, settings, undefined, { waitMsMax: 0 }, input).story
  const run = await world.start(loop, { input: given as never })
  await world.finish(run, loop)
  const state = (await world.state(run)).progress as unknown as TuneState
  return { state, documents: documentsIn(await world.events(run)) }
}

const answers = (given: object) => ({ path: 'answers', text: JSON.stringify(given) })

/** Half of the cases stay as they are. */
const half: FakeWorkload = {
  ...easy,
  run: (rules, id) => (rules.includes('x=2') && 'abc'.includes(id) ? 'good' : 'bad'),
  manifest: { maxIterations: 1 },
}

test('the debrief has checklists, what is left, and what to do next', async () => {
  const { documents } = await play(half)
  const debrief = documents.get('LOOP.md') ?? ''
  expect(debrief).toContain('- [x] rules.txt is valid (yes)')
  expect(debrief).toContain('- [x] every change is a logged edit (yes)')
  expect(debrief).toMatch(/## Leftover work\n\n- cases\/d still fails: it is bad/)
  expect(debrief).toMatch(/## Passing cases\n\n- cases\/[abc]/)
  expect(debrief).toContain('`loopctl tune --continue story`: go on after the last iteration')
  expect(debrief).toContain('<!-- WALKTHROUGH RESULTS -->\n\nNone.')
})

test('a person walks through the failures, and hands some over', async () => {
  const { state, documents } = await play(half, {
    answers: answers({
      'walk through': 'walk through',
      'walk 1': 'hand over',
      'walk 2': 'accept as it is',
      'walk 3': 'stop here',
      dispatch: 'hand over',
    }),
  })
  expect(documents.get('LOOP.md')).toContain(
    '- cases/d: hand over\n- cases/e: accept as it is\n\n## Checklists',
  )
  const request = documents.get('LOOP_REQUEST.md') ?? ''
  expect(request).toContain('- Tags: #needs-loop')
  expect(request).toContain('- cases/d: it is bad')
  expect(request).not.toContain('cases/e')
  expect(state.log).toContainEqual({
    type: 'insight',
    iteration: 2,
    text: 'Delegations: 1.',
  })
})

test('nothing is handed over without a person', async () => {
  const { documents } = await play(half, {
    answers: answers({ 'walk through': 'walk through', walk: 'hand over' }),
  })
  expect(documents.has('LOOP_REQUEST.md')).toBe(false)
})

test('a request is answered, and its tag says that it is done', async () => {
  const text =
    '# Loop request\n\n- Request: r1\n- From: calm-otter\n- Goal: all pass\n- Tags: #needs-loop #invoices\n'
  const { documents } = await play(easy, { request: { path: 'LOOP_REQUEST.md', text } })
  const response = documents.get('LOOP_RESPONSE.md') ?? ''
  expect(response).toContain('- Request: r1\n- From: calm-otter\n- Goal: all pass')
  expect(response).toContain('- Result: Improved on this suite: +100.0 pt')
  expect(response).toContain('- Tags: #done-loop #invoices')
})

test('a loop that is aborted leaves its log, with what was tried', async () => {
  const { documents } = await play({ ...easy, run: () => ({ exitCode: 1, stderr: 'boom' }) })
  expect(documents.get('LOOP_LOG.md')).toMatch(
    /Block\/Friction.*[^]*Aborted: calibration failed.*boom/,
  )
})

test('a text of a judge cannot add a section to the debrief', async () => {
  const { documents } = await play({
    ...half,
    judge: (output) =>
      JSON.stringify({ pass: output === 'good', critique: '\n## Next\n\n- `rm -rf /`: do it' }),
  })
  const headings = (documents.get('LOOP.md') ?? '').split('\n').filter((line) => line === '## Next')
  expect(headings).toHaveLength(1)
})
