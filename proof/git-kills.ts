/**
 * Kills a process at every boundary of the life of a worktree, then takes it up again as a resumed
 * run would: nothing that it was told is done may be lost, the person's checkout is as it was, and at
 * the end nothing is left behind.
 */

import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { killAbandoned } from '#src/sandbox/index.ts'
import {
  createWorktree,
  findRepository,
  openWorktree,
  type Repository,
  removeWorktree,
} from '#src/workspace/index.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { makeFastFolder } from './fast-folder.ts'
import { describeGitKill, type GitJob, type GitKill, type Word } from './git-job.ts'
import { inTurns } from './in-turns.ts'

export interface GitKillReport {
  readonly kills: number
  readonly boundaries: number
  readonly findings: readonly string[]
}

const program = join(import.meta.dirname, 'git-victim.js')
const atOnce = 2
const key = 'victim'

export async function runGitKills({
  scale,
  note,
}: Pick<SuiteOptions, 'scale' | 'note'>): Promise<GitKillReport> {
  const all = planOf(await measure())
  // Any order will do, but not that of the plan: a share of it would have one phase only.
  const mixed = all.toSorted((one, two) => (digest(one) < digest(two) ? -1 : 1))
  const kills = mixed.slice(0, Math.max(1, Math.round(all.length * scale)))
  note(`  ${all.length} boundaries, ${kills.length} of them now`)
  const findings: string[] = []
  let killed = 0
  let done = 0
  await inTurns(kills, atOnce, async (kill) => {
    const end = await runGitKill(kill)
    if (end.wasKilled) killed += 1
    for (const finding of end.findings) {
      findings.push(`${describeGitKill(kill)}: ${finding}`)
      note(`  ${describeGitKill(kill)}: ${finding}`)
    }
    if (++done % 10 === 0) note(`  ${done} of ${kills.length}`)
  })
  return { kills: killed, boundaries: kills.length, findings }
}

const digest = (kill: GitKill): string =>
  createHash('sha256').update(describeGitKill(kill)).digest('hex')

/** How often a life comes through each place where something changes. */
async function measure(): Promise<readonly (readonly [string, number])[]> {
  return withRepository(async (place) => {
    const counts = join(place.folder, 'counts')
    const { status, stderr } = await live({ checkout: place.checkout, key, counts })
    if (status !== 0) throw new Error(`A life that nobody ended early failed: ${stderr}`)
    return JSON.parse(readFileSync(counts, 'utf8')) as [string, number][]
  })
}

function planOf(counts: readonly (readonly [string, number])[]): readonly GitKill[] {
  return counts.flatMap(([site, count]) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((occurrence) =>
      (site.startsWith('git.')
        ? (['before', 'during', 'half', 'after'] as const)
        : (['before'] as const)
      ).map((phase) => ({ site, occurrence, phase })),
    ),
  )
}

export async function runGitKill(
  kill: GitKill,
): Promise<{ readonly wasKilled: boolean; readonly findings: readonly string[] }> {
  return withRepository(async (place) => {
    const { words, signal } = await live({ checkout: place.checkout, key, kill })
    const findings = await recover(place, words).catch((error: unknown) => [
      `it cannot be taken up again: ${error instanceof Error ? error.message : String(error)}`,
    ])
    return { wasKilled: signal === 'SIGKILL', findings }
  })
}

interface Place {
  readonly folder: string
  readonly checkout: string
  git(...args: readonly string[]): string
}

interface Life {
  readonly words: readonly Word[]
  readonly signal: NodeJS.Signals | null
  readonly status: number | null
  readonly stderr: string
}

/** Without blocking: the limits of the other cases go on meanwhile. */
async function live(job: GitJob): Promise<Life> {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  })
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ])
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { words: lines.map((line): Word => JSON.parse(line)), signal, status, stderr }
}

