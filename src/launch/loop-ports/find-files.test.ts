import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFindFiles } from './find-files.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-find-')))
  mkdirSync(join(root, 'work', 'cases', 'deep', 'deeper'), { recursive: true })
  mkdirSync(join(root, 'work', '.git'))
  for (const name of [
    'cases/b.txt',
    'cases/a.txt',
    'cases/c.md',
    'cases/deep/d.txt',
    'cases/deep/deeper/e.txt',
    'cases/$(x).txt',
    'cases/[1].txt',
    '.git/f.txt',
  ]) {
    writeFileSync(join(root, 'work', name), name)
  }
  writeFileSync(join(root, 'secret.txt'), 'x')
  symlinkSync('..', join(root, 'work', 'cases', 'loop'))
  symlinkSync(join(root, 'secret.txt'), join(root, 'work', 'cases', 'link.txt'))
  symlinkSync(root, join(root, 'work', 'out'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const find = async (...patterns: readonly string[]): Promise<readonly string[]> =>
  (
    await createFindFiles(join(root, 'work'))(
      { patterns, filesMax: 10 },
      new AbortController().signal,
    )
  ).map(({ path }) => path)

test('globs and paths find regular files, sorted, each once', async () => {
  expect(await find('cases/*.txt', 'cases/a.txt')).toEqual([
    'cases/$(x).txt',
    'cases/[1].txt',
    'cases/a.txt',
    'cases/b.txt',
  ])
  expect(await find('cases/c.md')).toEqual(['cases/c.md'])
  expect(await find('missing/*', 'missing')).toEqual([])
})

test('links are not followed, also not in circles, and .git is no place for cases', async () => {
  expect(await find('cases/**/*.txt')).toEqual([
    'cases/$(x).txt',
    'cases/[1].txt',
    'cases/a.txt',
    'cases/b.txt',
    'cases/deep/d.txt',
    'cases/deep/deeper/e.txt',
  ])
  expect(await find('out/*', 'out/secret.txt', 'cases/link.txt', '.git/*')).toEqual([])
})

test('each has its size and the digest of its content', async () => {
  const [one] = await createFindFiles(join(root, 'work'))(
    { patterns: ['cases/a.txt'], filesMax: 1 },
    new AbortController().signal,
  )
  expect(one).toEqual({
    path: 'cases/a.txt',
    bytes: 11,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('too many are refused', async () => {
  for (let at = 0; at < 12; at++) writeFileSync(join(root, 'work', 'cases', `${at}.txt`), '')
  await expect(find('cases/*')).rejects.toThrow('more than 10 files match cases/*')
})
