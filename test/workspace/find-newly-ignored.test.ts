// Files that checks see in a worktree but that are in no commit.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findNewlyIgnored, type KnownWorktree } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
let worktree: KnownWorktree
beforeEach(async () => {
  fixture = createGitFixture({
    '.gitignore': 'dist/\n*.pyc\n.env\nnode_modules\n',
    'lib/.gitignore': 'made\n',
    'lib/a.js': 'a\n',
  })
  fixture.write('.env', 'KEY=1')
  fixture.write('node_modules/pkg/index.js')
  fixture.git('config', 'core.excludesFile', '/nonexistent/loopwright')
  worktree = await fixture.create({ key: 'k' })
})
afterEach(() => fixture.remove())

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(worktree.path, path)), { recursive: true })
    writeFileSync(join(worktree.path, path), path.endsWith('.gitignore') ? '*\n' : path)
  }
}

const found = async (): Promise<readonly string[]> =>
  findNewlyIgnored(await fixture.repository(), worktree)

test('files that the base ignores, or that were carried over, are not listed', async () => {
  write('dist/out.js', 'lib/__pycache__/a.pyc', 'lib/made', 'node_modules/pkg/new.js', 'new.js')
  expect(await found()).toEqual([])
})

test('caches for which a tool writes a rule are not listed', async () => {
  write(
    '.pytest_cache/.gitignore',
    '.pytest_cache/v/cache/lastfailed',
    'lib/.ruff_cache/.gitignore',
  )
  expect(await found()).toEqual([])
})

test('files that new rules ignore are listed until they are committed', async () => {
  write('fix/real.js', 'fix/deep/er.js', 'tool/.gitignore', 'tool/real.js', 'lib/other/b.js')
  const rules = 'dist/\n*.pyc\n.env\nnode_modules\nfix/\n'
  writeFileSync(join(worktree.path, '.gitignore'), rules)
  writeFileSync(join(worktree.path, 'lib/.gitignore'), 'made\nother\n')
  const workspace = await fixture.open(worktree)
  await workspace.commit({ message: 'Work' })
  expect(await found()).toEqual(['fix/', 'lib/other/', 'tool/'])
  writeFileSync(join(worktree.path, '.gitignore'), 'dist/\n')
  await workspace.commit({ message: 'More' })
  writeFileSync(join(worktree.path, '.gitignore'), rules)
  await workspace.commit({ message: 'Again' })
  expect(await found()).toEqual(['lib/other/', 'tool/'])
})

test('files in a nested repository or with a reserved name are listed', async () => {
  write('nest/.gitignore', 'nest/real.js', '.GIT/real.js')
  fixture.gitIn(join(worktree.path, 'nest'), 'init', '-q')
  expect(await found()).toEqual(['.GIT/real.js', 'nest/.gitignore', 'nest/real.js'])
})

test('the checkout stays unchanged, and no files are left behind', async () => {
  const before = fixture.fingerprint()
  write('fix/.gitignore', 'fix/real.js')
  await found()
  expect(fixture.fingerprint()).toBe(before)
  const admin = fixture.git('rev-parse', '--git-path', `worktrees/${worktree.id}/loopwright-look`)
  expect(readdirSync(join(fixture.checkout, admin.trim())).toSorted()).toEqual([
    'HEAD',
    'config',
    'info',
    'refs',
  ])
})
