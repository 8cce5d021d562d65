import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { commandCheck, type Host, type LoopType, openHost, runLoop } from '../src/host/index.ts'
import { isLoopError } from '../src/loop/index.ts'

const folders: string[] = []
const hosts: Host[] = []

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-host-'))
  folders.push(folder)
  return folder
}

async function newHost(folder = newFolder()): Promise<Host> {
  const host = await openHost({ folder })
  hosts.push(host)
  return host
}

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Appends a line to a file in each iteration, and is done when the file has so many. */
const lines: LoopType<number, number, { lines: number }, number> = {
  name: 'lines',
  createContext: (goal) => goal,
  async iterate(_goal, it) {
    return it.step('append', () => {
      const file = join(it.workspace?.path ?? '', 'lines.txt')
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      writeFileSync(file, `${text}line ${it.number}\n`)
      return text.split('\n').length
    })
  },
  extractProgress: (count) => ({ lines: count }),
  until: [{ type: 'custom', name: 'enough lines', met: (progress) => progress.lines >= 4 }],
}

/** One step that ends only when it is told to. */
const slow: LoopType<null, null, null, null> = {
  name: 'slow',
  createContext: () => null,
  async iterate(_context, it) {
    await it.step('wait', ({ signal }) =>
      new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null))))
    return null
  },
  extractProgress: () => null,
}

test('a loop runs in a folder until it is done, and the record and its modes are there', async () => {
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
  expect(state.metrics.steps).toBe(4)
})

test('a fork goes on from a checkpoint in a workspace of its own, and the origin is untouched', async () => {
  const host = await newHost()
  const workspace = newFolder()
  await (await host.start(lines, { input: 4, workspace, name: 'origin' })).done
  await expect(host.fork('origin', lines, { iteration: 2 })).rejects.toThrow(/workspace of its own/)
  const other = newFolder()
  const fork = await host.fork('origin', lines, { iteration: 2, workspace: other, name: 'fork' })
  await fork.done
  expect(readFileSync(join(other, 'lines.txt'), 'utf8')).toBe('line 1\nline 2\nline 3\nline 4\n')
  expect((await host.inspect('fork')).state.origin).toMatchObject({ type: 'fork', iteration: 2 })
  expect((await host.inspect('origin')).run.status).toBe('completed')
})

test('a checkpoint is exported with its files and goes on in another record', async () => {
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

test('a damaged checkpoint file is refused with what is wrong', async () => {
  const host = await newHost()
  await (await host.start(lines, { input: 4, workspace: newFolder(), name: 'here' })).done
  const text = await host.exportCheckpoint('here')
  const changed = text.replace('line 1', 'line X')
  const restoring = host.restoreCheckpoint(changed, lines, { workspace: newFolder() })
  await expect(restoring).rejects.toSatisfy((error) => isLoopError(error, 'bad-checkpoint'))
})

test('garbage collection removes what no row names and keeps every tree and result', async () => {
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
  // Everything that the record names is still readable: go on from it elsewhere.
  const fork = await host.fork('large', large, { iteration: 1, workspace: newFolder() })
  expect(await fork.done).toMatchObject({ type: 'ended' })
})

test('a run that nobody drives is cancelled at once', async () => {
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
  await expect(host.answer('waiting', '1/ask:go#1', 'maybe', 'me')).rejects.toThrow(/not an option/)
  await host.tell('waiting', { type: 'cancel', reason: 'no longer needed' }, 'me')
  expect((await host.inspect('waiting')).run.status).toBe('cancelled')
  await expect(host.tell('waiting', { type: 'pause' }, 'me')).rejects.toThrow(/has ended/)
  await expect(host.resume('waiting', waiting)).rejects.toThrow(/Fork it/)
})

test('a question is answered while nobody drives the run, and the answer is there on resume', async () => {
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

test('the record inside a workspace is no part of its tree', async () => {
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

test('events of a run end with it, also when it is only suspended', async () => {
  const host = await newHost()
  const stop = new AbortController()
  const run = await host.start(slow, { input: null, name: 'slow', signal: stop.signal, graceMs: 1 })
  const seen: string[] = []
  for await (const { event } of run.events()) {
    seen.push(event.type)
    if (event.type === 'step-started') stop.abort()
  }
  expect(seen.at(-1)).toBe('run-suspended')
})

test('a run that another drives cannot be resumed: that is said at once', async () => {
  const folder = newFolder()
  const host = await newHost(folder)
  const other = await newHost(folder)
  const stop = new AbortController()
  const run = await host.start(slow, { input: null, name: 'slow', signal: stop.signal, graceMs: 1 })
  await expect(other.resume('slow', slow)).rejects.toSatisfy((error) =>
    isLoopError(error, 'run-busy'),
  )
  stop.abort()
  await run.done
})

test('a fork or a restore does not replace the files of a folder that is not empty', async () => {
  const host = await newHost()
  await (await host.start(lines, { input: 4, workspace: newFolder(), name: 'origin' })).done
  const precious = newFolder()
  writeFileSync(join(precious, 'thesis.txt'), 'mine')
  const fork = host.fork('origin', lines, { iteration: 2, workspace: precious })
  await expect(fork).rejects.toThrow(/not empty/)
  const text = await host.exportCheckpoint('origin')
  const restore = host.restoreCheckpoint(text, lines, { workspace: precious })
  await expect(restore).rejects.toThrow(/not empty/)
  expect(readFileSync(join(precious, 'thesis.txt'), 'utf8')).toBe('mine')
  const allowed = { iteration: 2, workspace: precious, replaceFiles: true }
  await (await host.fork('origin', lines, allowed)).done
  expect(existsSync(join(precious, 'thesis.txt'))).toBe(false)
})

test('a tree of a run can be had back, and missing content is found', async () => {
  const host = await newHost()
  const workspace = newFolder()
  await (await host.start(lines, { input: 4, workspace, name: 'origin' })).done
  const { state } = await host.inspect('origin')
  const back = join(newFolder(), 'back')
  await host.extract((state.tree ?? '').slice(0, 12), back)
  expect(readFileSync(join(back, 'lines.txt'), 'utf8')).toContain('line 4')
  await expect(host.extract('0'.repeat(64), back)).rejects.toThrow(/no tree/)
  expect(await host.problems()).toEqual([])
  rmSync(host.blobs.path(state.tree as never))
  expect(await host.problems()).toHaveLength(1)
})

test('a step that asks for a step is refused, with both names', async () => {
  const host = await newHost()
  const nested: LoopType<null, null, null, unknown> = {
    name: 'nested',
    createContext: () => null,
    iterate: (_context, it) => it.step('outer', async () => it.step('inner', () => 1)),
    extractProgress: () => null,
  }
  const run = await host.start(nested, { input: null, workspace: newFolder() })
  const end = await run.done
  expect(end).toMatchObject({ outcome: { type: 'failed', fault: { code: 'nested-step' } } })
  expect(JSON.stringify(end)).toMatch(/outer.*inner/)
})
