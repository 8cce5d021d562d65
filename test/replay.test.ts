// Runs replayed from their journal: people, gates, actions and waits; rewound iterations;
// divergence.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Action, Iteration, RunParts } from '../src/host/index.ts'
import { newFolder, newHost } from './host-fixture.ts'
import {
  append,
  loopOf,
  recordingAgent,
  replay,
  replayingAgent,
  type Work,
  words,
} from './replay-fixture.ts'

describe('a replay', () => {
  test('is a separate run, with the same start and the same files after each step', async () => {
    const host = await newHost()
    const loop = loopOf((it) => append(it, `line ${it.number}`))
    const limits = { iterations: 3 }
    const workspace = newFolder()
    writeFileSync(join(workspace, 'log.txt'), 'before\n')
    await (await host.start(loop, { input: 7, name: 'one', workspace, limits })).done
    const again = await replay(host, 'one', loop)
    expect(words(again)).toBe('same')
    expect(again).toMatchObject({ iterations: 3, exchanges: 0 })
    expect(readFileSync(join(again.workspace ?? '', 'log.txt'), 'utf8')).toBe(
      'before\nline 1\nline 2\nline 3\n',
    )
    const { state } = await host.inspect(again.run)
    const { run } = await host.inspect('one')
    expect(state.origin).toEqual({ type: 'replay', run: run.id, iteration: 0 })
    // A replay of it is another replay of the same run.
    const third = await replay(host, again.run, loop)
    expect(words(third)).toBe('same')
    expect((await host.inspect(third.run)).state.origin).toMatchObject({ run: run.id })
  })

  test('uses the recorded answers, uses defaults at once where there were none, and does not sleep', async () => {
    const host = await newHost()
    const question = { text: 'Which?', options: ['a', 'b'], default: 'a' }
    let more = false
    const loop = loopOf(async (it) => {
      await it.sleep('nap', more ? 3_600_000 : 1)
      const answers = [await it.ask('first', question)]
      if (more) answers.push(await it.ask('second', { ...question, default: 'b' }))
      return answers
    })
    const limits = { iterations: 1 }
    const handle = await host.start(loop, { input: null, name: 'asked', limits })
    for await (const { event } of handle.events()) {
      if (event.type !== 'step-started' || event.question === undefined) continue
      await host.answer('asked', 'first', 'b', 'ada')
    }
    expect((await host.inspect('asked')).state.progress).toEqual([
      { answer: 'b', by: 'person', who: 'ada' },
    ])
    expect(words(await replay(host, 'asked', loop))).toBe('same')
    more = true
    const again = await replay(host, 'asked', loop)
    expect(words(again)).toContain(
      'iteration 1, ask:second#1: the original run does not have this step',
    )
    expect((await host.inspect(again.run)).state.progress).toEqual([
      { answer: 'b', by: 'person', who: 'ada' },
      { answer: 'b', by: 'default' },
    ])
  })

  test('performs no action and asks no gate: it returns the recorded receipts', async () => {
    const host = await newHost()
    const done: string[] = []
    const action = (it: Iteration, kind: string): Action => ({ kind, summary: `${it.number}` })
    const parts: RunParts = {
      gate: {
        async judge({ kind }) {
          done.push(`judged ${kind}`)
          return kind === 'bad' ? { type: 'deny', reason: 'no' } : { type: 'allow' }
        },
      },
      actions: {
        async perform({ kind }, key) {
          done.push(`performed ${kind}`)
          return { status: 'done', summary: `receipt of ${key.split('/').slice(1).join('/')}` }
        },
        find: async () => ({ type: 'unknown' }),
      },
    }
    let kinds = ['mail', 'bad', 'mail']
    const loop = loopOf(async (it) => {
      const receipts: unknown[] = []
      for (const kind of kinds) receipts.push(await it.act(action(it, kind)))
      return receipts
    })
    const limits = { iterations: 1 }
    await (await host.start(loop, { input: null, name: 'acted', limits, ...parts })).done
    expect(done).toHaveLength(5)
    const again = await replay(host, 'acted', loop, parts)
    expect(words(again)).toBe('same')
    expect(done).toHaveLength(5)
    const { state } = await host.inspect(again.run)
    expect(state.progress).toEqual((await host.inspect('acted')).state.progress)
    kinds = ['mail', 'bad', 'mail', 'more']
    const further = await replay(host, 'acted', loop, parts)
    expect(further.same).toBe(false)
    expect((await host.inspect(further.run)).state.outcome).toMatchObject({
      type: 'failed',
      fault: { code: 'record-ended', message: expect.stringContaining('verdict') },
    })
    expect(done).toHaveLength(5)
  })

  test('leaves out iterations that were rewound', async () => {
    const host = await newHost()
    let word = 'wrong'
    const loop: Work = {
      ...loopOf(async (it) => {
        await append(it, `${it.number} ${it.number === 1 ? 'fine' : word}`)
        if (word === 'wrong' && it.number === 3) await it.sleep('nap', 60_000)
        return it.number
      }),
      until: [{ type: 'custom', name: 'right', met: (made) => word === 'right' && made === 2 }],
    }
    const stop = new AbortController()
    const base = { input: null, name: 'back', workspace: newFolder(), signal: stop.signal }
    const handle = await host.start(loop, base)
    for await (const { event } of handle.events()) {
      if (event.type === 'step-started' && event.kind === 'sleep') stop.abort()
    }
    word = 'right'
    await (await host.resume('back', loop, { fromIteration: 1 })).done
    const again = await replay(host, 'back', loop)
    expect(words(again)).toBe('same')
    expect(again.iterations).toBe(2)
    const text = readFileSync(join(again.workspace ?? '', 'log.txt'), 'utf8')
    expect(text).toBe('1 fine\n2 right\n')
  })

  test('has the exchanges of the last attempt, and the accounting of all attempts', async () => {
    const host = await newHost()
    const loop = loopOf(async (it) => {
      const { text } = await it.agent('maker', { prompt: 'go' }, { retry: { firstDelayMs: 1 } })
      return text
    })
    const limits = { iterations: 1, tokens: 1000 }
    const options = { input: null, name: 'tried', limits, agents: recordingAgent() }
    await (await host.start(loop, options)).done
    const { state } = await host.inspect('tried')
    expect(state).toMatchObject({ spent: { tokens: 60 }, progress: 'of attempt 2, of attempt 2' })
    const again = await host.replay('tried')
    const handle = await again.start(loop, { agents: replayingAgent(again) })
    await handle.done
    expect(words(await again.result(handle.id))).toBe('same')
    const { progress, spent } = (await host.inspect(handle.id)).state
    expect({ progress, spent }).toEqual({ progress: state.progress, spent: state.spent })
  })

  test('that finds changed files reports them', async () => {
    const host = await newHost()
    const workspace = newFolder()
    const loop = loopOf(async (it) => {
      await append(it, 'x')
      await it.ask('go', { text: 'Go?', default: 'yes' })
      await append(it, 'y')
    })
    const options = { input: null, name: 'asked', workspace, limits: { iterations: 1 } }
    const handle = await host.start(loop, options)
    for await (const { event } of handle.events()) {
      if (event.type !== 'step-started' || event.question === undefined) continue
      writeFileSync(join(workspace, 'mine.txt'), 'mine')
      await host.answer('asked', 'go', 'yes', 'ada')
    }
    const again = await replay(host, 'asked', loop)
    expect(words(again)).toMatch(
      /it left different files; files were changed by hand during iteration 1/,
    )
    expect(again.difference?.files).toEqual(['mine.txt'])
  })

  test('of a fork begins where the fork began', async () => {
    const host = await newHost()
    const loop = loopOf((it) => append(it, `line ${it.number}`))
    const limits = { iterations: 3 }
    await (await host.start(loop, { input: 1, name: 'one', workspace: newFolder(), limits })).done
    const fork = { iteration: 2, name: 'fork', workspace: join(newFolder(), 'fork') }
    await (await host.fork('one', loop, fork)).done
    const again = await replay(host, 'fork', loop)
    expect(words(again)).toBe('same')
    expect(again.iterations).toBe(1)
    expect((await host.inspect(again.run)).state.origin).toMatchObject({ iteration: 2 })
  })

  test('goes as far as the journal of a run that never ended, and says so', async () => {
    const host = await newHost()
    const loop = loopOf(async (it) => {
      await append(it, `line ${it.number}`)
      if (it.number === 2) await it.sleep('nap', 60_000)
    })
    const limits = { iterations: 9 }
    const stop = new AbortController()
    const options = { input: null, name: 'left', workspace: newFolder(), limits }
    const handle = await host.start(loop, { ...options, signal: stop.signal })
    for await (const { event } of handle.events()) {
      if (event.type === 'step-started' && event.kind === 'sleep') stop.abort()
    }
    const again = await replay(host, 'left', loop)
    expect(again).toMatchObject({ same: true, iterations: 2 })
    expect(again.end).toContain('the recording ends in iteration 2 (the run is suspended)')
    expect((await host.inspect(again.run)).state.iteration).toBeLessThan(4)
    await host.sendDecision('left', { type: 'cancel', reason: 'enough' }, 'ada')
    expect((await replay(host, 'left', loop)).end).toContain('cancelled by ada: enough')
  })
})

