import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findMissingDependencies } from './missing-dependencies.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-missing-'))
  mkdirSync(join(folder, 'project'))
  write('package.json', { name: 'a', version: '1.0.0', dependencies: { ufo: '^1.0.0' } })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, content: object): void =>
  writeFileSync(join(folder, 'project', name), JSON.stringify(content))

const missing = (mode: 'install' | 'carry' = 'install') =>
  findMissingDependencies(join(folder, 'project'), mode, join(folder, 'state'))

test('without a lockfile and installed packages, versions must be resolved', async () => {
  expect((await missing()).unresolved).toContain('package.json')
})

test('nothing is asked if packages are installed or carried over', async () => {
  expect(await missing('carry')).toEqual({ sources: [] })
  mkdirSync(join(folder, 'project/node_modules'))
  expect(await missing()).toEqual({ sources: [] })
})

test('a package from git in the lockfile needs an approval', async () => {
  const commit = '0123456789abcdef0123456789abcdef01234567'
  const resolved = `git+https://example.org/ufo.git#${commit}`
  const packages = { '': {}, 'node_modules/ufo': { version: '1.0.0', resolved } }
  write('package-lock.json', { name: 'a', lockfileVersion: 3, packages })
  const { sources, unresolved } = await missing()
  expect(unresolved).toBeUndefined()
  expect(sources.map(({ id }) => id).join()).toContain(commit)
})
