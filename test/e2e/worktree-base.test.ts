/**
 * Which commit runs in worktrees start from, what is printed about them, and what remains when they
 * are removed.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, linesOf } from './loop-fixture.ts'
import { type Checkout, folderOf, repository, run } from './worktree-fixture.ts'

const writing = `
prompt: Write.
checks: { written: test -e new.txt }
agent: { script: [[{ call: write, args: { path: new.txt, content: new } }, { say: Wrote. }]] }
`
const idle = 'prompt: Go.\nchecks: { fine: "true" }\nagent: { script: [[{ say: Fine. }]] }\n'

function detached(): Checkout {
  const at = repository(writing)
  writeFileSync(join(at.work, 'a.txt'), 'later\n')
  at.git('commit', '-q', '-a', '-m', 'second')
  at.git('switch', '-q', '--detach', 'HEAD~1')
  return at
}

test('without a branch, a run starts from the checked-out commit, and says so', async () => {
  const at = detached()
  const head = at.git('rev-parse', 'HEAD').trim()
  const from = `from HEAD ${head.slice(0, 12)} (no branch)`
  expect((await ctl(at, 'run', at.file, '--dry-run')).stdout).toContain(
    `on branch run/<name of the run>, ${from}`,
  )
  const ended = await ctl(at, 'run', at.file, '--trust', '--name', 'story')
  expect(ended).toMatchObject({ code: 0 })
  expect(ended.stdout.split('\n')[0]).toContain(from)
  expect(readFileSync(join(folderOf(at, 'story'), 'a.txt'), 'utf8')).toBe('a\n')
  expect(at.git('rev-parse', 'run/story~1').trim()).toBe(head)
  expect((await ctl(at, 'inspect', 'story')).stdout).toContain(`run/story, ${from}`)
})

test('without a branch, uncommitted changes are compared with what is checked out', async () => {
  const at = detached()
  writeFileSync(join(at.work, 'a.txt'), 'later\n')
  const refused = await run(at)
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('has uncommitted changes: a.txt')
  const plan = await ctl(at, 'run', at.file, '--dry-run')
  expect(plan.code).toBe(refused.code)
  expect(plan.stdout).toContain(`would be refused:\n${at.work} has uncommitted changes: a.txt`)
  expect((await ctl(at, 'run', at.file, '--dry-run', '--allow-dirty')).code).toBe(0)
})

test('a dry run says what another base is, and if there is none', async () => {
  const at = repository(idle)
  at.git('branch', 'other')
  const plan = await ctl(at, '--json', 'run', at.file, '--dry-run', '--base', 'other')
  expect(linesOf(plan)).toMatchObject([{ worktree: { isUsed: true, base: { name: 'other' } } }])
  const none = await ctl(at, 'run', at.file, '--dry-run', '--base', 'nowhere')
  expect(none.stderr).toContain('There is no commit "nowhere"')
})

test('a branch without commits is not called merged', async () => {
  const at = repository(idle)
  expect(await run(at, '--name', 'story')).toMatchObject({ code: 0 })
  expect((await ctl(at, 'worktrees')).stdout).toContain('completed, no commits')
})

test('a branch that outlived its worktree is named when the run is removed, with the command to delete it', async () => {
  const at = repository(writing)
  expect(await run(at, '--name', 'story')).toMatchObject({ code: 0 })
  await ctl(at, 'worktrees', 'clean', '--yes')
  const { stdout } = await ctl(at, 'rm', '--yes', 'story')
  expect(stdout).toContain('its branch run/story was kept: its commits are not in main')
  expect(stdout).toContain('git branch -D run/story')
  at.git('branch', '-D', 'run/story')
})

test('a worktree with changes outlives its run, with the reason and the command to delete it', async () => {
  const at = repository(writing)
  expect(await run(at, '--name', 'story')).toMatchObject({ code: 0 })
  const folder = folderOf(at, 'story')
  writeFileSync(join(folder, 'mine.txt'), 'mine')
  const { stdout } = await ctl(at, 'rm', '--yes', 'story')
  expect(stdout).toContain(`git worktree remove --force ${folder}`)
  const clean = (): ReturnType<typeof ctl> =>
    ctl(at, 'worktrees', 'clean', '--yes', '--repo', at.work)
  expect((await clean()).stdout).toContain('it has uncommitted changes: mine.txt')
  expect(existsSync(join(folder, 'mine.txt'))).toBe(true)
  at.git('worktree', 'remove', '--force', folder)
})

test('a merge prints the next step, and a refused one prints the git command that does it', async () => {
  const at = repository(writing)
  expect(await run(at, '--name', 'story')).toMatchObject({ code: 0 })
  const refused = await ctl(at, 'merge', 'story', '--into', 'main')
  expect(refused.stderr).toContain('git merge run/story')
  const merged = await ctl(at, 'merge', 'story', '--into', 'agent/all')
  expect(merged.stdout).toContain('git merge agent/all')
  expect((await ctl(at, 'worktrees')).stdout).toContain('completed, merged')
})
