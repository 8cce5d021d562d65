import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderInspection } from '../src/cli/display/runs-view.ts'
import { commandCheck, type LoopType, runLoop } from '../src/host/index.ts'
import { FaultError, isLoopError } from '../src/loop/index.ts'
import { folders, lines, newFolder, newHost } from './host-fixture.ts'

test('a loop runs in a folder until it is done, and creates a private state folder', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const run = await host.start(lines, { input: 4, workspace, name: 'first' })
  expect(await run.done).toEqual({
    type: 'ended',
    outcome: { type: 'completed', condition: 'enough lines' },
  })
  expect(readFileSync(join(workspace, 'lines.txt'), 'utf8').split('\n')).toHaveLength(5)
  expect(statSync(host.folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(host.folder, 'journal.db')).mode & 0o777).toBe(0o600)
  const { state, checkpoints } = await host.inspect('first')
  expect(checkpoints.map((checkpoint) => checkpoint.iteration)).toEqual([1, 2, 3, 4])
  expect(state.metrics).toMatchObject({ steps: 5, byKind: { step: 4, certify: 1 } })
  expect(state.certificate).toMatchObject({ iteration: 4, tree: state.tree })
})

test('a fork continues from a checkpoint in a separate workspace, and the origin is unchanged', async () => {
  const host = await newHost()
  const workspace = newFolder()
  await (await host.start(lines, { input: 4, workspace, name: 'origin' })).done
  await expect(host.fork('origin', lines, { iteration: 2 })).rejects.toThrow(
    /another workspace for the fork/,
  )
  const other = newFolder()
  const fork = await host.fork('origin', lines, { iteration: 2, workspace: other, name: 'fork' })
  await fork.done
  expect(readFileSync(join(other, 'lines.txt'), 'utf8')).toBe('line 1\nline 2\nline 3\nline 4\n')
  expect((await host.inspect('fork')).state.origin).toMatchObject({ type: 'fork', iteration: 2 })
  expect((await host.inspect('origin')).run.status).toBe('completed')
})

test('a checkpoint is exported with its files and continues in another state folder', async () => {
  const host = await newHost()
  await (await host.start(lines, { input: 4, workspace: newFolder(), name: 'here' })).done
  const text = await host.exportCheckpoint('here', { iteration: 2 })
  expect(JSON.parse(text)).toMatchObject({ format: 'loopwright-checkpoint', format_version: 1 })

  const elsewhere = await newHost()
  const workspace = newFolder()
  const run = await elsewhere.restoreCheckpoint(text, lines, { workspace, name: 'there' })
  expect(await run.done).toMatchObject({ type: 'ended', outcome: { type: 'completed' } })
  expect(readFileSync(join(workspace, 'lines.txt'), 'utf8')).toBe(
    'line 1\nline 2\nline 3\nline 4\n',
  )
  const { state } = await elsewhere.inspect('there')
  expect(state).toMatchObject({ iteration: 4, origin: { type: 'checkpoint', iteration: 2 } })
})

test('checks that have not run yet are pending, in an export too, with their type', async () => {
  const first = await newHost()
  const checks = {
    // Its name does not reveal what it is.
    lint: Object.assign(async () => ({ status: 'met', output: '' }) as const, {
      kind: 'command' as const,
      condition: 'all_tests_pass' as const,
    }),
    test: commandCheck('true', []),
  }
  const partly: LoopType<null, null, number, number> = {
    name: 'partly',
    createContext: () => null,
    async iterate(_context, it) {
      await it.check(['lint'])
      throw new FaultError({ code: 'over', message: 'over', retryable: false, fatal: true })
    },
    extractProgress: (count) => count,
    until: [{ type: 'max-iterations', iterations: 1 }],
  }
  await (await first.start(partly, { input: null, name: 'partly', checks })).done
  const inspection = await first.inspect('partly')
  expect(inspection.checks).toMatchObject([
    { check: 'lint', status: 'met', condition: 'all_tests_pass', last: { iteration: 1 } },
    { check: 'test', status: 'pending', kind: 'command' },
  ])
  const terminal = { live: false, width: () => 80 }
  expect(renderInspection({ ...inspection, questions: [] }, terminal)).toMatch(
    /check test +pending$/m,
  )
  expect(JSON.parse(await first.exportCheckpoint('partly'))).toMatchObject({
    exit_conditions: [
      { tool_name: 'lint', type: 'all_tests_pass', status: 'met' },
      { tool_name: 'test', type: 'custom', status: 'pending' },
    ],
    loop_config: { exit_conditions: [{}, { type: 'custom', custom_evaluator: 'command' }] },
  })
})

