/** Many schedules that are due at the same moment, on a daemon that is killed again and again. */

import { expect, test } from 'vitest'
import { addEntry, toRules } from '../../src/daemon/schedules/book.ts'
import { firstState } from '../../src/daemon/schedules/rules/due.ts'
import { createMemoryStore } from '../../src/testing/index.ts'
import { share } from '../share.ts'
import { scheduleFor } from './simulate.ts'
import { type KillPoint, type SimulatedRun, startDaemon, type World } from './simulated-daemon.ts'
import { zones } from './stories.ts'

const hourMs = 3_600_000
const fromMs = Date.parse('2026-03-27T00:00:00Z')
const hours = share(48, 5)
const points: readonly KillPoint[] = ['before-create', 'after-create', 'after-record']

test('200 schedules at once: each starts one run an hour, wherever the daemon is killed', async () => {
  const store = createMemoryStore()
  let handled = 0
  const world: World = {
    trueMs: fromMs,
    skewMs: 0,
    runs: new Map(),
    schedules: store.schedules,
    plan: () => ({ ms: hourMs / 2, outcome: 'completed' }),
    kill() {
      handled += 1
      return handled % 97 === 0 ? points[(handled / 97) % 3] : undefined
    },
  }
  const names = Array.from({ length: 200 }, (_, number) => `s${number}`)
  for (const [index, name] of names.entries()) {
    const timeZone = zones[index % 2] ?? 'UTC'
    const definition = scheduleFor({ cadence: '0 * * * *', timeZone })
    const rules = toRules(definition, fromMs)
    const state = firstState(rules, { nowMs: fromMs, fromNext: true })
    await addEntry(world.schedules, { name, definition, state, createdAtMs: fromMs })
  }
  let daemon = await startDaemon(world)
  let kills = 0
  for (let half = 1; half <= 2 * hours + 1; half++) {
    world.trueMs = fromMs + (half * hourMs) / 2
    while (!(await daemon.step())) {
      kills += 1
      daemon = await startDaemon(world)
    }
  }
  const ids = (await store.schedules.list()).map(({ id }) => id)
  const started = groupByOwner([...world.runs.values()])
  const expected = Array.from(
    { length: hours },
    (_, hour) => `time:${fromMs + (hour + 1) * hourMs}`,
  )
  for (const id of ids) expect(started.get(id)?.map(({ tick }) => tick)).toEqual(expected)
  expect(kills).toBeGreaterThan(hours)
  for (const id of ids) {
    const ticks = await store.schedules.ticks(id, 500)
    expect(ticks).toHaveLength(hours)
  }
  await store.close()
})

function groupByOwner(runs: readonly SimulatedRun[]): ReadonlyMap<string, readonly SimulatedRun[]> {
  const groups = new Map<string, SimulatedRun[]>()
  for (const run of runs) {
    const [owner = ''] = run.key.split(':')
    const group = groups.get(owner) ?? []
    group.push(run)
    groups.set(owner, group)
  }
  return groups
}
