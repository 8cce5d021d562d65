// The question about checks that failed before the run began.

import { describe, expect, test } from 'vitest'
import type { Check, Ports, RunPreflight } from '../../src/engine/index.ts'
import type { Preflight } from '../../src/loop/index.ts'
import { createFakeCertifier, type FakeCertifier } from '../../src/testing/fake-certifier.ts'
import { counting, keeping, met } from './certify-fixture.ts'
import { createWorld, type MemoryWorkspace, memoryWorkspace, worldAfter } from './fixture.ts'

const asBefore: Check = Object.assign(
  async () => ({ status: 'not-met', output: 'tabs', existing: true, asBefore: true }) as const,
  { fingerprint: 'lint 1' },
)
const otherwise: Check = async () => ({ status: 'not-met', output: 'spaces', existing: true })

const preflightOf = (...failing: readonly string[]): RunPreflight => ({
  prepare: async () => undefined,
  tryChecks: async (): Promise<Preflight> => ({
    checks: ['test', 'lint'].map((check) => ({
      check,
      answer: failing.includes(check) ? 'fails' : 'passes',
      durationMs: 5,
    })),
  }),
})

const questionId = '1/ask:existing failures#1'

function scene(lint: Check, preflight = preflightOf('test', 'lint')) {
  const workspace = memoryWorkspace({ log: '' })
  const certifier: FakeCertifier = createFakeCertifier()
  const ports: Partial<Ports> = { workspace, certifier, preflight, checks: { test: met, lint } }
  return { world: createWorld(ports), loop: counting(workspace), certifier }
}

describe('checks that failed before the run', () => {
  test('may keep failing if a person allows it, and the certifier is informed', async () => {
    const { world, loop, certifier } = scene(asBefore)
    const run = await world.start(loop)
    await world.decide(run, { type: 'answer', question: questionId, answer: 'allow' })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(await world.state(run)).toMatchObject({
      iteration: 1,
      allows: ['lint'],
      evidence: { lint: { status: 'not-met', allowed: true } },
    })
    expect(certifier.asked).toMatchObject([{ allows: ['lint'] }])
  })

  test('must be fixed if there is no answer, and the question is asked once', async () => {
    const { world, loop, certifier } = scene(asBefore)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    const asked = (await world.only(run, 'step-started')).filter(({ kind }) => kind === 'ask')
    expect(asked.map(({ step }) => step)).toEqual(['ask:existing failures#1'])
    expect(await world.state(run)).toMatchObject({ iteration: 3, allows: [] })
    expect(certifier.asked).toEqual([])
  })

  test.each([
    ['fail in another way', otherwise, preflightOf('test', 'lint')],
    ['are the only ones that failed, so they are the task', asBefore, preflightOf('lint')],
  ])('are not asked about if they %s', async (_why, lint, preflight) => {
    const { world, loop } = scene(lint, preflight)
    const run = await world.start(loop)
    await world.finish(run, loop)
    const asked = (await world.only(run, 'step-started')).filter(({ kind }) => kind === 'ask')
    expect(asked).toEqual([])
  })
})

test('E2: killed at any moment of the question, the run ends as it would have', async () => {
  const trees: MemoryWorkspace['trees'] = new Map()
  const make = (log: string) => {
    const workspace = keeping(memoryWorkspace({ log }, trees))
    return { workspace, certifier: createFakeCertifier(), loop: counting(workspace) }
  }
  const first = make('')
  const shared = { preflight: preflightOf('test', 'lint'), checks: { test: met, lint: asBefore } }
  const whole = createWorld({ workspace: first.workspace, certifier: first.certifier, ...shared })
  const run = await whole.start(first.loop)
  await whole.decide(run, { type: 'answer', question: questionId, answer: 'allow' })
  await whole.finish(run, first.loop)
  const events = await whole.events(run)
  for (let kept = 1; kept < events.length; kept += 1) {
    // An answer and the end of its step are one unit.
    if (events[kept - 1]?.event.type === 'decision-applied') continue
    const { workspace, certifier, loop } = make('anything')
    const world = await worldAfter(events, kept, { workspace, certifier, ...shared })
    await world.finish(run, loop)
    expect(await world.state(run), `after ${kept} events`).toMatchObject({
      status: 'completed',
      iteration: 1,
      allows: ['lint'],
    })
  }
})
