import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findOnPath } from './find-on-path.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-path-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function program(path: string): string {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, '#!/bin/sh\necho git version 9.9.9\n')
  chmodSync(whole, 0o755)
  return whole
}

const find = (name: string, folders: readonly string[], projectFolders: readonly string[] = []) =>
  findOnPath(name, { path: folders.map((one) => join(folder, one)).join(':'), projectFolders })

test('ignores programs that npm links for a project', async () => {
  program('project/node_modules/.bin/toy')
  const real = program('bin/toy')
  expect(await find('toy', ['project/node_modules/.bin', 'bin'])).toEqual([real])
})

test('ignores programs inside a project, by path or by symlink target', async () => {
  const inside = program('project/tools/toy')
  mkdirSync(join(folder, 'bin'))
  symlinkSync(inside, join(folder, 'bin/toy'))
  symlinkSync(join(folder, 'project'), join(folder, 'alias'))
  const folders = ['project/tools', 'bin', 'alias/tools']
  expect(await find('toy', folders, [join(folder, 'project')])).toEqual([])
  expect(await find('toy', folders, [join(folder, 'alias')])).toEqual([])
  expect(await find('toy', folders)).toHaveLength(3)
})

test('ignores programs in the current folder and relative PATH entries', async () => {
  const here = join(process.cwd(), 'package.json')
  expect(await findOnPath('toy', { path: `.:${relative(process.cwd(), folder)}` })).toEqual([])
  expect(await findOnPath('package.json', { path: dirname(here) })).toEqual([])
  const before = process.cwd()
  program('toy')
  try {
    process.chdir(folder)
    expect(await find('toy', ['.'])).toEqual([])
  } finally {
    process.chdir(before)
  }
})

test('puts system folders first, whatever the order of the PATH', async () => {
  const other = program('bin/git')
  const path = [dirname(other), '/usr/bin'].join(':')
  expect(await findOnPath('git', { path })).toEqual(['/usr/bin/git', other])
  expect(await findOnPath('git', { path, keepOrder: true })).toEqual([other, '/usr/bin/git'])
})

test('finds nothing that is not on the PATH', async () => {
  expect(await find('git', ['nowhere'])).toEqual([])
})
