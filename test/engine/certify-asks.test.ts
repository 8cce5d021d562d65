import { describe, expect, test } from 'vitest'
import type { Subject } from '../../src/engine/index.ts'
import type { Findings } from '../../src/loop/index.ts'
import { createFakeCertifier } from '../../src/testing/fake-certifier.ts'
import { asks, counting, keeping, met, refused } from './certify-fixture.ts'
import { createWorld, type MemoryWorkspace, memoryWorkspace, worldAfter } from './fixture.ts'

describe('a certification that asks', () => {
  const asking = () =>
    createFakeCertifier(({ answers }) => {
      const last = answers.at(-1)
      if (last === undefined) return asks
      return last.answer === 'yes' ? undefined : refused
    })

  test.each([
    ['yes', 'completed'],
    ['no', 'exhausted'],
  ])('%s ends it as %s', async (answer, outcome) => {
    const workspace = memoryWorkspace({ log: '' })
    const certifier = asking()
    const world = createWorld({ workspace, certifier, checks: { test: met } })
    const loop = counting(workspace)
    const run = await world.start(loop)
    for (const iteration of [1, 2, 3]) {
      await world.decide(run, { type: 'answer', question: `${iteration}/ask:sealed#1`, answer })
    }
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: outcome } })
    const [, again] = certifier.asked
    expect(again?.answers).toEqual([{ key: 'sealed', answer, by: 'person', who: 'ada' }])
  })

  test('uses the safe answer at the deadline', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const certifier = asking()
    const world = createWorld({ workspace, certifier, checks: { test: met } })
    const loop = counting(workspace)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect(certifier.asked[1]?.answers).toEqual([{ key: 'sealed', answer: 'no', by: 'default' }])
  })

  test('does not ask forever (E9)', async () => {
    const certifier = createFakeCertifier(() => asks)
    const world = createWorld({ certifier, checks: { test: met } })
    const findings: Findings[] = []
    const loop = counting(memoryWorkspace({}), findings)
    const run = await world.start(loop, { limits: { iterations: 1 } })
    await world.finish(run, loop)
    expect(certifier.asked.length).toBe(6)
    expect(findings.at(-1)?.refusals).toMatchObject([{ code: 'unclear' }])
  })

  test('does not cover files that a person changed meanwhile', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const certifier = createFakeCertifier(({ answers, iteration }: Subject) => {
      if (iteration > 1 || answers.length > 0) return undefined
      workspace.files.set('log', 'seen')
      return asks
    })
    // It replaces the edit: the files are read once the answer is there.
    const world = createWorld({
      workspace: { ...workspace, restore: async () => undefined },
      certifier,
      checks: { test: met },
    })
    const findings: Findings[] = []
    const loop = counting(workspace, findings)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(findings[1]?.refusals).toMatchObject([{ code: 'tree-changed' }])
    expect(certifier.asked.map(({ iteration }) => iteration)).toEqual([1, 2])
  })
})

test('E2: killed at any moment, the run ends as it would have', async () => {
  const trees: MemoryWorkspace['trees'] = new Map()
  const make = (log: string) => {
    const workspace = keeping(memoryWorkspace({ log }, trees))
    const certifier = createFakeCertifier(({ answers, iteration }) => {
      if (iteration === 1) return refused
      return answers.length === 0 ? asks : answers[0]?.answer === 'no' ? undefined : refused
    })
    return { workspace, certifier, loop: counting(workspace) }
  }
  const first = make('')
  const ports = { workspace: first.workspace, certifier: first.certifier }
  const checks = { test: met, lint: met }
  const whole = createWorld({ ...ports, checks })
  const run = await whole.start(first.loop)
  const expected = await whole.finish(run, first.loop)
  expect(expected).toMatchObject({ outcome: { type: 'completed' } })
  const events = await whole.events(run)
  const { certificate, progress } = await whole.state(run)
  for (let kept = 1; kept < events.length; kept++) {
    // An answer and the end of its step are one unit.
    if (events[kept - 1]?.event.type === 'decision-applied') continue
    const { workspace, certifier, loop } = make('anything')
    const world = await worldAfter(events, kept, { workspace, certifier, checks })
    expect(await world.finish(run, loop)).toEqual(expected)
    const state = await world.state(run)
    expect([state.certificate, state.progress]).toEqual([certificate, progress])
    const issued = (await world.only(run, 'step-finished')).filter(
      (event) => event.certificate !== undefined,
    )
    expect(issued.length).toBe(1)
  }
})
