/**
 * Runs of loop files in a git repository, by the built loopctl, with real git and a scripted agent:
 * each works in a separate worktree, and the user's checkout stays unchanged.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProof } from '../share.ts'
import { ctl, endOf, eventsOf } from './loop-fixture.ts'
import {
  countingLoop as counting,
  folderOf,
  repository,
  run,
  subjects,
} from './worktree-fixture.ts'

/** Completes in its first iteration. */
const once = counting.replace('-ge 3', '-ge 1')

describe('a run in a repository', () => {
  test('works on a separate branch, with a commit for each iteration, and leaves the checkout unchanged', async () => {
    const at = repository(counting)
    const before = at.seen()
    const ended = await run(at, '--name', 'Count it')
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
    expect(at.seen()).toBe(before)
    expect(existsSync(join(at.work, 'log.txt'))).toBe(false)
    expect(subjects(at, 'run/count-it')).toEqual([
      'Count it: iteration 3',
      'Count it: iteration 2',
      'Count it: iteration 1',
    ])
    const [created] = eventsOf(ended, 'run-created')
    expect(created).toMatchObject({
      worktree: {
        branch: 'run/count-it',
        base: { name: 'main', commit: at.git('rev-parse', 'main').trim() },
        repository: join(at.work, '.git'),
      },
    })
    const folder = folderOf(at, 'count-it')
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
    expect(at.git('-C', folder, 'status', '--porcelain')).toBe('')
    const body = at.git('log', '-1', '--format=%b', 'run/count-it')
    expect(body).toContain('Counted one.\n\nLoopwright-Run: ')
  })

  // Also in test/e2e/preflight.test.ts, in a folder without a commit.
  test.each(inProof)('with --in-place works in the checkout itself, %s', async () => {
    const at = repository(counting)
    expect(await run(at, '--in-place', '--name', 'here')).toMatchObject({ code: 0 })
    expect(readFileSync(join(at.work, 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
    expect(at.git('branch', '--list', 'run/*')).toBe('')
  })

  test('is refused while there are uncommitted changes, with the alternatives', async () => {
    const at = repository(once)
    writeFileSync(join(at.work, 'a.txt'), 'changed\n')
    const refused = await run(at, '--name', 'dirty')
    expect(refused.code).not.toBe(0)
    for (const way of [
      'a.txt',
      'git add',
      '.git/info/exclude',
      'git stash',
      '--allow-dirty',
      '--in-place',
    ]) {
      expect(refused.stderr + refused.stdout).toContain(way)
    }
    expect(at.git('branch', '--list', 'run/*')).toBe('')
    expect(await run(at, '--name', 'dirty', '--allow-dirty')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folderOf(at, 'dirty'), 'a.txt'), 'utf8')).toBe('a\n')
  })

  // Also in test/daemon/workspaces.test.ts.
  test.each(inProof)(
    'in a folder inside the repository works in that folder of a worktree, %s',
    async () => {
      const at = repository(once)
      const inner = join(at.work, 'inner')
      mkdirSync(inner)
      writeFileSync(join(inner, 'kept.txt'), 'k\n')
      at.git('add', '-A')
      at.git('commit', '-q', '-m', 'inner')
      const { code } = await ctl(
        at,
        'run',
        at.file,
        '--trust',
        '--name',
        'in',
        '--workspace',
        inner,
      )
      expect(code).toBe(0)
      expect(existsSync(join(inner, 'log.txt'))).toBe(false)
      expect(existsSync(join(folderOf(at, 'in'), 'inner/log.txt'))).toBe(true)
    },
  )

  test('that cannot start leaves no worktree behind', async () => {
    const at = repository(`${counting}sandbox: { readOnly: [not-there] }\n`)
    const refused = await run(at, '--name', 'never')
    expect(refused.code).not.toBe(0)
    expect(existsSync(folderOf(at, 'never'))).toBe(false)
    expect(at.git('branch', '--list', 'run/*')).toBe('')
    expect(at.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  test('starts from another branch with --base', async () => {
    const at = repository(once)
    at.git('switch', '-q', '-c', 'other')
    writeFileSync(join(at.work, 'other.txt'), 'o\n')
    at.git('add', '-A')
    at.git('commit', '-q', '-m', 'other')
    at.git('switch', '-q', 'main')
    expect(await run(at, '--base', 'other', '--name', 'based')).toMatchObject({ code: 0 })
    expect(existsSync(join(folderOf(at, 'based'), 'other.txt'))).toBe(true)
  })
})
