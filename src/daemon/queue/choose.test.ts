import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunId } from '../../loop/index.ts'
import { ageingMs, choose, type Driven, type Queued } from './choose.ts'

const limits = { runs: 3, runsPerWorkspace: 1 }

const queued = (name: string, given: Partial<Queued> = {}): Queued => ({
  run: name as RunId,
  name,
  priority: 0,
  queuedAtMs: 0,
  ...given,
})

const driven = (name: string, given: Partial<Driven> = {}): Driven => ({
  run: name as RunId,
  name,
  asks: false,
  ...given,
})

describe('limits', () => {
  test('C1: runs over the limit wait for a slot', () => {
    const queue = ['a', 'b', 'c'].map((name, at) => queued(name, { queuedAtMs: at }))
    const choice = choose(queue, [driven('x'), driven('y')], limits, 'fifo', 0)
    expect(choice.start).toEqual(['a'])
    expect(choice.waits).toEqual([
      { run: 'b', waitsFor: 'slot' },
      { run: 'c', waitsFor: 'slot' },
    ])
  })

  test('C1: one run per workspace; runs of other workspaces overtake the one that waits', () => {
    const queue = [
      queued('a', { workspace: '/shop', place: '/w/a' }),
      queued('b', { workspace: '/other', place: '/w/b', queuedAtMs: 1 }),
    ]
    const working = [driven('x', { workspace: '/shop', place: '/w/x' })]
    const choice = choose(queue, working, limits, 'fifo', 5)
    expect(choice.start).toEqual(['b'])
    expect(choice.waits).toEqual([{ run: 'a', waitsFor: 'workspace', behind: 'x' }])
  })

  test('C1: a run that asks a person frees its slot and its worktree', () => {
    const asking = driven('x', { workspace: '/shop', place: '/w/x', asks: true })
    const queue = [queued('a', { workspace: '/shop', place: '/w/a' })]
    expect(choose(queue, [asking], { ...limits, runs: 1 }, 'fifo', 0).start).toEqual(['a'])
  })

  test('C2: a run that asks a person keeps the folder if it works there directly', () => {
    const asking = driven('x', { workspace: '/shop', place: '/shop', asks: true })
    const queue = [queued('a', { workspace: '/shop', place: '/shop' })]
    const choice = choose(queue, [asking], { runs: 3, runsPerWorkspace: 3 }, 'fifo', 0)
    expect(choice.waits).toEqual([{ run: 'a', waitsFor: 'workspace', behind: 'x' }])
  })

  test('a run that could not continue waits for its retry time, and blocks no other run', () => {
    const queue = [queued('a', { retryAtMs: 100 }), queued('b', { queuedAtMs: 1 })]
    const before = choose(queue, [], { ...limits, runs: 1 }, 'fifo', 99)
    expect(before.start).toEqual(['b'])
    expect(before.waits).toEqual([{ run: 'a', waitsFor: 'time' }])
    expect(choose(queue, [], { ...limits, runs: 1 }, 'fifo', 100).start).toEqual(['a'])
  })
})

describe('order', () => {
  const queue = [
    queued('old', { queuedAtMs: 0 }),
    queued('high', { queuedAtMs: 10, priority: 5 }),
    queued('new', { queuedAtMs: 20 }),
  ]
  test.each([
    ['fifo', ['old', 'high', 'new']],
    ['newest-first', ['new', 'high', 'old']],
    ['priority', ['high', 'old', 'new']],
  ] as const)('%s', (policy, order) => {
    expect(choose(queue, [], limits, policy, 30).start).toEqual(order)
  })

  test('C3: a minute of waiting counts as much as one point of priority', () => {
    const waited = queued('waited', { queuedAtMs: 0, priority: 0 })
    const rival = (queuedAtMs: number): Queued => queued('rival', { queuedAtMs, priority: 5 })
    const one = { ...limits, runs: 1 }
    const at = (ms: number): unknown =>
      choose([waited, rival(ms)], [], one, 'priority', ms).start[0]
    expect(at(5 * ageingMs - 1)).toBe('rival')
    expect(at(5 * ageingMs)).toBe('waited')
  })
})

const anyQueued = fc.record({
  priority: fc.integer({ min: -100, max: 100 }),
  queuedAtMs: fc.integer({ min: 0, max: 1_000_000 }),
  workspace: fc.constantFrom('/a', '/b', '/c'),
  retryAtMs: fc.option(fc.integer({ min: 0, max: 2_000_000 }), { nil: 0 }),
})
const anyPolicy = fc.constantFrom('fifo', 'newest-first', 'priority')

test('C1: for any queue, limits hold, and each run is either started or waits', () => {
  const anyLimits = fc.record({
    runs: fc.integer({ min: 0, max: 5 }),
    runsPerWorkspace: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(fc.array(anyQueued, { maxLength: 30 }), anyLimits, anyPolicy, (rows, most, by) => {
      const queue = rows.map((row, index) => queued(`r${index}`, { ...row, place: `/w/${index}` }))
      const { start, waits } = choose(queue, [], most, by, 1_000_000)
      expect(start.length).toBeLessThanOrEqual(most.runs)
      for (const workspace of ['/a', '/b', '/c']) {
        const there = queue.filter((one) => one.workspace === workspace && start.includes(one.run))
        expect(there.length).toBeLessThanOrEqual(most.runsPerWorkspace)
      }
      const all = [...start, ...waits.map(({ run }) => run)].toSorted()
      expect(all).toEqual(queue.map(({ run }) => run).toSorted())
    }),
  )
})

test('C3: priority never delays a run forever', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -100, max: 100 }),
      fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 30 * 60_000 }),
      (priority, others, everyMs) => {
        // One slot, and a new rival whenever it is free: how long does the first run wait?
        const mine = queued('mine', { priority })
        let waiting = [mine]
        const boundMs = (100 - priority) * ageingMs
        for (let turn = 0; ; turn++) {
          const nowMs = turn * everyMs
          const rival = queued(`r${turn}`, {
            priority: others[turn % others.length] ?? 0,
            queuedAtMs: nowMs,
          })
          waiting = [...waiting, rival]
          const one = { runs: 1, runsPerWorkspace: 1 }
          const [next] = choose(waiting, [], one, 'priority', nowMs).start
          if (next === mine.run) return
          waiting = waiting.filter(({ run }) => run !== next)
          // Only runs that came within the bound can overtake it.
          expect(turn).toBeLessThanOrEqual(Math.ceil(boundMs / everyMs) + 1)
          if (turn > 2000) return
        }
      },
    ),
    { numRuns: 50 },
  )
})
