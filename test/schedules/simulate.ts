/** Lets a schedule run for simulated years while its daemon is killed, stopped and restarted, and its clock jumps. */

import { addEntry, toRules } from '../../src/daemon/schedules/book.ts'
import { firstState } from '../../src/daemon/schedules/rules/due.ts'
import type { ScheduleDefinition } from '../../src/daemon/schedules/rules/schedule.ts'
import { createMemoryStore } from '../../src/testing/index.ts'
import {
  type KillPoint,
  type SimulatedDaemon,
  startDaemon,
  type World,
} from './simulated-daemon.ts'

/** Something that happens at a moment in real time. */
export type Trouble = { readonly atMs: number } & (
  | { readonly type: 'down'; readonly ms: number }
  | { readonly type: 'jump'; readonly ms: number }
)

export interface Story {
  readonly cadence: string
  readonly timeZone: string
  readonly fromMs: number
  readonly toMs: number
  readonly fromNext: boolean
  readonly troubles: readonly Trouble[]
  /** While the n-th tick is handled, the process is killed here, and is down for this long. */
  readonly kills: ReadonlyMap<number, { readonly point: KillPoint; readonly downMs: number }>
  /** How long the run of a tick takes. */
  runMs(tick: string): number
}

/** A run that was started. */
export interface Started {
  readonly tick: string
  /** By the clock. */
  readonly atMs: number
}

export interface Told {
  readonly started: readonly Started[]
  /** How many ticks were handled, in any way. */
  readonly handled: number
}

export const scheduleFor = ({
  cadence,
  timeZone,
}: Pick<Story, 'cadence' | 'timeZone'>): ScheduleDefinition => ({
  file: '/loop.yaml',
  loop: 'loop',
  trigger: { type: 'time', cadence },
  timeZone,
  always: true,
  caps: {},
  alertAfter: 3,
  by: 'ann',
})

export async function simulate(story: Story): Promise<Told> {
  const store = createMemoryStore()
  let handled = 0
  let downMs = 0
  const world: World = {
    trueMs: story.fromMs,
    skewMs: 0,
    runs: new Map(),
    schedules: store.schedules,
    plan: (tick) => ({ ms: story.runMs(tick), outcome: 'completed' }),
    kill() {
      handled += 1
      const kill = story.kills.get(handled)
      downMs = kill?.downMs ?? 0
      return kill?.point
    },
  }
  const definition = scheduleFor(story)
  const nowMs = story.fromMs
  const state = firstState(toRules(definition, nowMs), { nowMs, fromNext: story.fromNext })
  await addEntry(world.schedules, { name: 'one', definition, state, createdAtMs: nowMs })
  let daemon: SimulatedDaemon | undefined = await startDaemon(world)
  /** While it is down. */
  let startsAtMs = Infinity
  const troubles = [...story.troubles]
  for (;;) {
    if (daemon !== undefined && !(await daemon.step())) {
      daemon = undefined
      startsAtMs = world.trueMs + downMs
    }
    const dueMs = (daemon?.nextAtMs() ?? Infinity) - world.skewMs
    const endMs = Math.min(...ends(world))
    const [trouble] = troubles
    const nextMs = Math.min(dueMs, endMs, trouble?.atMs ?? Infinity, startsAtMs)
    if (nextMs > story.toMs) break
    world.trueMs = Math.max(world.trueMs, nextMs)
    if (trouble !== undefined && trouble.atMs <= world.trueMs) {
      troubles.shift()
      if (trouble.type === 'jump') world.skewMs += trouble.ms
      else if (daemon !== undefined) {
        daemon = undefined
        startsAtMs = world.trueMs + trouble.ms
      }
    }
    if (startsAtMs <= world.trueMs) {
      startsAtMs = Infinity
      daemon = await startDaemon(world)
    }
  }
  await store.close()
  const started = [...world.runs.values()].map(({ tick, atMs }) => ({ tick, atMs }))
  return { started, handled }
}

/** When runs end that have not. */
const ends = ({ runs, trueMs }: World): readonly number[] => {
  const last = [...runs.values()].at(-1)
  return last !== undefined && last.endsAtMs > trueMs ? [last.endsAtMs] : []
}