test('what a restored run had spent stays spent', async () => {
  const spender: LoopType<null, null, number, number> = {
    name: 'spender',
    createContext: () => null,
    iterate: (_context, it) =>
      it.step('spend', (context) => {
        context.spend({ tokens: 100, costMicros: 10 })
        return it.number
      }),
    extractProgress: (number) => number,
    until: [{ type: 'max-iterations', iterations: 3 }],
  }
  const host = await newHost()
  await (await host.start(spender, { input: null, name: 'spender' })).done
  const elsewhere = await newHost()
  const text = await host.exportCheckpoint('spender', { iteration: 2 })
  const run = await elsewhere.restoreCheckpoint(text, spender, { name: 'again' })
  await run.done
  expect((await elsewhere.inspect('again')).state.spent).toEqual({ tokens: 300, costMicros: 30 })
})

test('a damaged checkpoint file is refused with the reason', async () => {
  const host = await newHost()
  await (await host.start(lines, { input: 4, workspace: newFolder(), name: 'here' })).done
  const text = await host.exportCheckpoint('here')
  const changed = text.replace('line 1', 'line X')
  const restoring = host.restoreCheckpoint(changed, lines, { workspace: newFolder() })
  await expect(restoring).rejects.toSatisfy((error) => isLoopError(error, 'bad-checkpoint'))
})

test('garbage collection removes unreferenced content and keeps every tree and result', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const large: LoopType<null, null, number, number> = {
    name: 'large',
    createContext: () => null,
    async iterate(_context, it) {
      const text = await it.step('large', () => 'x'.repeat(100_000))
      await it.artifact('note', 'kept')
      await it.step('write', () => writeFileSync(join(workspace, 'a.txt'), text))
      return text.length
    },
    extractProgress: (length) => length,
    until: [{ type: 'max-iterations', iterations: 1 }],
  }
  await (await host.start(large, { input: null, workspace, name: 'large' })).done
  const { blob: garbage } = await host.blobs.put('nobody names this')
  const young = await host.collectGarbage()
  expect(young.removed).toBe(0)
  const { collectGarbage } = await import('../src/host/collect-garbage.ts')
  const { systemClock } = await import('../src/engine/index.ts')
  const later = { ...systemClock, now: () => Date.now() + 7_200_000 }
  const old = await collectGarbage({ ...host, clock: later })
  expect(old.removed).toBe(1)
  await expect(host.blobs.get(garbage)).rejects.toThrow(garbage)
  // Everything that the journal references is still readable: continue from it elsewhere.
  const fork = await host.fork('large', large, { iteration: 1, workspace: newFolder() })
  expect(await fork.done).toMatchObject({ type: 'ended' })
})

