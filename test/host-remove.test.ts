import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../src/engine/index.ts'
import { issueCertificate } from '../src/evidence/index.ts'
import { collectGarbage } from '../src/host/collect-garbage.ts'
import { type Host, writeRunFolder } from '../src/host/index.ts'
import { certificateDraft, certifiedOutput } from '../src/testing/certificate-draft.ts'
import { lines, newFolder, newHost, slow } from './host-fixture.ts'

/** Content is kept for an hour; this is later. */
const collectLater = (host: Host): ReturnType<typeof collectGarbage> =>
  collectGarbage({ ...host, clock: { ...systemClock, now: () => Date.now() + 7_200_000 } })

test('a fork is complete after its origin was removed and garbage-collected: it resumes', async () => {
  const host = await newHost()
  const workspace = newFolder()
  await (await host.start(lines, { input: 4, workspace, name: 'origin' })).done
  const stop = new AbortController()
  stop.abort()
  const fork = await host.fork('origin', lines, {
    iteration: 2,
    workspace: newFolder(),
    name: 'fork',
    signal: stop.signal,
  })
  expect(await fork.done).toMatchObject({ type: 'suspended' })

  expect(await host.remove('origin')).toMatchObject({ name: 'origin', status: 'completed' })
  expect((await collectLater(host)).removed).toBeGreaterThan(0)
  expect((await host.list()).map(({ name }) => name)).toEqual(['fork'])
  await expect(host.inspect('origin')).rejects.toMatchObject({ code: 'unknown-run' })
  expect(await host.problems()).toEqual([])

  const resumed = await host.resume('fork', lines)
  expect(await resumed.done).toMatchObject({ outcome: { type: 'completed' } })
  const { run, state } = await host.inspect('fork')
  const text = readFileSync(join(run.workspace ?? '', 'lines.txt'), 'utf8')
  expect(text).toBe('line 1\nline 2\nline 3\nline 4\n')
  const out = newFolder()
  await host.extract(state.tree ?? '', out)
  expect(readFileSync(join(out, 'lines.txt'), 'utf8')).toBe(text)
})

test('after the last run was removed, its content can be collected, and its name is free', async () => {
  const host = await newHost()
  const start = async (): Promise<unknown> =>
    (await host.start(lines, { input: 4, workspace: newFolder(), name: 'only' })).done
  await start()
  const { state } = await host.inspect('only')
  const blob = join(host.folder, 'blobs')
  expect(existsSync(blob)).toBe(true)
  await host.remove('only')
  expect(await collectLater(host)).toMatchObject({ kept: 0 })
  await expect(host.extract(state.tree ?? '', newFolder())).rejects.toThrow(/./)
  expect(await start()).toMatchObject({ outcome: { type: 'completed' } })
})

test('check output that a certificate refers to is kept, even if runs are removed', async () => {
  const host = await newHost()
  await (await host.start(lines, { input: 4, workspace: newFolder(), name: 'gone' })).done
  const { blob } = await host.blobs.put(certifiedOutput)
  const { blob: other } = await host.blobs.put('nothing that anybody names')
  await issueCertificate(certificateDraft(), { folder: host.folder })
  await host.remove('gone')
  await collectLater(host)
  expect((await host.blobs.get(blob)).toString('utf8')).toBe(certifiedOutput)
  await expect(host.blobs.get(other)).rejects.toMatchObject({ code: 'unknown-artifact' })
})

test('a run that is driven is not removed; an interrupted one is, with force', async () => {
  const host = await newHost()
  const run = await host.start(slow, { input: null, name: 'at-work' })
  await expect(host.remove('at-work', { force: true })).rejects.toMatchObject({
    code: 'run-busy',
    // Not to end the process, which may be the daemon.
    message: `Run ${run.id} is running in process ${process.pid}. Wait for it, or end it: loopctl stop ${run.id}`,
  })
  run.shutDown({ now: true })
  await run.done
  await expect(host.remove('at-work')).rejects.toMatchObject({ code: 'wrong-status' })
  await host.remove('at-work', { force: true })
  expect(await host.list()).toEqual([])
})

test('a run whose files are being written is removed with all of them', async () => {
  const host = await newHost()
  const handle = await host.start(lines, { input: 1, workspace: newFolder(), name: 'busy' })
  await handle.done
  await writeRunFolder(host, 'busy', { mode: 'global' })
  const folder = join(host.folder, 'runs', `run-${handle.id}`)
  let isLate = false
  const writing = Array.from({ length: 4 }, async (_, writer) => {
    for (let file = 0; !isLate; file++) {
      const path = join(folder, 'analysis', `${writer}-${file}`)
      await writeFile(path, '').catch(() => {
        isLate = true
      })
    }
  })
  // A writer ends when its folder is gone, or soon.
  const end = setTimeout(() => {
    isLate = true
  }, 300)
  await host.remove('busy')
  clearTimeout(end)
  isLate = true
  await Promise.all(writing)
  expect(existsSync(folder)).toBe(false)
})

test('a prefix of a name is not enough to remove a run', async () => {
  const host = await newHost()
  await (await host.start(lines, { input: 4, workspace: newFolder(), name: 'brave-owl' })).done
  await expect(host.remove('brave')).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('"brave-owl"'),
  })
  expect(await host.list()).toHaveLength(1)
})
