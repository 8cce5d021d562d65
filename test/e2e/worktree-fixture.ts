/** Tests of runs in git repositories: a checkout beside the loop file, made with plain git. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commitFirst } from '../first-commit.ts'
import { ctl, type Place, placeFor } from './loop-fixture.ts'

export interface Checkout extends Place {
  git(...args: readonly string[]): string
  /** Everything that the user sees of it, and the bytes of its index. */
  seen(): string
}

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@localhost']

export function repository(loop: string, files: Readonly<Record<string, string>> = {}): Checkout {
  const at = placeFor(loop, { 'a.txt': 'a\n', ...files })
  const env = { PATH: process.env['PATH'] ?? '', HOME: at.state, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...identity, ...args], {
      cwd: at.work,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  commitFirst(at.work, env)
  const seen = (): string =>
    [
      // The files of runs are there, and git ignores them.
      git('status', '--porcelain', '--ignored').replace('!! logs/\n', ''),
      git('rev-parse', 'HEAD'),
      git('symbolic-ref', 'HEAD'),
      readFileSync(join(at.work, '.git/index')).toString('hex'),
    ].join('\n')
  return { ...at, git, seen }
}

export const run = (at: Place, ...args: string[]): ReturnType<typeof ctl> =>
  ctl(at, '--json', 'run', at.file, '--trust', ...args)

/** Of the worktree of a run. */
export const folderOf = (at: Place, name: string): string =>
  join(dirname(at.work), `work.run-${name}`)

/** Of its commits, newest first. */
export const subjects = (at: Checkout, branch: string): readonly string[] =>
  at.git('log', '--format=%s', `main..${branch}`).trim().split('\n')

/** Completes in its third iteration. */
export const countingLoop = `
prompt: "Count. {{ progress }}"
checks: { three: 'test "$(wc -l < log.txt)" -ge 3' }
agent:
  script:
    - - { call: run, args: { command: echo x >> log.txt } }
      - { say: "Counted\\u001b[31m one.\\nMore." }
`
