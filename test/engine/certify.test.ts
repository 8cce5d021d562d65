import { describe, expect, test } from 'vitest'
import type { Agents, Certifier, Check } from '../../src/engine/index.ts'
import { FaultError, type Findings, LoopError } from '../../src/loop/index.ts'
import { createFakeCertifier } from '../../src/testing/fake-certifier.ts'
import { counting, keeping, met, refused } from './certify-fixture.ts'
import { createWorld, loopOf, memoryWorkspace } from './fixture.ts'

describe('E5: complete means certified', () => {
  test('the certifier gets what is to be certified, and the certificate is recorded', async () => {
    const workspace = keeping(memoryWorkspace({ log: '' }))
    const certifier = createFakeCertifier()
    const world = createWorld({ workspace, certifier, checks: { test: met, lint: met } })
    const loop = counting(workspace)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    const state = await world.state(run)
    const [subject, ...others] = certifier.asked
    expect(others).toEqual([])
    expect(subject).toMatchObject({
      run,
      name: `run ${run}`,
      loop: 'story',
      iteration: 1,
      condition: 'checks-pass',
      checks: ['test', 'lint'],
      tree: state.tree,
      commit: `commit of ${state.tree}`,
      answers: [],
    })
    const [started] = await world.only(run, 'iteration-started')
    expect(subject?.base).toBe(started?.tree)
    expect(subject?.base).not.toBe(subject?.tree)
    const [[id] = []] = certifier.issued
    expect(state.certificate).toEqual({ id, iteration: 1, tree: state.tree })
  })

  test('checks that the loop never requested are run by the engine, once for the same files', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const runs: string[] = []
    const check = (name: string, status: 'met' | 'not-met'): Check => {
      return async () => {
        runs.push(name)
        return { status, output: name }
      }
    }
    const checks = { test: check('test', 'met'), lint: check('lint', 'not-met') }
    const world = createWorld({ workspace, checks })
    const findings: Findings[] = []
    const loop = loopOf<number>(
      async (_context, it) => {
        if (it.number === 1) await it.check(['test'])
        return it.number
      },
      {
        extractProgress: (result, _previous, found) => {
          findings.push(found)
          return result
        },
        until: [{ type: 'checks-pass' }, { type: 'max-iterations', iterations: 2 }],
      },
    )
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect(runs).toEqual(['test', 'lint'])
    const told = findings.map(({ checks: found }) =>
      found.map(({ check: name, status, output, reused }) => [name, status, output, reused]),
    )
    expect(told).toEqual([
      [
        ['test', 'met', 'test', undefined],
        ['lint', 'not-met', 'lint', undefined],
      ],
      [
        ['test', 'met', 'test', true],
        ['lint', 'not-met', 'lint', true],
      ],
    ])
  })

  test('refusals are passed to progress, and the loop continues', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const certifier = createFakeCertifier(({ iteration }) =>
      iteration === 1 ? refused : undefined,
    )
    const world = createWorld({ workspace, certifier, checks: { test: met } })
    const findings: Findings[] = []
    const loop = counting(workspace, findings)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    const ended = await world.only(run, 'iteration-ended')
    expect(ended.map(({ ending }) => ending.type)).toEqual(['continue', 'complete'])
    expect(findings.map(({ refusals }) => refusals.map(({ code }) => code))).toEqual([
      [],
      ['toothless'],
      [],
    ])
    expect((await world.state(run)).progress).toBe(2)
  })

  test('a refusal does not hide other reasons to end the run', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const certifier = createFakeCertifier(() => refused)
    const world = createWorld({ workspace, certifier, checks: { test: met } })
    const loop = counting(workspace)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'exhausted', condition: 'max-iterations' },
    })
    expect(certifier.asked.length).toBe(3)
  })

  test('code of a loop, and a run without files, are certified too', async () => {
    const certifier = createFakeCertifier()
    const world = createWorld({ certifier })
    const loop = loopOf<null>(async () => null, {
      until: [{ type: 'custom', name: 'a/b#c', met: () => true }],
    })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(certifier.asked[0]).toMatchObject({ checks: [], condition: 'a/b#c' })
    expect(certifier.asked[0]).not.toHaveProperty('tree')
    expect((await world.state(run)).certificate).toMatchObject({ iteration: 1 })
  })

  test('an iteration that ended in an error is not complete, whatever its checks report', async () => {
    const certifier = createFakeCertifier()
    const world = createWorld({ certifier, checks: { test: met } })
    const loop = loopOf<null>(
      async (_context, it) => {
        await it.check()
        throw new FaultError({ code: 'broken', message: 'it broke', retryable: false })
      },
      { until: [{ type: 'checks-pass' }] },
    )
    const run = await world.start(loop, { limits: { sameErrors: 2 } })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'stuck' } })
    expect(certifier.asked).toEqual([])
  })
})

