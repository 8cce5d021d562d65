// Lookups in a repository, which share one git process.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveObjects } from '../../src/workspace/git/refs.ts'
import { openGitTrees, runGit } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture()
})
afterEach(() => fixture.remove())

const head = (name = 'HEAD'): string => fixture.git('rev-parse', name).trim()

test('find what exists, each name for itself, and see every change', async () => {
  const { commonDir } = await fixture.repository()
  const resolve = (...names: readonly string[]): ReturnType<typeof resolveObjects> =>
    resolveObjects(runGit, commonDir, names)
  const hostile = [
    'none',
    '--batch',
    '',
    ' ',
    'HEAD\nHEAD',
    'HEAD\0',
    'HEAD missing',
    '\u00e9'.repeat(30),
  ]
  expect(await resolve(...hostile, 'main^{tree}')).toEqual([
    ...hostile.map(() => undefined),
    head('main^{tree}'),
  ])
  const asked = Array.from({ length: 20 }, (_, index) => resolve(index % 2 === 0 ? 'main' : 'none'))
  expect(await Promise.all(asked)).toEqual(asked.map((_, i) => [i % 2 === 0 ? head() : undefined]))
  const first = head()
  fixture.write('b.txt')
  fixture.commitAll('second')
  expect(await resolve('main', 'main^')).toEqual([head(), first])
  fixture.git('gc', '-q', '--prune=now')
  expect(await resolve('main', 'main^')).toEqual([head(), first])
  fixture.git('branch', 'other')
  expect(await resolve('other')).toEqual([head()])
  fixture.git('branch', '-D', 'other')
  expect(await resolve('other')).toEqual([undefined])
})

test('work although their process was killed, and in a repository that is gone', async () => {
  const { commonDir, ...rest } = await fixture.repository()
  expect(await resolveObjects(runGit, commonDir, ['main'])).toEqual([head()])
  for (const pid of lookupProcesses(commonDir)) process.kill(pid, 'SIGKILL')
  expect(await resolveObjects(runGit, commonDir, ['main'])).toEqual([head()])
  const gone = { ...rest, commonDir: `${commonDir}-gone` }
  expect(await openGitTrees(gone).resolveTree('main')).toBeUndefined()
})

/** Those of this test alone. */
function lookupProcesses(gitDir: string): readonly number[] {
  const pids = execFileSync('ps', ['-eo', 'pid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim().endsWith(' git'))
    .map((line) => Number.parseInt(line, 10))
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`GIT_DIR=${gitDir}\0`)
    } catch {
      return false
    }
  })
}
