/**
 * Schedules that follow runs: the end of a run is a fact that each of them consumes once, whatever happens in that moment.
 * E10.
 */

import { afterEach, describe, expect, test } from 'vitest'
import { chainMax } from '../../src/daemon/schedules/rules/events.ts'
import type { ScheduleState } from '../../src/daemon/schedules/rules/schedule.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { share } from '../share.ts'
import { createEndsWorld, type EndsOptions, type EndsWorld } from './ends-world.ts'

const worlds: EndsWorld[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

const calm: EndsOptions = { random: seededRandom(1), trouble: 0 }

function open(options: EndsOptions = calm): EndsWorld {
  const world = createEndsWorld(options)
  worlds.push(world)
  return world
}

const stateOf = async ({ schedules }: EndsWorld, name: string): Promise<ScheduleState> =>
  (await schedules.find(name)).state as unknown as ScheduleState

const runsOf = ({ runs }: EndsWorld, name: string): readonly string[] =>
  [...runs.values()].filter(({ loop }) => loop === name).map(({ tick }) => tick)

describe('the end of a run starts the next', () => {
  test('if it comes while its own schedule is busy with something else', async () => {
    const world = open()
    await world.follow('a', 'outside')
    world.endOutside('outside')
    await world.step()
    expect(runsOf(world, 'a')).toHaveLength(1)
    const [handled, stepped] = [world.handle('a'), world.step()]
    world.endAny()
    world.endOutside('outside')
    await Promise.all([handled, stepped])
    expect(await world.settle()).toBe(true)
    expect(runsOf(world, 'a')).toHaveLength(2)
    expect((await stateOf(world, 'a')).running).toBeUndefined()
  })

  test('if its process is killed before anything of it is read', async () => {
    const world = open()
    await world.follow('a', 'outside')
    await world.step()
    world.endOutside('outside')
    world.kill()
    expect(await world.settle()).toBe(true)
    expect(runsOf(world, 'a')).toHaveLength(1)
  })

  test('if two of them end before one step: one run, and both are counted', async () => {
    const world = open()
    await world.follow('a', 'outside')
    await world.step()
    world.endOutside('outside')
    world.endOutside('outside')
    await world.step()
    expect((await stateOf(world, 'a')).last).toMatchObject({ status: 'started', missed: 1 })
    expect(await world.settle()).toBe(true)
    expect(runsOf(world, 'a')).toHaveLength(1)
  })

  test('if it ended between the request for the schedule and its row', async () => {
    const world = open()
    await world.follow('first', 'outside')
    const added = world.follow('late', 'outside')
    world.endOutside('outside')
    await world.step()
    await added
    expect(await world.settle()).toBe(true)
    expect(runsOf(world, 'late')).toHaveLength(1)
  })

  test(`at most ${chainMax} times in a row, if a loop follows itself`, async () => {
    const world = open()
    await world.follow('self', 'self')
    world.endOutside('self')
    expect(await world.settle()).toBe(true)
    expect(runsOf(world, 'self')).toHaveLength(chainMax)
    expect((await stateOf(world, 'self')).last).toMatchObject({ code: 'chain' })
  })
})

const seeds = share(3000, 60)

const follows = [
  ['a', 'outside'],
  ['b', 'a'],
  ['late', 'outside'],
] as const

/** Steps, requests and ends at the same time, then nothing more. */
async function play(seed: number): Promise<EndsWorld> {
  const random = seededRandom(seed)
  const world = open({ random, trouble: random.pick([0.05, 0.2, 0.5]) })
  await world.follow('a', 'outside')
  for (let steps = 0; steps < 12; steps++) {
    if (steps === 3) await world.follow('b', 'a')
    const work = [world.step()]
    if (random.chance(0.5)) work.push(world.handle('a'))
    if (random.chance(0.5)) world.endAny()
    if (steps === 6) await world.follow('late', 'outside')
    await Promise.all(work)
  }
  world.endOutside('outside')
  expect({ seed, isAtRest: await world.settle() }).toEqual({ seed, isAtRest: true })
  return world
}

test(`no end is lost and none counts twice, in ${seeds} interleavings with kills`, async () => {
  let kills = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const world = await play(seed)
    for (const [name, loop] of follows) {
      const followed = world.ends.filter((end) => end.loop === loop)
      const started = [...world.runs.values()].filter((run) => run.loop === name)
      const lastEndedAt = followed.at(-1)?.endedAt ?? 0
      const known = new Set(followed.map(({ tick }) => tick))
      const ticks = new Set(started.map(({ tick }) => tick))
      const { running, waiting } = await stateOf(world, name)
      const found = {
        isHandled: started.some(({ startedAt }) => startedAt > lastEndedAt),
        isOnce: ticks.size === started.length && [...ticks].every((tick) => known.has(tick)),
        running,
        waiting,
      }
      const expected = { isHandled: true, isOnce: true, running: undefined, waiting: undefined }
      expect({ seed, name, ...found }).toEqual({ seed, name, ...expected })
    }
    kills += world.kills
    worlds.length = 0
    await world.close()
  }
  expect(kills).toBeGreaterThan(seeds / 3)
})
