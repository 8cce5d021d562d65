// What callers, clocks and disks should not do to a host, but do.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../src/engine/index.ts'
import { collectGarbage } from '../src/host/collect-garbage.ts'
import { type Decision, LoopError, type LoopType } from '../src/host/index.ts'
import { canonicalJson } from '../src/protocol/canonical-json.ts'
import { createNamed } from '../src/runs/run-names.ts'
import { newFolder, newHost } from './host-fixture.ts'

const brief: LoopType<null, null, null, null> = {
  name: 'brief',
  createContext: () => null,
  iterate: (_context, it) => it.step('nothing', () => null),
  extractProgress: () => null,
  until: [{ type: 'max-iterations', iterations: 1 }],
}

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

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted })

describe('the state folder', () => {
  test('that is in the workspace through a symlink is not part of its tree', async () => {
    const workspace = newFolder()
    const link = join(newFolder(), 'link')
    symlinkSync(workspace, link)
    const host = await newHost(join(link, '..state'))
    await (await host.start(brief, { input: null, workspace, name: 'inside' })).done
    const file = JSON.parse(await host.exportCheckpoint('inside')) as {
      loopwright: { files: readonly unknown[] }
    }
    expect(file.loopwright.files).toEqual([])
  })

  test('cannot be a workspace, even through a symlink or as a folder to be created', async () => {
    const host = await newHost()
    const link = join(newFolder(), 'link')
    symlinkSync(host.folder, link)
    const places = [host.folder, link, join(link, 'blobs'), join(link, 'blobs', 'new', 'er')]
    for (const workspace of places) {
      const starting = host.start(brief, { input: null, workspace })
      await expect(starting).rejects.toEqual(code('bad-request'))
    }
    expect(await host.list()).toEqual([])
    const below = join(link, 'examples', 'one')
    mkdirSync(below, { recursive: true })
    await (await host.start(brief, { input: null, workspace: below })).done
  })

  test('in an existing folder does not change its mode', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o755)
    await newHost(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o755)
    expect(statSync((await newHost()).folder).mode & 0o777).toBe(0o700)
  })

  test('without runs but with content is not swept', async () => {
    const host = await newHost()
    expect(await host.collectGarbage()).toMatchObject({ removed: 0 })
    const { blob } = await host.blobs.put('of a run whose journal was lost')
    const later = { ...systemClock, now: () => Date.now() + 7_200_000 }
    await expect(collectGarbage({ ...host, clock: later })).rejects.toEqual(code('bad-request'))
    expect(existsSync(host.blobs.path(blob))).toBe(true)
  })

  test('with damage is not swept', async () => {
    const host = await newHost()
    const journal = { ...host.journal, integrityProblems: async () => ['page 2 is never used'] }
    const sweep = collectGarbage({ ...host, journal, clock: systemClock })
    await expect(sweep).rejects.toEqual(code('store-damaged'))
  })

  test('loses the leftovers of killed restores after an hour', async () => {
    const host = await newHost()
    for (const name of ['restore-old', 'restore-new']) {
      mkdirSync(join(host.folder, 'tmp', name), { recursive: true })
    }
    utimesSync(join(host.folder, 'tmp', 'restore-old'), 1, 1)
    await host.collectGarbage()
    expect(readdirSync(join(host.folder, 'tmp'))).toEqual(['restore-new'])
  })
})

describe('an invalid request is refused and not recorded', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an unknown type', { type: 'explode' }],
    ['a name that every object has', { type: 'toString' }],
    ['a stop without a reason', { type: 'stop' }],
    ['a cancel with a number', { type: 'cancel', reason: 7 }],
    ['no limits', { type: 'change-limits', limits: null }],
    ['a limit that is not a number', { type: 'change-limits', limits: { tokens: Number.NaN } }],
    ['a limit below zero', { type: 'change-limits', limits: { tokens: -1 } }],
    ['a limit as text', { type: 'change-limits', limits: { tokens: '7' } }],
    ['a limit of null', { type: 'change-limits', limits: { tokens: null } }],
    ['a misspelt limit', { type: 'change-limits', limits: { token: 7 } }],
  ])('%s', async (_name, decision) => {
    const host = await newHost()
    const run = await host.start(slow, { input: null, name: 'told', graceMs: 1 })
    const telling = host.sendDecision(
      'told',
      decision as Exclude<Decision, { type: 'answer' }>,
      'me',
    )
    await expect(telling).rejects.toEqual(code('bad-request'))
    expect(await host.journal.pendingDecisions(run.id)).toEqual([])
  })

  test('limits of a new run: known names only, and undefined means absent', async () => {
    const host = await newHost()
    const misspelt = { iterationz: 3 } as object
    const starting = host.start(brief, { input: null, limits: misspelt })
    await expect(starting).rejects.toThrow(/no limit "iterationz".*iterations, tokens/)
    const close = { iteration: 3 } as object
    const singular = host.start(brief, { input: null, limits: close })
    await expect(singular).rejects.toThrow(/must be an object.*"iterations"/)
    const open = { deadlineAtMs: undefined } as object
    await (await host.start(brief, { input: null, name: 'open', limits: open })).done
    const forking = host.fork('open', brief, { iteration: 1, limits: misspelt })
    await expect(forking).rejects.toEqual(code('bad-request'))
    const text = await host.exportCheckpoint('open')
    const restoring = host.restoreCheckpoint(text, brief, { limits: misspelt })
    await expect(restoring).rejects.toEqual(code('bad-request'))
    await (await host.fork('open', brief, { iteration: 1, limits: open })).done
  })

  test('names that cannot be typed, or that would be mistaken for something else', async () => {
    const host = await newHost()
    const whole = '01a1e26c-7952-7c6e-8f3b-0123456789ab'
    const ids = [whole, whole.toUpperCase(), whole.slice(0, 13), whole.slice(0, 8)]
    const bad = [
      '',
      'a\nb',
      '\u001b[2J',
      'a/b',
      'x'.repeat(201),
      '..',
      '.x',
      '-x',
      '--help',
      ...ids,
    ]
    for (const name of bad) {
      await expect(host.start(brief, { input: null, name })).rejects.toEqual(code('bad-name'))
    }
    for (const name of ['20261116', 'facade', '01-first', 'a..b']) {
      await (await host.start(brief, { input: null, name })).done
    }
  })

  test('an answer that is not text', async () => {
    const host = await newHost()
    const answering = host.answer('any', 'question', 7 as unknown as string, 'me')
    await expect(answering).rejects.toEqual(code('bad-answer'))
  })
})

