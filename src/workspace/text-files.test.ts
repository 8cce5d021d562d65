import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTextFile, writeTextFile } from './text-files.ts'

let folder = ''
let top = ''
let outside = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-text-'))
  top = join(folder, 'work')
  outside = join(folder, 'outside')
  mkdirSync(top)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.md'), 'secret')
  symlinkSync(join(outside, 'secret.md'), join(top, 'link.md'))
  symlinkSync(outside, join(top, 'linked'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('text files of a workspace', () => {
  test('are written with their folders, and read again', async () => {
    await writeTextFile(top, 'specs/planning/plan.md', 'one')
    await writeTextFile(top, 'specs/planning/plan.md', 'two')
    expect(await readTextFile(top, 'specs/planning/plan.md')).toBe('two')
    expect(readdirSync(join(top, 'specs/planning'))).toEqual(['plan.md'])
  })

  test('are absent if there is none, or only a folder', async () => {
    expect(await readTextFile(top, 'nothing.md')).toBeUndefined()
    expect(await readTextFile(top, 'specs')).toBeUndefined()
  })

  test('are never reached through a symlink', async () => {
    expect(await readTextFile(top, 'link.md')).toBeUndefined()
    expect(await readTextFile(top, 'linked/secret.md')).toBeUndefined()
    await expect(writeTextFile(top, 'linked/new.md', 'x')).rejects.toThrow(/is a symlink/)
    expect(readdirSync(outside)).toEqual(['secret.md'])
    // A symlink at the path itself is replaced.
    await writeTextFile(top, 'link.md', 'ours')
    expect(lstatSync(join(top, 'link.md')).isFile()).toBe(true)
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret')
  })

  test.each([
    '',
    '.',
    '../a',
    'a/../../b',
    '/etc/passwd',
    'a//b',
    '.git/config',
    'a/.git/hooks/x',
    'a\0b',
  ])('are not named %j', async (path) => {
    await expect(async () => readTextFile(top, path)).rejects.toThrow(/not the path of a file/)
    await expect(async () => writeTextFile(top, path, '')).rejects.toThrow(/not the path of a file/)
  })
})