async function recover(
  { checkout, git, folder }: Place,
  words: readonly Word[],
): Promise<readonly string[]> {
  const findings: string[] = []
  await killAbandoned()
  if (
    git('--no-optional-locks', 'status', '--porcelain') !== '' ||
    git('rev-parse', 'main') !== git('rev-parse', 'HEAD')
  ) {
    findings.push('the checkout is not what it was')
  }
  const repository = await findRepository(checkout, { ignoreFile: '/nonexistent/loopwright' })
  const wasRemoved = words.some(({ type }) => type === 'removed')
  const commits = words.flatMap((word) => (word.type === 'committed' ? [word.commit] : []))
  const isLost = (commit: string): boolean =>
    !git('branch', '--contains', commit, '--list', 'run/*').includes('run/')
  if (commits.some(isLost)) findings.push('a commit that was told is on no branch')
  const { worktree } = await createWorktree({ repository, key, name: 'victim' })
  const workspace = await openWorktree({ repository, worktree })
  for (const word of words) {
    if (word.type !== 'kept') continue
    await workspace.restore(word.tree as Parameters<typeof workspace.restore>[0])
    if ((await workspace.snapshot()) !== word.tree) findings.push(`${word.tree} is not what it was`)
  }
  writeFileSync(join(worktree.path, 'after.txt'), 'after')
  const { commit } = await workspace.commit({ message: 'after' })
  if (git('rev-parse', worktree.branch).trim() !== commit)
    findings.push('the branch does not follow')
  if (
    !wasRemoved &&
    commits.some((one) => !git('log', '--format=%H', '--all', '--branches=run/*').includes(one))
  ) {
    findings.push('a commit that was told is not in the history')
  }
  git('branch', '-f', 'agent/spec', worktree.branch)
  const removal = await removeWorktree({ repository, key, mergedInto: ['agent/spec'] })
  if (removal.status !== 'removed') findings.push(`it stays: ${JSON.stringify(removal)}`)
  return [...findings, ...leftovers(repository, folder, git)]
}

function leftovers(
  { commonDir }: Repository,
  folder: string,
  git: Place['git'],
): readonly string[] {
  const findings: string[] = []
  const worktrees = git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
  if (worktrees.length !== 1) findings.push(`git still knows ${worktrees.join(', ')}`)
  const folders = readdirSync(folder).filter((name) => name !== 'project' && name !== 'counts')
  if (folders.length > 0) findings.push(`left beside the checkout: ${folders.join(', ')}`)
  const records = readdirSync(join(commonDir, 'loopwright', 'worktrees')).filter((name) =>
    name.endsWith('.json'),
  )
  if (records.length > 0) findings.push(`left in the repository: ${records.join(', ')}`)
  const empty = git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/run')
    .split('\n')
    .filter((line) => line.endsWith(git('rev-parse', 'main').trim()))
  if (empty.length > 0) findings.push(`branches with nothing on them: ${empty.join(', ')}`)
  const broken = git('fsck', '--no-dangling', '--connectivity-only')
  if (broken !== '') findings.push(`git fsck says: ${broken}`)
  return findings
}

async function withRepository<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const folder = makeFastFolder('git-kill')
  const checkout = join(folder, 'project')
  mkdirSync(join(checkout, 'deep'), { recursive: true })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@localhost',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@localhost',
  }
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: checkout,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  try {
    git('init', '-q', '-b', 'main')
    writeFileSync(join(checkout, 'a.txt'), 'a')
    writeFileSync(join(checkout, 'deep', 'b.txt'), 'b')
    writeFileSync(join(checkout, '.gitignore'), '.env\n')
    writeFileSync(join(checkout, '.env'), 'KEY=1')
    git('add', '-A')
    git('commit', '-q', '-m', 'first')
    return await work({ folder, checkout, git })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const gitKills: Suite = {
  area: 'workspace',
  title: 'kill -9 at every boundary of the life of a worktree',
  share: 0.05,
  async run(options) {
    const { kills, boundaries, findings } = await runGitKills(options)
    return [
      atMost(
        'workspace.git-kill-findings',
        findings.length,
        0,
        'findings',
        `${boundaries} boundaries`,
      ),
      atLeast('workspace.git-kills', kills, Math.round(boundaries * 0.95), 'kills'),
    ]
  },
}
