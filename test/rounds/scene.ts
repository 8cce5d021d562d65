/**
 * A project of a team for one test: a repository with a remote on GitHub, which is a stand-in for `gh`, a home, a state folder,
 * and the built loopctl. Only the agents are scripted; they are in the repository, as programs.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RoundReport } from '../../src/protocol/round/round-report.ts'
import { afterStory } from '../after.ts'
import { commitFirst } from '../first-commit.ts'
import { type Github, openGithub } from '../github/github.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

export interface Scene {
  readonly folder: string
  /** The checkout of the user. */
  readonly repo: string
  readonly remote: string
  readonly home: string
  readonly state: string
  readonly github: Github
  readonly env: NodeJS.ProcessEnv
  git(...args: readonly string[]): string
  ctl(...args: readonly string[]): Promise<Ended>
  write(files: Readonly<Record<string, string>>): void
}

export interface SceneOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Commands go to the daemon of the state folder. */
  readonly hasDaemon?: boolean
}

export function createScene(
  files: Readonly<Record<string, string>>,
  { env = {}, hasDaemon = false }: SceneOptions = {},
): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-rounds-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const at = (...names: readonly string[]): string => join(folder, ...names)
  const [repo, home, state, remote] = [at('shop'), at('home'), at('state'), at('acme', 'shop.git')]
  const write = (written: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(written)) {
      mkdirSync(dirname(join(repo, name)), { recursive: true })
      writeFileSync(join(repo, name), text)
    }
  }
  for (const one of [repo, home, remote]) mkdirSync(one, { recursive: true })
  write(files)
  const github = openGithub(at('github'))
  const own = { PATH: github.path, HOME: home, USER: 'tester', ...env }
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@localhost', ...args], {
      cwd: repo,
      env: own,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  execFileSync('git', ['init', '-q', '--bare', remote], { env: own })
  commitFirst(repo, own)
  git('remote', 'add', 'origin', remote)
  git('push', '-q', 'origin', 'main')
  const variables = { ...own, LOOPWRIGHT_STATE: state, LOOP_USE_DAEMON: hasDaemon ? '1' : '0' }
  const ctl = (...args: readonly string[]) => warmLoopctl(args, variables, repo)
  return { folder, repo, remote, home, state, github, env: variables, git, ctl, write }
}

interface Row {
  readonly id?: string
  readonly status?: string
  readonly kind?: string
  readonly event?: {
    readonly type: string
    readonly role?: string
    readonly by?: string
    readonly result?: { readonly value?: unknown }
  }
}

/** What a command printed with `--json`. */
export const rowsIn = ({ stdout }: Pick<Ended, 'stdout'>): readonly Row[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row)

/** The last report in what `run` or `tail` printed. */
export function reportIn(ended: Ended): RoundReport {
  const row = rowsIn(ended).findLast(({ event }) => event?.role === 'round-report')
  const report = row?.event?.result?.value
  if (report === undefined)
    throw new Error(`There is no report: ${JSON.stringify(ended).slice(-3000)}`)
  return report as RoundReport
}
