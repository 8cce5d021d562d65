/**
 * What runs in worktrees print about them, and how they are resumed: by the built loopctl, with
 * real git and a scripted agent.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ctl, eventsOf, leftAt } from './loop-fixture.ts'
import {
  countingLoop as counting,
  folderOf,
  repository,
  run,
  subjects,
} from './worktree-fixture.ts'

describe('a run in a repository', () => {
  test('prints first where it works', async () => {
    const at = repository(counting)
    const { stdout } = await ctl(at, 'run', at.file, '--trust', '--name', 'seen')
    const [first] = stdout.split('\n')
    expect(first).toContain(`on run/seen in ${folderOf(at, 'seen')}`)
  })

  test('prints what it carried over, also as JSON and later', async () => {
    const at = repository(counting)
    writeFileSync(join(at.work, '.git', 'info', 'exclude'), '.env\nnode_modules\n')
    writeFileSync(join(at.work, '.env'), 'KEY=secret\n')
    mkdirSync(join(at.work, 'node_modules'))
    const { stdout } = await ctl(at, 'run', at.file, '--trust', '--name', 'seen')
    const line = '.env, node_modules (copied)'
    expect(stdout.split('\n')[1]).toBe(`carried over: ${line}`)
    expect((await ctl(at, 'inspect', 'seen')).stdout).toMatch(/^carried over +\.env, node_modules/m)
    const [created] = eventsOf(await run(at, '--name', 'again'), 'run-created')
    expect(created).toMatchObject({
      worktree: { carried: { copied: ['.env', 'node_modules'], linked: [] } },
    })
  })

  test('prints where its work is only if there is any, as does a fork', async () => {
    const at = repository(counting)
    const { stdout } = await ctl(at, 'run', at.file, '--trust', '--name', 'busy')
    expect(stdout).toContain('Its work is on run/busy. Look at it: loopctl diff busy\n')
    const fork = await ctl(at, 'fork', 'busy', '--at', '1', '--name', 'branched')
    expect(fork.stdout).toContain('Its work is on run/branched. Look at it: loopctl diff branched')
    const idle = repository(
      "prompt: x\nchecks: { ok: 'true' }\nagent: { script: [[{ say: x }]] }\n",
    )
    const ended = await ctl(idle, 'run', idle.file, '--trust', '--name', 'idle')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('It changed no files.')
    expect(ended.stdout).not.toContain('Look at it')
  })

  test('does not count a new loop file, the files it names, or the state folder as a change', async () => {
    const at = repository(counting)
    const file = join(at.work, 'loops', 'count.yaml')
    mkdirSync(dirname(file))
    writeFileSync(join(dirname(file), 'prompt.md'), 'Count. {{ progress }}')
    writeFileSync(
      file,
      `workspace: ..\n${counting.replace('"Count. {{ progress }}"', '{ file: prompt.md }')}`,
    )
    const state = join(at.work, '.record [x]')
    const inside = { ...at, state, file }
    expect(await run(inside, '--name', 'one')).toMatchObject({ code: 0 })
    expect(await run(inside, '--name', 'two', '--again')).toMatchObject({ code: 0 })
    expect(subjects(at, 'run/two')).toHaveLength(3)
  })
})

const slow = `
prompt: Count.
checks: { three: 'test "$(wc -l < log.txt)" -ge 3' }
agent:
  script:
    - - { call: run, args: { command: echo x >> log.txt } }
      - { say: one }
    - - { call: run, args: { command: 'echo x >> log.txt; sleep 2' } }
      - { say: two }
    - - { call: run, args: { command: echo x >> log.txt } }
      - { say: three }
`

describe('resuming a run in a worktree', () => {
  test('after kill -9 continues where it stopped and loses no commit', async () => {
    const at = repository(slow)
    const args = ['run', at.file, '--trust', '--attended', '--name', 'killed']
    expect(await leftAt(at, {}, args, 'iteration 2', 'SIGKILL')).toBe(null)
    const tip = at.git('rev-parse', 'run/killed').trim()
    expect(subjects(at, 'run/killed')).toEqual(['killed: iteration 1'])
    expect(await ctl(at, '--json', 'resume', 'killed', '--attended')).toMatchObject({ code: 0 })
    expect(subjects(at, 'run/killed')).toHaveLength(3)
    expect(at.git('rev-parse', 'run/killed~2').trim()).toBe(tip)
    expect(readFileSync(join(folderOf(at, 'killed'), 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
  })

  test.each(['deleted', 'pruned'] as const)('whose worktree was %s restores it', async (what) => {
    const at = repository(slow, {
      '.gitignore': '.env\n',
    })
    writeFileSync(join(at.work, '.env'), 'KEY=1\n')
    const args = ['run', at.file, '--trust', '--attended', '--name', 'gone']
    await leftAt(at, {}, args, 'iteration 2')
    const folder = folderOf(at, 'gone')
    if (what === 'deleted') rmSync(folder, { recursive: true })
    else rmSync(join(at.work, '.git/worktrees'), { recursive: true })
    const ended = await ctl(at, '--json', 'resume', 'gone', '--attended')
    expect(ended).toMatchObject({ code: 0 })
    expect(
      eventsOf(ended, 'workspace-changed').filter(({ why }) => why === 'changed-outside'),
    ).toEqual([])
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('KEY=1\n')
    expect(subjects(at, 'run/gone')).toHaveLength(3)
    expect(at.git('-C', folder, 'status', '--porcelain')).toBe('')
  })
})
