/** Commands about runs in worktrees, by the built loopctl: forks, replays, diffs, lists, clean-up. */

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ctl, endOf, linesOf } from './loop-fixture.ts'
import { type Checkout, folderOf, repository, run, subjects } from './worktree-fixture.ts'

const counting = `
prompt: "Count. {{ progress }}"
checks: { three: 'test "$(wc -l < log.txt)" -ge 3 && git log --oneline -1 >&2' }
agent:
  script:
    - - { call: run, args: { command: 'printf "x\\033[31m\\n" >> log.txt' } }
      - { say: Counted. }
`

async function counted(): Promise<Checkout> {
  const at = repository(counting)
  const ended = await run(at, '--name', 'count')
  expect(endOf(ended)).toMatchObject({
    outcome: { type: 'completed' },
    branch: 'run/count',
    workspace: folderOf(at, 'count'),
  })
  return at
}

test('a run in a worktree can be forked, replayed, shown and cleaned up', async () => {
  const at = await counted()
  const before = at.seen()
  const forked = await ctl(at, '--json', 'fork', 'count', '--at', '1', '--name', 'fork')
  expect(forked).toMatchObject({ code: 0 })
  expect(subjects(at, 'run/fork')).toEqual([
    'fork: iteration 3',
    'fork: iteration 2',
    'count: iteration 1',
  ])
  expect(readFileSync(join(folderOf(at, 'fork'), 'log.txt'), 'utf8').split('\n')).toHaveLength(4)

  const replayed = await ctl(at, '--json', 'replay', 'count')
  expect(replayed).toMatchObject({ code: 0 })
  expect(endOf(replayed)).toMatchObject({ same: true, complete: true })
  expect(at.git('branch', '--list', 'replay/*')).toBe('')

  const { stdout: patch } = await ctl(at, 'diff', 'count', '--iteration', '2')
  expect(patch).toContain(String.raw`+x\x1b[31m`)
  expect(patch).not.toContain('\u001b')
  expect((await ctl(at, 'diff', 'count', '--stat')).stdout).toBe('log.txt  +3 -0\n1 file\n')

  const { stdout: inspected } = await ctl(at, 'inspect', 'count')
  expect(inspected).toMatch(/branch +run\/count, from main [0-9a-f]{12}\n/)

  const listed = linesOf(await ctl(at, '--json', 'worktrees', '--repo', at.work))
  expect(listed).toMatchObject([
    { branch: 'run/count', run: { name: 'count', status: 'completed' }, status: 'there' },
    { branch: 'run/fork', run: { name: 'fork' }, state: { uncommitted: [] } },
  ])
  writeFileSync(join(folderOf(at, 'fork'), 'mine.txt'), 'mine')
  const { stdout: cleaned } = await ctl(at, 'worktrees', 'clean', '--yes')
  expect(cleaned).toContain('removed  count')
  expect(cleaned).toContain('branch run/count kept: its commits are not in main')
  expect(cleaned).toMatch(/kept +fork .*uncommitted changes: mine\.txt/)
  expect(existsSync(folderOf(at, 'count'))).toBe(false)
  expect(subjects(at, 'run/count')).toHaveLength(3)
  const { stdout: removed } = await ctl(at, 'rm', '--yes', 'fork')
  expect(removed).toContain(`its worktree ${folderOf(at, 'fork')} was kept`)
  expect(readFileSync(join(folderOf(at, 'fork'), 'mine.txt'), 'utf8')).toBe('mine')
  expect(at.seen()).toBe(before)
})

test('a dry run says whether there would be a worktree, and creates none', async () => {
  const at = repository(counting)
  const plan = await ctl(at, '--json', 'run', at.file, '--dry-run')
  expect(linesOf(plan)).toMatchObject([
    {
      worktree: {
        isUsed: true,
        branch: 'run/<name of the run>',
        carry: expect.arrayContaining([{ path: '**/.env', by: 'copy' }]),
      },
    },
  ])
  const { stdout: shown } = await ctl(at, 'run', at.file, '--dry-run')
  expect(shown).toMatch(/^worktree +a separate one on branch run\/.*commit for each iteration$/m)
  expect(shown).toMatch(/^ +ignored files carried over: .*\.env \(copied\)/m)
  expect(shown).not.toContain('works in the folder where it is run')
  const inPlace = await ctl(at, 'run', at.file, '--dry-run', '--in-place')
  expect(inPlace.stdout).toMatch(/^worktree +none$/m)
  expect(at.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('anything unknown is refused with the command that lists what exists', async () => {
  const at = await counted()
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await ctl(at, ...args)
    expect(code).not.toBe(0)
    return stderr.trimEnd()
  }
  expect(await refusal('inspect', 'nosuch')).toMatch(/: loopctl list$/)
  expect(await refusal('diff', 'count', '--iteration', '9')).toMatch(/: loopctl inspect count$/)
  expect(await refusal('show', 'count', '9')).toMatch(/: loopctl inspect count$/)
  expect(await refusal('fork', 'count', '--at', '9')).toMatch(
    /^loopctl: Run "count" has no checkpoint after iteration 9\..*: loopctl inspect count$/,
  )
  expect(await refusal('resume', 'count')).toMatch(/: loopctl fork count --at <iteration>$/)
  expect(await refusal('resume', 'count', '--from', '1')).toMatch(/: loopctl fork count --at /)
})

test('conflicting options are refused', async () => {
  const at = repository(counting)
  const refused = await run(at, '--in-place', '--base', 'main')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr + refused.stdout).toContain('--in-place')
})

test('a new loop file that is named through a symlink is not a change of the checkout', async () => {
  const at = repository(counting)
  writeFileSync(join(at.work, 'loop.yaml'), `workspace: .\n${counting}`)
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-link-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(at.work, join(folder, 'link'))
  const through = { ...at, file: join(folder, 'link', 'loop.yaml') }
  expect(await run(through, '--name', 'linked')).toMatchObject({ code: 0 })
  expect(subjects(at, 'run/linked')).toHaveLength(3)
})

test('worktrees in the checkout itself are not changes of it', async () => {
  const path = '".trees/{{ run_branch | sanitize }}"'
  const at = repository(`${counting}worktree: { path: ${path} }\n`)
  expect(await run(at, '--name', 'one')).toMatchObject({ code: 0 })
  expect(await run(at, '--name', 'two', '--again')).toMatchObject({ code: 0 })
  expect(existsSync(join(at.work, '.trees', 'run-two', 'log.txt'))).toBe(true)
})

test('an uncommitted fix is not certified, and is named when the run ends, and by diff', async () => {
  const at = repository(`
prompt: Fix it.
checks: { real: test -e fix/real.txt }
agent:
  script:
    - - { call: write, args: { path: .gitignore, content: "fix/\\n" } }
      - { call: write, args: { path: fix/real.txt, content: real } }
      - { say: Fixed. }
`)
  const ended = await run(at, '--name', 'hidden')
  expect(endOf(ended)).toMatchObject({ outcome: { type: 'stuck' }, leftOut: ['fix/'] })
  expect(ended.stdout).toContain('fails-clean')
  const shown = await ctl(at, 'diff', 'hidden', '--stat')
  expect(shown.stdout).toBe('.gitignore  +1 -0\n1 file\n')
  expect(shown.stderr).toContain('not committed, but visible to its checks: fix/')
})
