// A set of hostile paths against every tool that takes one. None leaves the workspace: nothing
// outside is read or changed. None crashes or hangs. Each gets an error that says what is wrong.
// Paths of the real system are only passed to tools that read. Tools that write get paths to the
// folder beside the workspace, and to locations that do not exist.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, canary, openBench, stateOf } from './fixture.ts'
import {
  emptyPaths,
  folderPaths,
  gitPaths,
  hostileLinks,
  impossiblePaths,
  lookAlikes,
  loops,
  outputPaths,
  outsidePaths,
  specialFiles,
  systemPaths,
  traversals,
  underFiles,
  unprintablePaths,
} from './hostile-path-set.ts'

let bench: Bench
let server: Server
let before: readonly string[]

beforeAll(async () => {
  bench = openBench()
  const { workspace, outside } = bench
  bench.put('file.txt', 'inside\n')
  bench.put('sub/deep/file.txt', 'inside\n')
  bench.put('.git/config', '[core]\n')
  bench.put('.git/hooks/pre-commit', '#!/bin/sh\n')
  bench.put('module/.git', 'gitdir: ../.git/modules/module\n')
  for (const [name, target] of Object.entries(hostileLinks(outside)))
    symlinkSync(target, join(workspace, name))
  spawnSync('mkfifo', [join(workspace, 'pipe'), join(workspace, 'sub/pipe')])
  server = createServer().listen(join(workspace, 'socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  before = stateOf(outside)
})

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  bench.close()
})

/** Tools that take a path, with their other arguments. */
const readers: Readonly<Record<string, object>> = {
  read: {},
  list: {},
  glob: { pattern: '**' },
  grep: { pattern: '.' },
}
const writers: Readonly<Record<string, object>> = {
  write: { content: 'changed' },
  edit: { old: canary, new: 'changed' },
}
const all = { ...readers, ...writers }

/** What is wrong with the answers to a path that must be refused: nothing. */
async function wrongs(
  tools: Readonly<Record<string, object>>,
  path: string,
  codes: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [tool, more] of Object.entries(tools)) {
    const { ok, error = '', output } = await bench.call(tool, { path, ...more })
    const must = (holds: boolean, what: string): void => {
      if (!holds) found.push(`${tool}: ${what} (${error}: ${output.slice(0, 300)})`)
    }
    must(!ok, 'it was not refused')
    must(codes.includes(error), `the code is none of ${codes.join(', ')}`)
    must(!output.includes(canary), 'it shows what is outside')
    const name = JSON.stringify(path.slice(0, 40)).slice(1, -1)
    must(output.includes(name), 'it does not name the path')
    const rest = output.replaceAll(path, '')
    must(!rest.includes('/proc/self/fd'), 'it shows a place that only this process knows')
    must(output.length < 1000, 'it is too long')
  }
  const after = stateOf(bench.outside)
  if (after.join('\n') !== before.join('\n')) found.push('something outside changed')
  return found
}

const counted: string[] = []
const set = (paths: readonly string[]): readonly string[] => {
  counted.push(...paths)
  return paths
}

describe('out of the workspace', () => {
  test.each(set(traversals))('by the traversal %s', async (path) => {
    expect(await wrongs(all, path, ['outside-workspace'])).toEqual([])
  })

  test.each(set(outsidePaths))('by %s', async (path) => {
    expect(await wrongs(all, path, ['outside-workspace', 'not-a-folder'])).toEqual([])
  })

  test('by absolute paths beside it', async () => {
    const { base, outside, workspace } = bench
    const paths = [
      outside,
      `${outside}/secret.txt`,
      `${workspace}/../outside/secret.txt`,
      `${workspace}/sub/../../outside/secret.txt`,
      `${workspace}-2/x`,
      `${workspace}x`,
      `${base}/workspace/to-outside/secret.txt`,
      `${base}//workspace/..//outside/secret.txt`,
      base,
      `${base}/`,
    ]
    for (const path of paths) {
      expect(await wrongs(all, path, ['outside-workspace'])).toEqual([])
    }
  })

  test.each(set(systemPaths))('by the system path %s', async (path) => {
    expect(await wrongs(readers, path, ['outside-workspace'])).toEqual([])
  })
})

describe('invalid paths', () => {
  test.each(set(impossiblePaths))('%.60j', async (path) => {
    expect(await wrongs(all, path, ['bad-path'])).toEqual([])
  })

  test.each(set(loops))('the loop %s', async (path) => {
    expect(await wrongs(all, path, ['bad-path'])).toEqual([])
  })

  test('nested deeper than anything is', async () => {
    expect(await wrongs(readers, 'a/'.repeat(200), ['not-found'])).toEqual([])
  })

  test.each(set(emptyPaths))('the empty one %j', async (path) => {
    for (const [tool, more] of Object.entries(all)) {
      const result = await bench.call(tool, { path, ...more })
      expect(result).toMatchObject({ ok: false, error: 'bad-arguments' })
      expect(result.output).toContain('path')
    }
  })
})

describe('special files', () => {
  const special = set(specialFiles)
  const { read, grep, ...others } = { ...readers, ...writers }
  const { write, edit, ...folders } = others

  test.each(special)('%s is not opened', async (path) => {
    const files = { read: read ?? {}, grep: grep ?? {}, write: write ?? {}, edit: edit ?? {} }
    expect(await wrongs(files, path, ['not-a-file'])).toEqual([])
    expect(await wrongs(folders, path, ['not-a-folder'])).toEqual([])
  })

  test.each(set(underFiles))('%s is not a folder', async (path) => {
    expect(await wrongs(all, path, ['not-a-folder'])).toEqual([])
  })

  test.each(set(folderPaths))('%s is a folder', async (path) => {
    expect(await wrongs({ read: {}, ...writers }, path, ['not-a-file'])).toEqual([])
  })
})

