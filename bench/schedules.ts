/** What 1,000 schedules cost a daemon that has nothing to do, and what one tick costs besides its run. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addEntry, openBook, toRules } from '#src/daemon/schedules/book.ts'
import { createDriver } from '#src/daemon/schedules/driver.ts'
import { firstState } from '#src/daemon/schedules/rules/due.ts'
import type { ScheduleDefinition } from '#src/daemon/schedules/rules/schedule.ts'
import type { Store } from '#src/engine/index.ts'
import { openStore } from '#src/journal/index.ts'
import type { ScheduleTrigger } from '#src/protocol/api/index.ts'
import { startBenchDaemon } from './bench-daemon.ts'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const count = 1000
const watchedMs = 30_000
const ticksPerSecond = 100

export const schedulesIdle: Suite = {
  area: 'schedules',
  title: `${count} schedules that wait, as a share of one core`,
  async run({ scale, note }) {
    return withFolder(async (folder) => {
      const ms = Math.max(5000, watchedMs * scale)
      const without = await idleShare(join(folder, 'without'), ms, 0)
      const with1000 = await idleShare(join(folder, 'with'), ms, count)
      note(`  ${without.toFixed(2)} % without schedules, ${with1000.toFixed(2)} % with ${count}`)
      const more = Math.max(0, with1000 - without)
      return [atMost('schedules.idle', more, 1, '% of a core')]
    })
  },
}

export const scheduleTick: Suite = {
  area: 'schedules',
  title: 'one tick, without its run: decided and recorded in SQLite',
  async run({ scale }) {
    return withFolder(async (folder) => {
      const store = openStore({ path: join(folder, 'journal.db') })
      await addSchedules(store, 1, () => ({ type: 'time', cadence: 'every 1s' }))
      const took = await driveTicks(store, Math.max(100, Math.round(2000 * scale)))
      await store.close()
      return [atMost('schedules.tick', median(took), 10, 'ms')]
    })
  },
}

/** In percent, over some seconds in which nothing is due. */
async function idleShare(state: string, ms: number, schedules: number): Promise<number> {
  const first = await startBenchDaemon(state)
  await first.stop()
  const store = openStore({ path: join(state, 'journal.db') })
  const watched = join(state, 'watched.txt')
  writeFileSync(watched, 'x')
  await addSchedules(store, schedules, (number) => triggerOf(number, watched))
  await store.close()
  const daemon = await startBenchDaemon(state)
  await sleep(3000)
  const before = cpuMs(daemon.pid)
  await sleep(ms)
  const used = cpuMs(daemon.pid) - before
  await daemon.stop()
  return (used / ms) * 100
}

/** Most are due by time, some after events. */
function triggerOf(number: number, path: string): ScheduleTrigger {
  if (number % 10 === 0) return { type: 'file', path }
  if (number % 10 === 1) return { type: 'run', loop: 'other', outcomes: [] }
  if (number % 10 === 2) return { type: 'webhook' }
  return { type: 'time', cadence: number % 2 === 0 ? 'weekly sun 02:30' : '0 3 1 1 *' }
}

async function addSchedules(
  { schedules }: Store,
  many: number,
  trigger: (number: number) => ScheduleTrigger,
): Promise<void> {
  const nowMs = Date.now()
  for (let number = 0; number < many; number++) {
    const definition: ScheduleDefinition = {
      file: '/loop.yaml',
      loop: 'loop',
      trigger: trigger(number),
      timeZone: 'Europe/Berlin',
      always: false,
      caps: {},
      alertAfter: 3,
      by: 'bench',
    }
    const state = firstState(toRules(definition, nowMs), { nowMs, fromNext: true })
    const seen = { ...state, seen: '0' }
    await addEntry(schedules, { name: `s${number}`, definition, state: seen, createdAtMs: nowMs })
  }
}

/** How long each took, in milliseconds. */
async function driveTicks(store: Store, ticks: number): Promise<readonly number[]> {
  let nowMs = Date.now()
  const book = await openBook(store.schedules)
  const reserved = { tokens: 0, costMicros: 0 }
  const driver = createDriver({
    book,
    now: () => nowMs,
    begin: async (_entry, { tick }) => ({
      type: 'started',
      run: tick,
      name: tick,
      atMs: nowMs,
      reserved,
    }),
    findEnd: async () => ({ outcome: 'completed' }),
    findEnded: async () => ({ position: 1, runs: [] }),
    look: async () => undefined,
    onTick: () => undefined,
    onAlert: () => undefined,
    onProblem(_entry, text) {
      throw new Error(text)
    },
  })
  const took: number[] = []
  for (let tick = 0; tick < ticks; tick++) {
    nowMs += 1000
    const startMs = performance.now()
    await driver.step()
    took.push(performance.now() - startMs)
  }
  await driver.close()
  return took
}

/** User and system time of a process. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
