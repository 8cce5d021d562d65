import { expect, test } from 'vitest'
import { driveRun } from '../../src/engine/drive-run.ts'
import { createRun, loadRun, type Ports } from '../../src/engine/index.ts'
import { openDatabase } from '../../src/journal/index.ts'
import { openLocalStore } from '../../src/testing/open-local-store.ts'
import { diskError, watchDatabase } from '../../src/testing/watched-database.ts'
import { createWorld, deferred, idOf, loopOf, until } from './fixture.ts'

/** A world whose journal fails at the k-th commit after it is armed, and then works again. */
function fragileWorld() {
  let left = Number.POSITIVE_INFINITY
  const database = watchDatabase(openDatabase(':memory:', 'FULL'), {
    before(sql) {
      if (sql === 'COMMIT' && --left === 0) throw diskError('EIO', 'commit')
    },
    after: () => undefined,
  })
  const world = createWorld()
  const journal = openLocalStore({ path: ':memory:', database, now: () => world.clock.now() })
  const ports: Ports = { ...world.ports, journal }
  const arm = (failAt: number): void => {
    left = failAt
  }
  return { clock: world.clock, journal, ports, arm, hasFailed: () => left <= 0 }
}

const twoIterations = (ran: string[]) =>
  loopOf<number>(
    async (previous, it) => {
      const first = await it.step('first', () => {
        ran.push(`${it.number} first`)
        return (previous ?? 0) + 1
      })
      const both = await it.parallel({
        left: (branch) =>
          branch.step('left', () => {
            ran.push(`${it.number} left`)
            return first * 10
          }),
        right: (branch) =>
          branch.step('right', () => {
            ran.push(`${it.number} right`)
            return first * 100
          }),
      })
      return both.left + both.right
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )

/** Drives with a failing commit, then once more with a working store. */
async function driveTwice(failAt: number) {
  const { clock, journal, ports, arm, hasFailed } = fragileWorld()
  const run = idOf('0191')
  const ran: string[] = []
  const loop = twoIterations(ran)
  await createRun(loop, ports, { id: run, name: 'run', input: null })
  arm(failAt)
  const drive = () => clock.pass(driveRun(run, loop, ports, { owner: 'me' }))
  const first = await drive().catch((error: unknown) => error)
  const failed = hasFailed()
  arm(Number.POSITIVE_INFINITY)
  const kept = (await journal.read(run)).flatMap(({ event }) =>
    event.type === 'step-finished'
      ? [`${event.iteration} ${event.step.replaceAll(/.*\/|#1/g, '')}`]
      : [],
  )
  const ranBefore = ran.length
  // A lease that could not be released is free when it expires.
  await clock.advance(20_000)
  const end = await drive()
  const repeated = ran.slice(ranBefore).filter((id) => kept.includes(id))
  const { state } = await loadRun(journal, run)
  return { first, end, repeated, progress: state.progress, failed }
}

test('E1: a store that fails at any commit leaves a run that ends as it would have', async () => {
  const whole = await driveTwice(Number.POSITIVE_INFINITY)
  expect(whole).toMatchObject({ first: whole.end, progress: 12_210, failed: false })
  let failures = 0
  for (let failAt = 1; failAt < 100; failAt++) {
    const { end, repeated, progress, failed } = await driveTwice(failAt)
    expect({ end, repeated, progress }).toEqual({ end: whole.end, repeated: [], progress: 12_210 })
    if (!failed) break
    failures++
  }
  expect(failures).toBeGreaterThan(10)
})

test('a second driver of a run is refused immediately, and the first continues', async () => {
  const world = createWorld()
  const hold = deferred()
  let began = 0
  const loop = loopOf<null>(async (_context, it) =>
    it.step('hold', async () => {
      began++
      await hold.promise
      return null
    }),
  )
  const run = await world.start(loop)
  const first = world.drive(run, loop, { owner: 'first' })
  await until(() => began === 1)
  await expect(world.drive(run, loop, { owner: 'second' })).rejects.toMatchObject({
    code: 'run-busy',
  })
  hold.resolve()
  expect((await world.clock.pass(first)).type).toBe('ended')
  expect(began).toBe(1)
})