describe('a replay that diverges', () => {
  test('reports the iteration, the step and the files', async () => {
    const host = await newHost()
    let word = 'same'
    const loop = loopOf((it) => append(it, it.number === 2 ? word : 'same'))
    const limits = { iterations: 3 }
    const options = { input: null, name: 'one', workspace: newFolder(), limits }
    await (await host.start(loop, options)).done
    word = 'other'
    const again = await replay(host, 'one', loop)
    expect(words(again)).toBe('iteration 2, append 2#1: it left different files (log.txt)')
    expect(again.difference).toMatchObject({ iteration: 2, files: ['log.txt'] })
  })

  test('reports which check had a different result', async () => {
    const host = await newHost()
    const loop = loopOf((it) => it.check())
    let status: 'met' | 'not-met' = 'not-met'
    const parts: RunParts = { checks: { unit: async () => ({ status, output: '' }) } }
    const limits = { iterations: 2 }
    await (await host.start(loop, { input: null, name: 'one', limits, ...parts })).done
    status = 'met'
    const again = await replay(host, 'one', loop, parts)
    expect(words(again)).toBe('iteration 1, check:unit#1: recorded: not-met; now: met')
  })

  test('stops if the journal has no more iterations', async () => {
    const host = await newHost()
    let enough = 2
    const loop: Work = {
      ...loopOf(async (it) => it.number),
      until: [{ type: 'custom', name: 'enough', met: (made) => Number(made) >= enough }],
    }
    await (await host.start(loop, { input: null, name: 'one' })).done
    enough = 40
    const again = await replay(host, 'one', loop)
    expect(words(again)).toContain('iteration 2: recorded: complete (enough); now: continue')
    expect((await host.inspect(again.run)).state.iteration).toBe(3)
  })
})

test('a replay is resumed as a replay, and not as anything else', async () => {
  const host = await newHost()
  const loop = loopOf(async (it) => {
    await append(it, `line ${it.number}`)
  })
  const limits = { iterations: 2 }
  const options = { input: null, name: 'one', workspace: newFolder(), limits }
  await (await host.start(loop, options)).done
  const again = await host.replay('one')
  const handle = await again.start(loop, { signal: AbortSignal.abort() })
  expect(await handle.done).toMatchObject({ type: 'suspended' })
  await expect(host.resume(handle.id, loop)).rejects.toThrow(/is a replay/)
  await expect(host.replay('one', { resume: true })).rejects.toThrow(/is not a replay/)
  const resumed = await host.replay(handle.id, { resume: true })
  expect(resumed.workspace).toBe(again.workspace)
  await (await resumed.start(loop, {})).done
  expect(words(await resumed.result(handle.id))).toBe('same')
})
