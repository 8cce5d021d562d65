import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LoopType } from '../src/host/index.ts'
import { lines, newFolder, newHost, slow } from './host-fixture.ts'

test('the events of a run end with it, also when it is only suspended', async () => {
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

test('a run that another process drives cannot be resumed, which is reported at once', async () => {
  const folder = newFolder()
  const host = await newHost(folder)
  const other = await newHost(folder)
  const stop = new AbortController()
  const run = await host.start(slow, { input: null, name: 'slow', signal: stop.signal, graceMs: 1 })
  await expect(other.resume('slow', slow)).rejects.toMatchObject({
    code: 'run-busy',
    // Not the process, which may be the daemon with other runs.
    message: expect.stringMatching(/ is running in .*end it: loopctl stop /),
  })
  stop.abort()
  await run.done
})

test('a run that cannot get its workspace leaves nothing behind, not even its name', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const stop = new AbortController()
  const first = await host.start(slow, { input: null, workspace, signal: stop.signal, graceMs: 1 })
  const second = { input: 1, workspace, name: 'second' }
  await expect(host.start(lines, second)).rejects.toMatchObject({ code: 'workspace-busy' })
  expect(await host.list()).toHaveLength(1)
  stop.abort()
  await first.done
  expect((await (await host.start(lines, second)).done).type).toBe('ended')
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

test('a tree of a run can be restored, and missing content is reported', async () => {
  const host = await newHost()
  const workspace = newFolder()
  await (await host.start(lines, { input: 4, workspace, name: 'origin' })).done
  const { state } = await host.inspect('origin')
  const back = join(newFolder(), 'back')
  await host.extract((state.tree ?? '').slice(0, 12), back)
  expect(readFileSync(join(back, 'lines.txt'), 'utf8')).toContain('line 4')
  await expect(host.extract('0'.repeat(64), back)).rejects.toThrow(/is not a tree of a run/)
  expect(await host.problems()).toEqual([])
  rmSync(host.blobs.path(state.tree as never))
  expect(await host.problems()).toHaveLength(1)
})

test('a step inside a step is refused, with both names', async () => {
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
