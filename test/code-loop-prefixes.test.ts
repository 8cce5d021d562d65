/**
 * E2 by exhaustion, across a process boundary: for every moment of a run's journal, another world
 * in which only that much happened is driven to its end by the loop's own process.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../src/engine/index.ts'
import type { RecordedEvent } from '../src/loop/index.ts'
import { loopText, open, typeOf, writeLoop } from './code-loop-fixture.ts'
import { createWorld, moments, stepResults, worldAfter } from './engine/fixture.ts'
import { newFolder } from './host-fixture.ts'

/** Nested branches that share a list, beside a step that is not awaited. */
const textFor = (log: string): string =>
  loopText(
    `
  const order: string[] = []
  const step = async (at: any, name: string, ms: number) => {
    const value = await at.step(name, async () => {
      appendFileSync(log, it.number + ' ' + name + '\\n')
      await new Promise((resolve) => setTimeout(resolve, ms))
      return name
    }, { readOnly: true })
    // What is done with one result is done before the next comes, however often it waits.
    for (let turns = ms * 3; turns > 0; turns--) await null
    order.push(value)
  }
  await step(it, 'begin', 0)
  void step(it, 'beside', 6)
  await it.parallel({
    slow: async (branch: any) => { await step(branch, 'slow-1', 8); await step(branch, 'slow-2', 1) },
    quick: async (branch: any) => { for (const n of [1, 2, 3]) await step(branch, 'quick-' + n, 2) },
    deep: (branch: any) => branch.parallel({
      left: (leaf: any) => step(leaf, 'left', 3),
      right: (leaf: any) => step(leaf, 'right', 1),
    }),
  })
  try {
    await it.step('fails', () => { throw new FaultError({ code: 'conflict', message: 'no', retryable: false }) })
  } catch (error: any) { order.push(error.fault.code) }
  await it.sleep('nap', 2)
  const { bytes } = await it.artifact('order', 'kept')
  await step(it, 'end', 0)
  return { trips: [...(context.previous?.trips ?? []), { order, bytes }] }
`,
    '',
    `import { appendFileSync } from 'node:fs'; const log = ${JSON.stringify(log)}`,
  ).replace('iterations: 1', 'iterations: 2')

interface Progress {
  readonly trips: readonly { readonly order: readonly string[]; readonly bytes: number }[]
}

/** The code saw what the journal says, in that order. */
function expectJournaledOrder(events: readonly RecordedEvent[], progress: unknown): void {
  const { trips } = progress as Progress
  for (const [index, trip] of trips.entries()) {
    const done = events.flatMap(({ event }) => {
      if (event.type === 'step-failed' && event.iteration === index + 1) return ['conflict']
      if (event.type !== 'step-finished' || event.iteration !== index + 1) return []
      const name = event.step.replace(/^.*\//, '').replace(/#1$/, '')
      return name.includes(':') ? [] : [name]
    })
    expect(trip).toEqual({ order: done, bytes: 4 })
  }
}

test('E2: from any prefix of its journal a code loop ends as if it had not been interrupted', async () => {
  const log = join(newFolder(), 'log')
  const loop = await open(writeLoop({ 'loop.ts': textFor(log) }))
  const world = createWorld({ clock: systemClock })
  const run = await world.start(typeOf(loop))
  await world.drive(run, typeOf(loop))
  const events = await world.events(run)
  const expected = await world.state(run)
  expect(expected.outcome).toMatchObject({ type: 'exhausted' })
  expectJournaledOrder(events, expected.progress)
  expect(moments(events).length).toBeGreaterThan(50)
  for (const count of moments(events)) {
    const later = await worldAfter(events, count, { blobs: world.blobs, clock: systemClock })
    writeFileSync(log, '')
    await later.drive(run, typeOf(loop))
    const state = await later.state(run)
    const after = await later.events(run)
    expect(state.outcome).toEqual(expected.outcome)
    expect(state.iteration).toBe(2)
    expect(stepResults(after)).toEqual(stepResults(events))
    expectJournaledOrder(after, state.progress)
    const done = stepResults(events.slice(0, count))
    const names = [...done.keys()].map((id) => id.replace(/\S*\//, '').replace(/#1$/, ''))
    const ran = readFileSync(log, 'utf8').split('\n')
    expect(ran.filter((id) => names.includes(id))).toEqual([])
  }
})
