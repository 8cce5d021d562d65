// Rounds whose process is killed at every moment, around the question and the action in particular.

import { describe, expect, test } from 'vitest'
import { allowListGate } from '../../../src/authority/index.ts'
import type { RecordedEvent } from '../../../src/loop/index.ts'
import { type MemoryWorkspace, moments, worldAfter } from '../../engine/fixture.ts'
import { share } from '../../share.ts'
import {
  answer,
  createRound,
  createTestMemory,
  fixSum,
  type RoundStory,
  reportsOf,
  verdict,
} from './round-fixture.ts'

const receipt = { status: 'done', summary: 'created commit abc123' } as const
const gate = allowListGate({ allow: ['commit'] })

const stories: Readonly<Record<string, RoundStory>> = {
  'that only reports': { level: 1 },
  'that acts': { level: 3, gate, maker: fixSum },
  'that a person allows to act': { maker: fixSum, answer: 'allow' },
  'that a person does not allow to act': { maker: fixSum, answer: 'refuse' },
  'whose work is not verified': {
    maker: fixSum,
    checker: ({ token }) => verdict(token, 'fail', 'No.'),
    answer: 'refuse',
  },
  'that fails': { maker: () => ({ status: 'failed', text: 'out of memory' }) },
  'that exceeds its budget': {
    makerUsage: { tokens: 9, costMicros: 0 },
    limits: { tokens: 5 },
  },
}

/** The files according to the last event that names a tree. Undefined: those that it began with. */
function filesAt(
  events: readonly RecordedEvent[],
  trees: MemoryWorkspace['trees'],
): Record<string, string> | undefined {
  const named = events.flatMap(({ event }) =>
    'tree' in event && event.tree !== undefined ? [event.tree] : [],
  )
  const tree = named.at(-1)
  return tree === undefined ? undefined : Object.fromEntries(trees.get(tree) ?? [])
}

const hasActed = (events: readonly RecordedEvent[]): boolean =>
  events.some(({ event }) => event.type === 'step-started' && event.kind === 'action')

describe('killed at any moment and resumed, a round ends as if it had not been:', () => {
  test.each(Object.entries(stories))('one %s', async (_name, story) => {
    const memory = createTestMemory()
    const trees: MemoryWorkspace['trees'] = new Map()
    const first = createRound({ ...story, memory }, trees)
    const { world, loop, workspace, performed } = first
    const run = await world.start(loop, { workspace: '/memory', limits: story.limits ?? {} })
    const answering = story.answer === undefined ? undefined : answer(world, run, story.answer)
    await world.finish(run, loop)
    await answering?.()
    const events = await world.events(run)
    const state = await world.state(run)
    const reports = (await reportsOf(world, run)).map(({ outcome }) => outcome)
    const recorded = memory.recorded.length
    const isWhole = story.answer === 'allow'
    const stride = isWhole ? 1 : share(1, 4)
    const all = moments(events).slice(0, -1)
    for (const moment of all.filter((_one, index) => index % stride === 0)) {
      const past = events.slice(0, moment)
      const find = () => ({ type: 'done', receipt }) as const
      const found = hasActed(past) ? { find } : {}
      const again = createRound({ ...story, memory, ...found }, trees, filesAt(past, trees))
      const { journal: _journal, blobs: _blobs, clock: _clock, ...parts } = again.world.ports
      const other = await worldAfter(events, moment, parts)
      await other.finish(run, again.loop)
      const ended = await other.state(run)
      expect(ended.outcome).toEqual(state.outcome)
      expect((await reportsOf(other, run)).map(({ outcome }) => outcome)).toEqual(reports)
      expect(Object.fromEntries(again.workspace.files)).toEqual(Object.fromEntries(workspace.files))
      // An action that may have happened is looked for, never repeated.
      expect(again.performed).toHaveLength(hasActed(past) ? 0 : performed.length)
      expect(memory.recorded).toHaveLength(recorded)
    }
  })
})
