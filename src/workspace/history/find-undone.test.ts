import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findRepository } from '../git/repository.ts'
import { findUndone } from './find-undone.ts'

const lines = (...changed: readonly string[]): string =>
  [...Array.from({ length: 30 }, (_, at) => changed[at] ?? `line ${at}`), ''].join('\n')

let folder: string
let landed: string

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()

function commit(message: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  git('add', '-A')
  git('commit', '-qm', message)
  return git('rev-parse', 'HEAD')
}

const found = async (branch = 'main') =>
  findUndone(await findRepository(folder), { commit: landed, branch })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-undone-'))
  git('init', '-qb', 'main')
  commit('first', { 'a b.txt': lines(), 'other.txt': 'x\n' })
  landed = commit('the work', { 'a b.txt': lines('changed'), 'new.txt': 'new\n' })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('work that landed', () => {
  test('is not undone by commits that leave it, also of the same file', async () => {
    expect(await found()).toBeUndefined()
    commit('more', { 'a b.txt': lines('changed', 'more'), 'new.txt': 'newer\n' })
    commit('This reverts commit 0123456789abcdef.', { 'other.txt': 'y\n' })
    expect(await found()).toBeUndefined()
  })

  test('is undone by git revert', async () => {
    git('revert', '--no-edit', landed)
    expect(await found()).toEqual({
      branch: 'main',
      commit: git('rev-parse', 'HEAD'),
      how: 'revert-commit',
    })
  })

  test('is undone by a revert whose message says so, also if it was not exact', async () => {
    const by = commit(`Back out\n\nThis reverts commit ${landed.slice(0, 12)}.`, {
      'a b.txt': lines('neither'),
    })
    expect(await found()).toMatchObject({ commit: by, how: 'revert-commit' })
  })

  test('is undone by a commit with the opposite patch, among others and after other changes', async () => {
    commit('far away', { 'a b.txt': lines('changed').replace('line 25', 'line 25!') })
    git('rm', '-q', 'new.txt')
    const by = commit('tidy', {
      'a b.txt': lines().replace('line 25', 'line 25!'),
      'other.txt': 'z\n',
    })
    commit('later', { 'other.txt': 'later\n' })
    expect(await found()).toMatchObject({ commit: by, how: 'opposite-patch' })
  })

  test('is undone by several commits after which its files are as before', async () => {
    commit('one', { 'a b.txt': lines() })
    expect(await found()).toBeUndefined()
    git('rm', '-q', 'new.txt')
    const by = commit('two', {})
    expect(await found()).toMatchObject({ commit: by, how: 'restored-files' })
  })

  test('is looked for on every branch that contains it, but not on branches of runs', async () => {
    git('checkout', '-qb', 'run/other')
    git('revert', '--no-edit', landed)
    expect(await found()).toBeUndefined()
    git('checkout', '-q', 'main')
    git('checkout', '-qb', 'release')
    git('revert', '--no-edit', landed)
    expect(await found()).toMatchObject({ branch: 'release', how: 'revert-commit' })
  })

  test.each([
    ['diff.context', '0'],
    ['diff.noprefix', 'true'],
  ])(
    'is undone by the opposite patch, also if the repository sets %s to %s',
    async (key, value) => {
      git('config', key, value)
      commit('far away', { 'a b.txt': lines('changed').replace('line 25', 'line 25!') })
      git('rm', '-q', 'new.txt')
      const opposite = commit('tidy', { 'a b.txt': lines().replace('line 25', 'line 25!') })
      expect(await found()).toMatchObject({ commit: opposite, how: 'opposite-patch' })
    },
  )

  test('is undone by git revert, also if it changed very many files', async () => {
    const many = Array.from({ length: 1001 }, (_, at) => [`many-${at}.txt`, 'x\n'])
    landed = commit('much work', Object.fromEntries(many))
    git('revert', '--no-edit', landed)
    expect(await found()).toMatchObject({ how: 'revert-commit' })
  })

  test('is unknown if its commit, its branch or its parent is not there', async () => {
    const repository = await findRepository(folder)
    const gone = 'f'.repeat(40)
    expect(await findUndone(repository, { commit: gone })).toBeUndefined()
    expect(await found('no such branch')).toBeUndefined()
    landed = git('rev-list', '--max-parents=0', 'HEAD')
    expect(await found()).toBeUndefined()
  })

  test('is undone by a merge that brings the revert', async () => {
    git('checkout', '-qb', 'topic')
    git('revert', '--no-edit', landed)
    git('checkout', '-q', 'main')
    commit('meanwhile', { 'other.txt': 'm\n' })
    git('merge', '-q', '--no-edit', 'topic')
    expect(await found()).toMatchObject({ branch: 'main', how: 'revert-commit' })
  })
})