test('a run that no process drives is cancelled at once', async () => {
  const host = await newHost()
  const stop = new AbortController()
  const waiting: LoopType<null, null, null, null> = {
    name: 'waiting',
    createContext: () => null,
    async iterate(_context, it) {
      await it.ask('go', { text: 'Go on?', options: ['yes', 'no'], default: 'no' })
      return null
    },
    extractProgress: () => null,
  }
  const run = await host.start(waiting, { input: null, name: 'waiting', signal: stop.signal })
  for await (const { event } of run.events()) {
    if (event.type === 'step-started') break
  }
  stop.abort()
  expect(await run.done).toMatchObject({ type: 'suspended' })
  const { why = '' } = await host.inspect('waiting')
  expect(await run.done).toMatchObject({ reason: why })
  await expect(host.answer('waiting', '1/ask:go#1', 'maybe', 'me')).rejects.toThrow(/not an option/)
  await expect(host.answer('waiting', 'og', 'yes', 'me')).rejects.toThrow(
    "Its questions: go. Answer: loopctl answer waiting 'go' <answer>",
  )
  await host.sendDecision('waiting', { type: 'cancel', reason: 'no longer needed' }, 'me')
  expect((await host.inspect('waiting')).run.status).toBe('cancelled')
  await expect(host.tell('waiting', { type: 'pause' }, 'me')).rejects.toThrow(/has ended/)
  await expect(host.resume('waiting', waiting)).rejects.toThrow(
    /loopctl retry waiting.*loopctl fork waiting/,
  )
})

test('a question is answered while no process drives the run, and the answer is there on resume', async () => {
  const host = await newHost()
  const stop = new AbortController()
  const asking: LoopType<null, null, string, string> = {
    name: 'asking',
    createContext: () => null,
    async iterate(_context, it) {
      const { answer } = await it.ask('colour', { text: 'Which colour?', default: 'grey' })
      return answer
    },
    extractProgress: (answer) => answer,
    until: [{ type: 'custom', name: 'answered', met: () => true }],
  }
  const run = await host.start(asking, { input: null, name: 'asking', signal: stop.signal })
  for await (const { event } of run.events()) {
    if (event.type === 'step-started') break
  }
  stop.abort()
  await run.done
  const [question] = (await host.inspect('asking')).questions
  await host.answer('asking', question?.id ?? '', 'blue', 'me')
  await expect(host.answer('asking', question?.id ?? '', 'red', 'you')).rejects.toThrow(
    /no open question/,
  )
  await (await host.resume('asking', asking)).done
  expect((await host.inspect('asking')).state.progress).toBe('blue')
})

test('the state folder inside a workspace is not part of its tree', async () => {
  const workspace = newFolder()
  const host = await newHost(join(workspace, '.state'))
  const run = await host.start(lines, { input: 4, workspace, name: 'inside' })
  expect(await run.done).toMatchObject({ type: 'ended', outcome: { type: 'completed' } })
  const file = JSON.parse(await host.exportCheckpoint('inside')) as {
    loopwright: { files: { path: string }[] }
  }
  expect(file.loopwright.files.map((one) => one.path)).toEqual(['lines.txt'])
})

test('a command check is met only by exit code 0; a missing program is an error', async () => {
  const result = await runLoop(
    {
      name: 'checks',
      createContext: () => null,
      iterate: (_context, it) => it.check(),
      extractProgress: (results) => results.map((one) => `${one.check}: ${one.status}`),
      until: [{ type: 'max-iterations', iterations: 1 }],
    } satisfies LoopType<
      null,
      null,
      string[],
      Awaited<ReturnType<Parameters<typeof lines.iterate>[1]['check']>>
    >,
    {
      folder: newFolder(),
      input: null,
      name: 'checks',
      checks: {
        passes: commandCheck(process.execPath, ['-e', '0']),
        fails: commandCheck(process.execPath, ['-e', 'process.exit(3)']),
        hangs: commandCheck(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], {
          timeoutMs: 200,
        }),
        missing: commandCheck('no-such-program-here', []),
      },
    },
  )
  expect(result).toMatchObject({ type: 'ended' })
  const host = await newHost(folders.at(-1))
  expect((await host.inspect('checks')).state.progress).toEqual([
    'passes: met',
    'fails: not-met',
    'hangs: timeout',
    'missing: error',
  ])
})
