import { describe, expect, test } from 'vitest'
import { type Amount, remaining } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

const tokens = (count: number): Amount => ({ tokens: count, costMicros: 0 })

describe('reservations inside a step', () => {
  test('are durable before the call is made, and settled with its actual cost', async () => {
    const world = createWorld()
    const left: number[] = []
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('agent', async ({ reserve }) => {
        for (const real of [5, 8]) {
          const reservation = await reserve(tokens(20))
          left.push(remaining(await world.state(run)).tokens)
          await reservation.settle(tokens(real))
        }
      })
      return null
    })
    const run = await world.start(loop, { limits: { tokens: 100 } })
    await world.finish(run, loop)
    expect(left).toEqual([80, 75])
    expect((await world.state(run)).spent).toEqual(tokens(13))
  })

  test('that are left open are charged, and one settled twice is charged once', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('agent', async ({ reserve }) => {
        await reserve(tokens(20))
        const second = await reserve(tokens(30))
        await second.settle(tokens(1))
        await second.settle(tokens(1))
      })
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).spent).toEqual(tokens(21))
  })

  test('are refused if they do not fit, and the step may continue without', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) =>
      it.step('agent', async ({ reserve }) => {
        const large = await reserve(tokens(200)).catch(() => undefined)
        if (large !== undefined) return 'spent too much'
        await (await reserve(tokens(50))).settle(tokens(50))
        return 'made do'
      }),
    )
    const run = await world.start(loop, { limits: { tokens: 100 } })
    await world.finish(run, loop)
    expect(await world.state(run)).toMatchObject({ progress: 'made do', spent: tokens(50) })
  })
})
