/** A run in a worktree that is killed again and again, at any point, ends with each commit once. */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, environment, linesOf, loopctl } from './loop-fixture.ts'
import { type Checkout, folderOf, repository, subjects } from './worktree-fixture.ts'

const iterations = 6

const counting = `
prompt: Count.
checks: { enough: 'test "$(wc -l < log.txt)" -ge ${iterations}' }
agent:
  script:
    - - { call: run, args: { command: echo x >> log.txt } }
      - { say: Counted. }
`

/** Killed after this many events. Returns whether it ended before. */
function killedAfter(at: Checkout, events: number, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [loopctl, '--json', ...args], {
    env: environment(at.state),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let seen = 0
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString().split('\n').length - 1
    if (seen >= events) child.kill('SIGKILL')
  })
  return new Promise((resolve) => child.on('exit', (code) => resolve(code === 0)))
}

test('killed at many moments, a run loses no commit and makes none twice', async () => {
  const at = repository(counting)
  const before = at.seen()
  let isOver = await killedAfter(at, 3, ['run', at.file, '--trust', '--name', 'killed'])
  const tips: string[] = []
  for (let kills = 0; !isOver && kills < 4; kills += 1) {
    tips.push(at.git('rev-parse', 'run/killed').trim())
    isOver = await killedAfter(at, 2 + ((kills * 5) % 13), ['resume', 'killed'])
  }
  if (!isOver) await ctl(at, 'resume', 'killed')
  expect(subjects(at, 'run/killed')).toEqual(
    Array.from({ length: iterations }, (_, index) => `killed: iteration ${iterations - index}`),
  )
  for (const tip of tips) at.git('merge-base', '--is-ancestor', tip, 'run/killed')
  const folder = folderOf(at, 'killed')
  expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('x\n'.repeat(iterations))
  expect(at.git('-C', folder, 'status', '--porcelain')).toBe('')
  expect(at.seen()).toBe(before)
  expect(linesOf(await ctl(at, '--json', 'worktrees'))).toHaveLength(1)
}, 180_000)
