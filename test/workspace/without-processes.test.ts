// Trees and refs that are read without a process for each: the answers are those of git.

import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listRefs } from '../../src/workspace/checkout/list-refs.ts'
import { readSmallTree } from '../../src/workspace/git/read-objects.ts'
import { type RunGit, runGit, worktreeFiles } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture({
    'a.txt': 'a\n',
    'deep/in/b.txt': 'b\n',
    'deep.txt': 'c\n',
    'd\n"e': 'd',
  })
})
afterEach(() => fixture.remove())

const format = '%(objectname) %(refname)%(if)%(*objectname)%(then)%0a^%(*objectname)%(end)'
const byGit = (): string =>
  fixture.git('for-each-ref', `--format=${format}`, 'refs/heads', 'refs/remotes', 'refs/tags')

async function list(git: RunGit = runGit): Promise<string> {
  return listRefs(git, worktreeFiles, await fixture.repository())
}

test('refs: loose, packed, peeled, symbolic, and none for files that are not refs', async () => {
  fixture.git('branch', 'feature/one')
  fixture.git('tag', 'light')
  fixture.git('tag', '-a', '-m', 'x', 'v1')
  fixture.git('pack-refs', '--all')
  fixture.git('tag', '-a', '-m', 'y', 'v2')
  fixture.git('branch', 'b\u00e4r')
  fixture.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  fixture.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  const before = byGit()
  const gitDir = join(fixture.checkout, '.git')
  writeFileSync(join(gitDir, 'refs/heads/main^'), 'x')
  writeFileSync(join(gitDir, 'refs/heads/main.lock'), 'x')
  symlinkSync('/', join(gitDir, 'refs/heads/outside'))
  const commands: string[] = []
  const found = await list((call) => {
    commands.push(call.command)
    return runGit(call)
  })
  expect(found).toBe(before)
  expect(commands).toEqual(['cat-file'])
})

test('many refs are listed by git', async () => {
  const id = fixture.git('rev-parse', 'HEAD').trim()
  const lines = Array.from({ length: 6000 }, (_, index) => `${id} refs/tags/t${index}\n`).toSorted()
  writeFileSync(join(fixture.checkout, '.git', 'packed-refs'), lines.join(''))
  expect(await list()).toBe(byGit())
})

test('a tree, in the order of git', async () => {
  const tree = fixture.git('rev-parse', 'HEAD^{tree}').trim()
  const found = await readSmallTree(runGit, await fixture.repository(), tree)
  const lines = [...(found ?? [])].map(([path, { mode, id }]) => `${mode} blob ${id}\t${path}\0`)
  expect(lines.join('')).toBe(fixture.git('ls-tree', '-r', '-z', '--full-tree', tree))
})

test('a tree with many folders, in several reads; with very many it is left to git', async () => {
  const listed = async (folders: number): Promise<number | undefined> => {
    const commands: string[] = []
    const git: RunGit = (call) => {
      commands.push(call.command)
      return runGit(call)
    }
    const found = await readSmallTree(git, await fixture.repository(), importFolders(folders))
    expect(new Set(commands)).toEqual(new Set(['cat-file']))
    return found?.size
  }
  expect(await listed(450)).toBe(450)
  expect(await listed(1001)).toBeUndefined()
})

/** The tree of a commit with a file in each folder. */
function importFolders(count: number): string {
  const files = Array.from({ length: count }, (_, index) => [
    `M 100644 inline f${index}/x`,
    'data <<E',
    `${index}`,
    'E',
  ])
  const head = ['commit refs/heads/many', 'committer a <a@b> 0 +0000', 'data 0', 'deleteall']
  const input = [...head, ...files.flat(), 'done', ''].join('\n')
  execFileSync('git', ['fast-import', '--quiet', '--done', '--force'], {
    cwd: fixture.checkout,
    input,
  })
  return fixture.git('rev-parse', 'many^{tree}').trim()
}
