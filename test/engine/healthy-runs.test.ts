// 200 journals of healthy runs (test/healthy-runs), replayed: no trigger fires after any of their iterations. The triggers that
// fire on their own examples are in escalation.test.ts.

import { expect, test } from 'vitest'
import {
  decide,
  defaultThresholds,
  evolve,
  findFileTriggers,
  findTriggers,
  initialState,
  type Met,
  type RunState,
} from '../../src/loop/index.ts'
import { type Journal, readJournals } from '../healthy-runs/journals.ts'
import { runScripted } from '../healthy-runs/scripted-runs.ts'
import { share } from '../share.ts'

interface Replayed {
  readonly iterations: number
  readonly outcome: string | undefined
  readonly questions: number
  readonly fired: readonly string[]
}

/** As the engine does it after each iteration. */
function replay({ name, events }: Journal): Replayed {
  let state: RunState = initialState
  const fired: string[] = []
  for (const recorded of events) {
    state = evolve(state, recorded)
    const { event } = recorded
    if (event.type !== 'iteration-ended' || state.attempts.last === undefined) continue
    const limits = { ...defaultThresholds, stuck: findStuck(state, recorded.atMs) }
    const triggers = [
      ...findTriggers(state, event.ending, limits),
      ...findFileTriggers(state.attempts, limits),
    ]
    fired.push(...triggers.map((trigger) => `${name} ${event.iteration}: ${trigger.name}`))
  }
  const { iteration: iterations, outcome, attention } = state
  return { iterations, outcome: outcome?.type, questions: attention.questions, fired }
}

function findStuck(state: RunState, nowMs: number): Met | undefined {
  const command = decide(state, nowMs)
  if (command.type !== 'finish' || command.outcome.type !== 'stuck') return undefined
  return { condition: command.outcome.condition, ends: 'stuck', detail: command.outcome.detail }
}

const journals = readJournals()

test('no trigger fires on 200 healthy runs', () => {
  expect(journals).toHaveLength(200)
  expect(new Set(journals.map(({ name }) => name)).size).toBe(200)
  const replayed = journals.map(replay)
  expect(replayed.flatMap(({ fired }) => fired)).toEqual([])
  for (const { outcome, questions } of replayed)
    expect([outcome, questions]).toEqual(['completed', 0])
  const iterations = replayed.map((one) => one.iterations)
  expect(Math.max(...iterations)).toBe(50)
  expect(iterations.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(3000)
})

test('30 of them are runs of repair, without names of the machine that made them', () => {
  const repairs = journals.filter(({ name }) => name.startsWith('repair'))
  expect(repairs).toHaveLength(30)
  for (const { events } of repairs) {
    expect(JSON.stringify(events)).not.toMatch(/\/(tmp|home|root|usr)\b/)
    const ended = events.flatMap(({ event }) => (event.type === 'iteration-ended' ? [event] : []))
    expect(ended.at(-1)?.measure).toMatchObject({ met: ['test'], unmet: [], files: 1 })
  }
})

test('the same journal with its progress taken away fires', () => {
  const longest = journals.toSorted((a, b) => b.events.length - a.events.length)[0]
  const events = (longest?.events ?? []).map((recorded) => {
    const { event } = recorded
    if (event.type !== 'iteration-ended' || event.measure === undefined) return recorded
    const tests = { passed: 1, failed: 3, skipped: 0 }
    return { ...recorded, event: { ...event, measure: { ...event.measure, tests } } }
  })
  const { fired } = replay({ name: 'broken', events })
  expect(fired.join()).toContain('no-improvement')
  expect(fired.join()).toContain('verification-attempts')
})

const compared = share(170, 10)

test(`${compared} of the scripted runs are as their seeds make them today`, async () => {
  const measuresOf = ({ events }: Pick<Journal, 'events'>): readonly unknown[] =>
    events.flatMap(({ event }) =>
      event.type === 'iteration-ended' ? [[event.ending.type, event.measure]] : [],
    )
  for (let seed = 1; seed <= compared; seed++) {
    const kept = journals.find(({ name }) => name === `scripted ${seed}`) ?? { events: [] }
    expect(measuresOf({ events: await runScripted(seed) })).toEqual(measuresOf(kept))
  }
})
