import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTextFile, writeTextFile } from './text-files.ts'

let folder: string
let top: string
let outside: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-text-files-'))
  top = join(folder, 'top')
  outside = join(folder, 'outside')
  await Promise.all([mkdir(join(top, 'specs'), { recursive: true }), mkdir(outside)])
  await writeFile(join(outside, 'plan.md'), 'outside')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const path = 'specs/planning/plan.md'

/** Puts something in the way of the file. */
const obstacles: readonly (readonly [string, boolean, (full: string) => Promise<unknown>])[] = [
  ['a symlink', true, (full) => symlink(join(outside, 'plan.md'), full)],
  ['a pipe', true, async (full) => execFileSync('mkfifo', [full])],
  ['a folder', false, (full) => mkdir(join(full, 'inner'), { recursive: true })],
  ['a symlink as its folder', false, (full) => replace(full, (at) => symlink(outside, at))],
  ['a symlink to nothing as its folder', false, (full) => replace(full, (at) => symlink('x', at))],
  ['a file as its folder', false, (full) => replace(full, (at) => writeFile(at, ''))],
]

async function replace(full: string, make: (path: string) => Promise<unknown>): Promise<void> {
  await rm(dirname(full), { recursive: true })
  await make(dirname(full))
}

test.each(obstacles)('%s is not read, and replaced only if asked', async (_what, isAlways, put) => {
  const full = join(top, path)
  await mkdir(dirname(full))
  await put(full)
  expect(await readTextFile(top, path)).toBeUndefined()
  const isReplaced = await writeTextFile(top, path, 'new').then(
    () => true,
    () => false,
  )
  expect(isReplaced).toBe(isAlways)
  await writeTextFile(top, path, 'newer', { force: true })
  expect(await readTextFile(top, path)).toBe('newer')
  expect((await lstat(full)).isFile()).toBe(true)
  expect(await readdir(dirname(full))).toEqual(['plan.md'])
  expect(await readdir(outside)).toEqual(['plan.md'])
  expect(await readFile(join(outside, 'plan.md'), 'utf8')).toBe('outside')
})

test.each(['../outside/plan.md', '/etc/x', 'a/../../x', '.git/config', 'a/.git/x', 'a//b', ''])(
  'refuses the path %j',
  async (wrong) => {
    await expect(writeTextFile(top, wrong, '', { force: true })).rejects.toThrow('is not the path')
  },
)