describe('a certifier that fails', () => {
  const failing = (error: () => Error) => ({
    certify: async () => {
      throw error()
    },
  })

  test.each<[string, () => Error]>([
    ['an error', () => new Error('it broke')],
    ['a rejection', () => new LoopError('not-available', 'no tool')],
  ])('the same way again and again: %s ends the run as stuck', async (_name, error) => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace, certifier: failing(error), checks: { test: met } })
    const findings: Findings[] = []
    const loop = { ...counting(workspace, findings), until: [{ type: 'checks-pass' as const }] }
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'stuck', condition: 'limits.same-errors' },
    })
    expect(findings.filter(({ refusals }) => refusals[0]?.code === 'error').length).toBe(3)
    expect((await world.state(run)).progress).toBe(-3)
  })

  test('because a disk fails leaves the run to be resumed', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const certifier = failing(() => new LoopError('store-failed', 'the disk is full'))
    const world = createWorld({ workspace, certifier, checks: { test: met } })
    const loop = counting(workspace)
    const run = await world.start(loop)
    await expect(world.finish(run, loop)).rejects.toThrow('the disk is full')
    expect((await world.state(run)).status).toBe('suspended')
  })

  test('by the budget ends the run as exhausted', async () => {
    const certifier: Certifier = {
      certify: async (_subject, context) => {
        await context.reserve({ tokens: 1e9, costMicros: 1 })
        throw new Error('not reached')
      },
    }
    const world = createWorld({ certifier, checks: { test: met } })
    const loop = counting(memoryWorkspace({}))
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'exhausted', limit: 'tokens' },
    })
  })
})

describe('judges of a certification', () => {
  test('work in a separate folder, metered and noted', async () => {
    const seen: unknown[] = []
    const agents: Agents = {
      async work(role, task, context) {
        seen.push([role, task.prompt, context.workspace, context.step])
        context.note({ type: 'said', text: 'hm' })
        context.spend({ tokens: 7, costMicros: 70 })
        const usage = { tokens: 7, costMicros: 70 }
        return { status: 'done', text: 'pass', usage, turns: 1 }
      },
    }
    const world = createWorld({
      workspace: memoryWorkspace({ log: '' }),
      checks: { test: met },
      tools: { call: async (name) => ({ ok: true, output: name }) },
      certifier: {
        async certify(subject, context) {
          const report = await context.work(agents, 'judge', { prompt: 'is it?' }, '/clean')
          const { output } = await context.callTool('count', {})
          seen.push(report.text, output)
          return createFakeCertifier().certify(subject, context)
        },
      },
    })
    const loop = loopOf<null>(async () => null, { until: [{ type: 'checks-pass' }] })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(seen).toEqual([['judge', 'is it?', '/clean', 'certify:checks-pass#1'], 'pass', 'count'])
    const state = await world.state(run)
    expect(state.spent).toEqual({ tokens: 7, costMicros: 70 })
    expect(state.metrics.tools).toMatchObject({ count: { calls: 1 } })
    const noted = await world.only(run, 'step-noted')
    expect(noted.map(({ note, role }) => [note.type, role])).toEqual([
      ['said', 'judge'],
      ['tool-called', undefined],
    ])
  })
})
