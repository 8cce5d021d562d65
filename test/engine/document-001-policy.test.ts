// The scenarios of document 001 about limits, with the limits as a policy in Cedar.

import { expect, test } from 'vitest'
import { createPolicy } from '../../src/authority/policy/create-policy.ts'
import type { Policy } from '../../src/engine/index.ts'
import { toIterationEvents } from '../../src/formats/iteration-events.ts'
import { toLoopResult } from '../../src/formats/loop-result.ts'
import type { RunId } from '../../src/loop/index.ts'
import { createWorld, loopOf, type World } from './fixture.ts'

/** As the document writes it: permitted below the limit, forbidden from it on. */
const limitPolicy = (max: number): Promise<Policy> =>
  createPolicy([
    {
      file: `limit-${max}.cedar`,
      mode: 'enforce',
      text: `
        @id("below-${max}") permit (principal, action == Action::"iterate", resource)
        when { context.iteration <= ${max} };
        @id("iteration-limit-${max}") @reason("the limit of ${max} iterations is reached")
        forbid (principal, action == Action::"iterate", resource)
        when { context.iteration > ${max} };`,
    },
  ])

const counting = loopOf<number>(async (_context, it) => it.number, { until: [] })

async function sourceOf(world: World, run: RunId) {
  const state = await world.state(run)
  const events = await world.events(run)
  return { run: { id: run, name: 'agent' }, state, events, input: null, checks: [] }
}

test('a limit of 50 blocks the 51st iteration', async () => {
  const world = createWorld({ policy: await limitPolicy(50) })
  const run = await world.start(counting, { limits: { iterations: 1000 } })
  expect(await world.finish(run, counting)).toMatchObject({
    outcome: { type: 'denied', rules: ['iteration-limit-50'] },
  })
  const started = await world.only(run, 'iteration-started')
  expect(started.map(({ iteration }) => iteration).at(-1)).toBe(50)
  const rulings = await world.only(run, 'policy-decided')
  expect(rulings).toHaveLength(51)
  expect(rulings.at(-1)).toMatchObject({ iteration: 51, decision: 'deny' })
  expect(rulings.at(-2)).toMatchObject({ rules: ['base', 'below-50'], decision: 'allow' })
})

test('the 101st iteration of 100 is a policy violation, in the legacy events and result too', async () => {
  const world = createWorld({ policy: await limitPolicy(100) })
  const run = await world.start(counting, { limits: { iterations: 1000 } })
  await world.finish(run, counting)
  const source = await sourceOf(world, run)
  const violation = toIterationEvents(source).at(-1)
  expect(violation).toMatchObject({
    event_type: 'loop.policy.violation',
    iteration: 100,
    phase: 'completed',
    error_message: expect.stringContaining('the limit of 100 iterations is reached'),
  })
  expect(toLoopResult(source)).toMatchObject({
    outcome: 'iteration_limit',
    iterations_completed: 100,
    policy_violation_details: expect.stringContaining('the limit of 100 iterations is reached'),
  })
})

test('a limit that a person raises does not loosen the policy', async () => {
  const world = createWorld({ policy: await limitPolicy(3) })
  const run = await world.start(counting, { limits: { iterations: 2 } })
  await world.decide(run, { type: 'change-limits', limits: { iterations: 200 } })
  expect(await world.finish(run, counting)).toMatchObject({
    outcome: { type: 'denied', rules: ['iteration-limit-3'] },
  })
})

test('ten agents at once each have their own limit', async () => {
  const limits = Array.from({ length: 10 }, (_, index) => index + 1)
  const ended = await Promise.all(
    limits.map(async (max) => {
      const world = createWorld({ policy: await limitPolicy(max) })
      const run = await world.start(counting, { limits: { iterations: 1000 } })
      const { outcome } = (await world.finish(run, counting)) as { readonly outcome?: object }
      return [(await world.state(run)).iteration, outcome]
    }),
  )
  expect(ended).toEqual(
    limits.map((max) => [
      max,
      {
        type: 'denied',
        rules: [`iteration-limit-${max}`],
        reason: `the limit of ${max} iterations is reached`,
      },
    ]),
  )
})

test('one policy can have a limit for each loop', async () => {
  const policy = await createPolicy([
    {
      file: 'loops.cedar',
      mode: 'enforce',
      text: ['one', 'two', 'three']
        .map(
          (loop, index) => `@id("${loop}") forbid (principal in Loop::"${loop}", action, resource)
            when { context.iteration > ${index + 1} };`,
        )
        .join('\n'),
    },
  ])
  const world = createWorld({ policy })
  for (const [index, name] of ['one', 'two', 'three'].entries()) {
    const loop = { ...counting, name }
    const run = await world.start(loop, { limits: { iterations: 1000 } })
    await world.finish(run, loop)
    expect(await world.state(run)).toMatchObject({
      iteration: index + 1,
      outcome: { rules: [name] },
    })
  }
})
