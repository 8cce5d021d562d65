import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ActionContext } from '../../engine/index.ts'
import { editArtifactsExecutor } from './edit-artifacts.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loopwright-edit-'))
  mkdirSync(join(root, 'p'))
  writeFileSync(join(root, 'p', 'a.md'), 'old', { mode: 0o640 })
  writeFileSync(join(root, 'b.md'), 'old b')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const files = [
  { path: 'p/a.md', from: 'old', to: 'new' },
  { path: 'b.md', from: 'old b', to: 'new b' },
]
const actionOf = (given: readonly object[] = files) =>
  ({ kind: 'edit-artifacts', summary: 's', details: { files: given } }) as never
const context = (fence: () => Promise<void> = async () => undefined) =>
  ({ fence }) as unknown as ActionContext
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { perform, find } = {
  perform: (given?: readonly object[], fence?: () => Promise<void>) =>
    editArtifactsExecutor(root).perform(actionOf(given), 'key', context(fence)),
  find: () => editArtifactsExecutor(root).find(actionOf(), 'key', context()),
}

test('files that are as they were get their new text, and keep their mode', async () => {
  expect(await find()).toEqual({ type: 'not-done' })
  expect(await perform()).toMatchObject({ status: 'done', summary: 'changed p/a.md, b.md' })
  expect([read('p/a.md'), read('b.md')]).toEqual(['new', 'new b'])
  expect(statSync(join(root, 'p', 'a.md')).mode & 0o777).toBe(0o640)
  expect(readdirSync(root)).toEqual(['b.md', 'p'])
  expect(await find()).toMatchObject({ type: 'done' })
})

test('if one of them has changed, none is written', async () => {
  writeFileSync(join(root, 'b.md'), 'changed by a person')
  await expect(perform()).rejects.toThrow('b.md has changed since the run began')
  expect([read('p/a.md'), read('b.md')]).toEqual(['old', 'changed by a person'])
  expect(await find()).toEqual({ type: 'unknown' })
})

test('after a kill in the middle the rest is written', async () => {
  writeFileSync(join(root, 'p', 'a.md'), 'new')
  expect(await find()).toEqual({ type: 'not-done' })
  await perform()
  expect([read('p/a.md'), read('b.md')]).toEqual(['new', 'new b'])
})

test('a process that lost the run writes nothing', async () => {
  await expect(perform(files, () => Promise.reject(new Error('fenced')))).rejects.toThrow('fenced')
  expect([read('p/a.md'), read('b.md')]).toEqual(['old', 'old b'])
})

test.each(['../x', '/x', 'p/../../x', 'p//a.md'])('a path outside is refused: %s', async (path) => {
  await expect(perform([{ path, from: '', to: 'x' }])).rejects.toThrow('is not a path inside')
})

test('a link is not followed', async () => {
  rmSync(join(root, 'p'), { recursive: true })
  mkdirSync(join(root, 'other'))
  writeFileSync(join(root, 'other', 'a.md'), 'old')
  symlinkSync('other', join(root, 'p'))
  await expect(perform()).rejects.toThrow('p/a.md has changed')
  expect(read('other/a.md')).toBe('old')
})