test('a generated name that is taken is replaced, a given one is not', async () => {
  const tried: string[] = []
  const taken = async ({ name }: { name: string }): Promise<void> => {
    tried.push(name)
    if (tried.length < 3) throw new LoopError('name-taken', name)
  }
  expect((await createNamed(undefined, taken)).name).toBe(tried[2])
  tried.length = 0
  await expect(createNamed('mine', taken)).rejects.toEqual(code('name-taken'))
  expect(tried).toEqual(['mine'])
})

test('a suspended run can be cancelled while another run works in its workspace', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const start = { input: null, workspace, graceMs: 1 }
  const first = await host.start(slow, { ...start, name: 'first' })
  first.shutDown()
  await first.done
  await host.start(slow, { ...start, name: 'second' })
  await host.sendDecision('first', { type: 'cancel', reason: 'enough' }, 'me')
  expect((await host.inspect('first')).run.status).toBe('cancelled')
})

describe('a checkpoint file', () => {
  async function exportOf(fill: (workspace: string) => void): Promise<string> {
    const host = await newHost()
    const workspace = newFolder()
    fill(workspace)
    await (await host.start(brief, { input: null, workspace, name: 'origin' })).done
    return host.exportCheckpoint('origin')
  }

  test('is refused if a name or a symlink is not UTF-8, with that name', async () => {
    const named = exportOf((workspace) => {
      writeFileSync(Buffer.concat([Buffer.from(`${workspace}/bad-`), Buffer.from([0xff])]), '')
    })
    await expect(named).rejects.toThrow(/bad-\\xff/)
    const linked = exportOf((workspace) =>
      symlinkSync(Buffer.from([0x66, 0xff]), join(workspace, 'pointer')),
    )
    await expect(linked).rejects.toThrow(/pointer/)
  })

  interface Entry {
    readonly path: string
    readonly mode: string
    readonly encoding: string
    readonly content: string
  }

  /** The same file with different files in it, and a matching digest. */
  function withFiles(text: string, change: (files: readonly Entry[]) => readonly Entry[]): string {
    const { sha256: _old, ...file } = JSON.parse(text) as {
      sha256: string
      loopwright: { files: readonly Entry[] }
    }
    file.loopwright.files = change(file.loopwright.files)
    const sha256 = createHash('sha256').update(canonicalJson(file)).digest('hex')
    return JSON.stringify({ ...file, sha256 })
  }

  test('may have the target of a symlink as base64', async () => {
    const text = await exportOf((workspace) => symlinkSync('nowhere', join(workspace, 'pointer')))
    const encoded = withFiles(text, (files) =>
      files.map((file) => ({ ...file, encoding: 'base64', content: btoa(file.content) })),
    )
    const workspace = newFolder()
    await (await (await newHost()).restoreCheckpoint(encoded, brief, { workspace })).done
    expect(readlinkSync(join(workspace, 'pointer'))).toBe('nowhere')
  })

  test.each([
    ['a path that is too long', { path: 'x'.repeat(300), mode: 'file', content: '' }],
    ['a link to a NUL', { path: 'l', mode: 'symlink', content: 'a\0b' }],
    ['a link that is too long', { path: 'l', mode: 'symlink', content: 'x'.repeat(5000) }],
  ])('with %s is refused as bad', async (_name, entry) => {
    const text = withFiles(await exportOf(() => undefined), () => [{ encoding: 'utf8', ...entry }])
    const host = await newHost()
    const restoring = host.restoreCheckpoint(text, brief, { workspace: newFolder() })
    await expect(restoring).rejects.toMatchObject({
      code: 'bad-checkpoint',
      message: expect.stringContaining('cannot be written'),
    })
    expect(readdirSync(join(host.folder, 'tmp'))).toEqual([])
  })
})

test('runs that share a signal cause no warning', async () => {
  const warnings: string[] = []
  const onWarning = (warning: Error): unknown => warnings.push(warning.name)
  process.on('warning', onWarning)
  const host = await newHost()
  const stop = new AbortController()
  const runs = []
  for (let count = 0; count < 20; count++) {
    runs.push(await host.start(slow, { input: null, signal: stop.signal, graceMs: 1 }))
  }
  stop.abort()
  await Promise.all(runs.map((run) => run.done))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('followers of events are released when the host closes, and closing twice is harmless', async () => {
  const folder = newFolder()
  const [host, other] = [await newHost(folder), await newHost(folder)]
  await host.start(slow, { input: null, name: 'slow', graceMs: 1 })
  const types: string[] = []
  const following = (async () => {
    for await (const { event } of other.events('slow')) types.push(event.type)
  })()
  while (!types.includes('step-started')) await sleep(5)
  await other.close()
  await other.close()
  await following
  await expect(other.list()).rejects.toThrow(/host is closed/)
})
