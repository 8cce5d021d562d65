// What random loops under crashes found about questions, stops and ends (see proof/simulator): one
// test for each, named after the behavior that holds now.

import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Journal, Ports } from '../../src/engine/index.ts'
import { LoopError } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, memoryWorkspace } from './fixture.ts'

const withJournal = (ports: Ports, change: (journal: Journal) => Partial<Journal>): Ports => ({
  ...ports,
  journal: { ...ports.journal, ...change(ports.journal) },
})

test('E9: a question of a restarted iteration can be answered again', async () => {
  const world = createWorld()
  const stop = new AbortController()
  const make = (version: string) =>
    loopOf<string>(
      async (_context, it) => {
        const { answer } = await it.ask('which', { text: '?', default: version, deadlineMs: 1000 })
        await it.step('stop', () => {
          if (version === 'old') stop.abort()
        })
        await it.step('more', () => undefined)
        return answer
      },
      { version },
    )
  const run = await world.start(make('old'))
  await world.finish(run, make('old'), { signal: stop.signal })
  await world.finish(run, make('new'), { force: true })
  expect(await world.state(run)).toMatchObject({ status: 'exhausted', progress: 'new' })
})

test('E11: a decision that arrives while the end is written neither undoes nor follows it', async () => {
  const world = createWorld()
  const loop = loopOf<null>(async () => null)
  const run = await world.start(loop)
  const ports = withJournal(world.ports, (journal) => ({
    append(lease, unit) {
      if (unit.events.some(({ type }) => type === 'run-ended')) {
        void journal.recordDecision(run, { type: 'cancel', reason: 'late' }, 'ada', 0)
      }
      return journal.append(lease, unit)
    },
  }))
  const late = createWorld(ports)
  expect(await world.clock.pass(late.drive(run, loop))).toMatchObject({ type: 'ended' })
  expect((await world.events(run)).at(-1)?.event.type).toBe('run-ended')
  expect(await world.journal.pendingDecisions(run)).toEqual([])
})

test('E9: a question whose answer another process applied does not block a run that is stopped', async () => {
  const world = createWorld()
  const loop = loopOf<string>(
    async (_context, it) =>
      (await it.ask('which', { text: '?', default: 'a', deadlineMs: 10 })).answer,
  )
  const run = await world.start(loop)
  const ports = withJournal(world.ports, () => ({
    recordDecision: () => Promise.reject(new LoopError('already-answered', 'by somebody else')),
  }))
  const stop = new AbortController()
  const driving = createWorld(ports).drive(run, loop, { signal: stop.signal })
  await world.clock.advance(1000)
  stop.abort()
  expect(await world.clock.pass(driving)).toMatchObject({ type: 'suspended' })
})

test('a stop that arrives while files are read prevents the next iteration from starting', async () => {
  const workspace = memoryWorkspace()
  const look = deferred()
  let looks = 0
  const slow = {
    ...workspace,
    async snapshot() {
      if (++looks === 2) await look.promise
      return workspace.snapshot()
    },
  }
  const world = createWorld({ workspace: slow })
  const loop = loopOf<null>(async () => null, { until: [] })
  const run = await world.start(loop)
  const driving = world.drive(run, loop)
  await world.clock.settle()
  await world.decide(run, { type: 'stop', reason: 'enough' })
  await world.clock.settle()
  look.resolve()
  expect(await world.clock.pass(driving)).toMatchObject({ outcome: { type: 'stopped' } })
  expect((await world.state(run)).iteration).toBe(1)
})

test('a run whose before-run hook is interrupted by a shutdown was not refused', async () => {
  const stop = new AbortController()
  const world = createWorld({
    hooks: [
      {
        name: 'slow',
        points: ['before-run'],
        blocking: true,
        run: () => (stop.signal.aborted ? undefined : new Promise(() => undefined)),
      },
    ],
  })
  const loop = loopOf<null>(async () => null)
  const run = await world.start(loop)
  const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 0 })
  await world.clock.settle()
  stop.abort()
  expect(await world.clock.pass(driving)).toMatchObject({ type: 'suspended' })
  expect(await world.finish(run, loop)).toMatchObject({
    type: 'ended',
    outcome: { type: 'exhausted' },
  })
})

test('many steps in flight at once do not leak listeners', async () => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', note)
  const world = createWorld()
  const loop = loopOf<null>(async (_context, it) => {
    const one = (name: string): Promise<void> =>
      it.step(name, () => world.clock.sleep(10), { readOnly: true, timeoutMs: 1000 })
    await Promise.all(Array.from({ length: 30 }, (_unused, index) => one(`s${index}`)))
    return null
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  await delay(1)
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('E2: a run that is cancelled in the middle of a step records its files', async () => {
  const workspace = memoryWorkspace({ a: '1' })
  const world = createWorld({ workspace })
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('half', async ({ signal }) => {
      workspace.files.set('a', 'half')
      await world.decide(run, { type: 'cancel', reason: 'wrong' })
      await world.clock.sleep(1000, signal)
    })
    return null
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect(await world.state(run)).toMatchObject({
    status: 'cancelled',
    tree: await workspace.snapshot(),
  })
})