// Only some users may create one.
test('a device is not opened', async ({ skip }) => {
  const made = spawnSync('mknod', [join(bench.workspace, 'device'), 'c', '1', '5'])
  skip(made.status !== 0, 'a device cannot be made here')
  const files = { read: {}, grep: { pattern: '.' }, ...writers }
  expect(await wrongs(files, 'device', ['not-a-file'])).toEqual([])
})

describe('files of git', () => {
  test.each(['.gitignore', '.github/ci.yml', 'sub/.gitattributes', 'git/config', 'x.git'])(
    'do not include %s',
    async (path) => {
      expect(await bench.call('write', { path, content: 'x' })).toMatchObject({ ok: true })
    },
  )

  test.each(set(gitPaths))('are not changed by %j', async (path) => {
    expect(await wrongs({ write: { content: 'x' } }, path, ['protected'])).toEqual([])
    expect(
      await wrongs({ edit: { old: 'core', new: 'x' } }, path, ['protected', 'not-found']),
    ).toEqual([])
    expect(bench.get('.git/config')).toBe('[core]\n')
    expect(bench.get('.git/hooks/pre-commit')).toBe('#!/bin/sh\n')
    expect(bench.get('module/.git')).toContain('gitdir')
  })
})

describe('stored output', () => {
  const paths = set(outputPaths)
  test.each(paths)('is not reached by %j', async (path) => {
    expect(await wrongs({ read: {}, grep: { pattern: '.' } }, path, ['not-found'])).toEqual([])
  })
  test.each(paths)('is not changed by %j', async (path) => {
    expect(await wrongs(writers, path, ['protected'])).toEqual([])
  })
})

describe('look-alikes are ordinary names inside', () => {
  test.each(set(lookAlikes))('%j', async (path) => {
    expect(await wrongs(readers, path, ['not-found'])).toEqual([])
    expect(await wrongs({ edit: { old: 'a', new: 'b' } }, path, ['not-found'])).toEqual([])
    expect(await bench.call('write', { path, content: 'inside' })).toMatchObject({ ok: true })
    expect(bench.get(path)).toBe('inside')
    expect(stateOf(bench.outside)).toEqual(before)
  })

  test.each(set(unprintablePaths))('%j is not created', async (path) => {
    expect(await wrongs(readers, path, ['not-found'])).toEqual([])
    expect(await wrongs({ write: { content: 'x' } }, path, ['bad-path'])).toEqual([])
  })
})

describe('patterns', () => {
  test.each([
    '../**',
    '../outside/*',
    'sub/../../outside/*',
    '/etc/*',
    '/**',
    './../**',
    '~/**',
    '**/../../outside/*',
  ])('glob and grep refuse %s', async (pattern) => {
    for (const args of [{ pattern }, { pattern, path: 'sub' }]) {
      const result = await bench.call('glob', args)
      expect(result).toMatchObject({ ok: false, error: 'outside-workspace' })
      expect(result.output).toContain(pattern)
    }
    const result = await bench.call('grep', { pattern: 'CANARY', include: pattern })
    expect(result).toMatchObject({ ok: false, error: 'outside-workspace' })
  })

  test('walks find nothing through links, and do not loop', async () => {
    const found = await bench.call('grep', { pattern: 'CANARY' })
    expect(found).toMatchObject({ ok: true })
    expect(found.output).toMatch(/^\[No line matches/)
    const files = await bench.call('glob', { pattern: '**' })
    expect(files.output).toMatch(/^to-outside$/m)
    expect(files.output).not.toMatch(/^(to-.*|chain.*|loop.*|sub\/up|git-link)\//m)
  })
})

test('a refused path leaves nothing behind', async () => {
  for (const path of ['made/../../outside/x', 'made/.git/x', 'made/a\nb', 'made/x/../../..']) {
    expect(await bench.call('write', { path, content: 'x' })).toMatchObject({ ok: false })
  }
  expect((await bench.call('list', { path: 'made' })).error).toBe('not-found')
})

test('a folder that is replaced by a link in the meantime leads nowhere', async () => {
  const { workspace, outside } = bench
  const swapped = join(workspace, 'swapped')
  let isOver = false
  const swap = async (): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      try {
        rmSync(swapped, { recursive: true, force: true })
        if (round % 2 === 0) mkdirSync(swapped)
        else symlinkSync(outside, swapped)
      } catch {
        // A tool was faster and created the folder, or a file in it.
      }
      // From between two system calls of a tool to a while after it.
      await (round % 7 < 4 ? new Promise((resolve) => setImmediate(resolve)) : sleep(round % 3))
    }
  }
  const swapping = swap()
  const codes = new Set<string>()
  for (let round = 0; round < 300; round++) {
    const results = await Promise.all([
      bench.call('read', { path: 'swapped/secret.txt' }),
      bench.call('grep', { path: 'swapped', pattern: 'CANARY' }),
      bench.call('glob', { path: 'swapped', pattern: '**' }),
      bench.call('list', { path: 'swapped' }),
      bench.call('write', { path: 'swapped/new.txt', content: 'x' }),
    ])
    for (const { ok, error, output } of results) {
      codes.add(ok ? 'ok' : (error ?? ''))
      expect(output).not.toMatch(/CANARY|secret\.txt\t|inner/)
    }
  }
  isOver = true
  await swapping
  expect(stateOf(outside)).toEqual(before)
  expect([...codes]).toEqual(expect.arrayContaining(['outside-workspace', 'ok']))
  expect([...codes]).not.toContain('tool-failed')
})

test('the set has at least 200 paths, each once', () => {
  expect(counted.length).toBeGreaterThanOrEqual(200)
  expect(new Set(counted).size).toBe(counted.length)
})
