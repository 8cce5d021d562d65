/**
 * Random histories of the merge queue: conflicts, branches that are green alone and red together, others who move the
 * target, two processes at once, and kill -9 between any two steps. The target only ever points at files that pass the
 * check; nothing is merged twice or lost; the checkout of the user stays as it is.
 */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { MergeRow, NewMerge } from '#src/engine/index.ts'
import { trailer } from '#src/launch/landing/landing.ts'
import type { RunId, TreeId } from '#src/loop/index.ts'
import { killAbandoned } from '#src/sandbox/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { type SeededRandom, seededRandom } from '#src/testing/seeded-random.ts'
import { writeRun } from '#src/testing/write-run.ts'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { makeFastFolder } from './fast-folder.ts'
import { inTurns } from './in-turns.ts'
import { checkText, type MergeJob, scarce, target } from './merge-job.ts'

export interface HistoryReport {
  readonly kills: number
  readonly merged: number
  readonly conflicts: number
  readonly findings: readonly string[]
}

const program = join(import.meta.dirname, 'merge-victim.js')
const historiesMax = 200
const livesMax = 3

export async function runMergeHistories(
  { scale, note }: Pick<SuiteOptions, 'scale' | 'note'>,
  firstSeed = 1,
): Promise<HistoryReport> {
  const count = Math.max(1, Math.round(historiesMax * scale))
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index)
  const total = { kills: 0, merged: 0, conflicts: 0, findings: [] as string[] }
  let done = 0
  await inTurns(seeds, 2, async (seed) => {
    const found = await runHistory(seed)
    total.kills += found.kills
    total.merged += found.merged
    total.conflicts += found.conflicts
    for (const finding of found.findings) {
      total.findings.push(`seed ${seed}: ${finding}`)
      note(`  seed ${seed}: ${finding}`)
    }
    if (++done % 10 === 0) note(`  ${done} of ${count}`)
  })
  return total
}

interface Scene {
  readonly folder: string
  readonly checkout: string
  readonly requests: readonly NewMerge[]
  readonly git: Git
}

interface Git {
  (...args: readonly string[]): string
  withInput(input: string, ...args: readonly string[]): string
}

export async function runHistory(seed: number): Promise<HistoryReport> {
  const folder = makeFastFolder('merges')
  try {
    const random = seededRandom(seed)
    const scene = await setUp(folder, random)
    const before = readCheckout(scene)
    const kills = await playOut(scene, random)
    const rows = await readRows(scene)
    const findings = [...verify(scene, rows)]
    if (readCheckout(scene) !== before) findings.push('the checkout of the user changed')
    const count = (state: string): number =>
      rows.filter(({ progress }) => progress.state === state).length
    return { kills, merged: count('merged'), conflicts: count('conflict'), findings }
  } finally {
    await killAbandoned()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Lives that are killed, then one or two at once that are not. */
async function playOut(scene: Scene, random: SeededRandom): Promise<number> {
  let kills = 0
  for (let life = 1; life <= livesMax; life += 1) {
    const moveAt = random.chance(0.3) ? random.between(5, 60) : undefined
    const isTwo = random.chance(0.3)
    const half = Math.ceil(scene.requests.length / 2)
    const parts = isTwo
      ? [scene.requests.slice(0, half), scene.requests.slice(half)]
      : [scene.requests]
    const killAt = life < livesMax ? random.between(1, 90) : undefined
    const ends = await Promise.all(
      parts.map((requests, index) =>
        live({
          folder: scene.folder,
          requests,
          ...(killAt !== undefined && index === 0 ? { killAt } : {}),
          ...(moveAt === undefined ? {} : { moveAt }),
        }),
      ),
    )
    for (const { signal, status, stderr } of ends) {
      if (signal === 'SIGKILL') kills += 1
      else if (status !== 0) throw new Error(`A process failed: ${stderr}`)
    }
  }
  return kills
}

async function live(job: MergeJob): Promise<{
  readonly signal: NodeJS.Signals | null
  readonly status: number | null
  readonly stderr: string
}> {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stderr = text(child.stderr)
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return { status, signal, stderr: await stderr }
}

async function readRows({ folder, requests }: Scene): Promise<readonly MergeRow[]> {
  const store = openLocalStore({ path: join(folder, 'state', 'journal.db') })
  const rows = await Promise.all(requests.map(({ key }) => store.merges.row(key)))
  await store.close()
  return rows.filter((row) => row !== undefined)
}

function* verify(scene: Scene, rows: readonly MergeRow[]): Generator<string> {
  const { git, requests } = scene
  if (rows.length !== requests.length) yield 'a request is lost'
  const messages = git('log', '--format=%B%x00', target).split('\0')
  for (const { key, name, progress } of rows) {
    const times = messages.filter((message) => message.includes(trailer(key))).length
    if (progress.state === 'merged') {
      if (times > 1) yield `${name} was merged ${times} times`
      if (times === 0 && progress.commit !== undefined) yield `${name} is not on the target`
      if (!isThere(scene, name)) yield `the work of ${name} is not on the target`
    } else {
      if (times > 0) yield `${name} is ${progress.state} and was merged`
      if (name.startsWith('clean')) yield `${name} is ${progress.state}, without a reason`
    }
  }
  for (const commit of new Set(git('reflog', '--format=%H', target).trim().split('\n'))) {
    if (!isGreen(scene, commit)) yield `the target pointed at ${commit}, which does not pass`
  }
}

const isThere = ({ git }: Scene, name: string): boolean =>
  git('ls-tree', '-r', '--name-only', target).split('\n').includes(`${name}.txt`)

/** The check, as the proof itself evaluates it. */
function isGreen({ git }: Scene, commit: string): boolean {
  const names = git('ls-tree', '-r', '--name-only', commit).trim().split('\n')
  const texts = names
    .filter((name) => name.endsWith('.txt'))
    .map((name) => git('show', `${commit}:${name}`))
  const used = texts.filter((one) => one.includes(scarce)).length
  return used <= 1 && texts.every((one) => !one.includes('<<<<<<<'))
}

const readCheckout = ({ git, checkout }: Scene): string =>
  [
    git('status', '--porcelain=v2', '--branch'),
    readFileSync(join(checkout, '.git', 'index')).toString('hex'),
  ].join('\n')

function createGit(folder: string, checkout: string): Git {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@localhost',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@localhost',
  }
  const run = (input: string, args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: checkout,
      env,
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  const git = (...args: readonly string[]): string => run('', args)
  git.withInput = (input: string, ...args: readonly string[]): string => run(input, args).trim()
  return git
}

const kinds = ['clean', 'clean', 'conflict', 'scarce'] as const

/** A repository with a branch for each request, all of them green, and a run for each in the store. */
async function setUp(folder: string, random: SeededRandom): Promise<Scene> {
  const checkout = join(folder, 'repository')
  mkdirSync(checkout, { recursive: true })
  mkdirSync(join(folder, 'state'))
  const git = createGit(folder, checkout)
  git('init', '-q', '-b', 'main')
  writeFileSync(join(checkout, 'check.mjs'), checkText)
  writeFileSync(join(checkout, 'shared.txt'), 'of all\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  const base = git('rev-parse', 'main').trim()
  const store = openLocalStore({ path: join(folder, 'state', 'journal.db') })
  const repository = join(checkout, '.git')
  const requests: NewMerge[] = []
  for (let index = 0; index < random.between(3, 6); index += 1) {
    const name = `${random.pick(kinds)}-${index}`
    const commit = makeBranch({ git, base, name })
    const run = `run-${index}` as RunId
    await writeRun(store, { id: run, name })
    const key = `${run}/1/action:merge#1`
    const tree = `git:${git('rev-parse', `${commit}^{tree}`).trim()}` as TreeId
    const strategy = random.pick(['squash', 'squash', 'merge'] as const)
    const message = `${name}\n\n${trailer(key)}`
    const work = { key, run, branch: `run/${name}`, commit, tree, base, strategy, message }
    requests.push({ ...work, repository, target, queuedAtMs: index })
  }
  await store.close()
  return { folder, checkout, requests, git }
}

interface NewBranch {
  readonly git: Git
  readonly base: string
  readonly name: string
}

/** Each adds a file; some change a shared one, some use what only one may use. */
function makeBranch({ git, base, name }: NewBranch): string {
  const blob = (content: string): string => git.withInput(content, 'hash-object', '-w', '--stdin')
  const own = blob(name.startsWith('scarce') ? `${scarce}\n` : `${name}\n`)
  const shared = name.startsWith('conflict') ? blob(`shared by ${name}\n`) : `${base}:shared.txt`
  const sharedId = git('rev-parse', shared).trim()
  const check = git('rev-parse', `${base}:check.mjs`).trim()
  const entries = [
    `100644 blob ${check}\tcheck.mjs`,
    `100644 blob ${own}\t${name}.txt`,
    `100644 blob ${sharedId}\tshared.txt`,
  ]
  const tree = git.withInput(`${entries.join('\n')}\n`, 'mktree')
  const commit = git('commit-tree', tree, '-p', base, '-m', name).trim()
  git('update-ref', `refs/heads/run/${name}`, commit)
  return commit
}

export const mergeHistories: Suite = {
  area: ['workspace', 'merges'],
  title: 'random histories of the merge queue, with kill -9 between any two steps',
  share: 0.15,
  async run(options) {
    const { kills, merged, conflicts, findings } = await runMergeHistories(options)
    const told = `${merged} merged, ${conflicts} conflicts`
    return [
      atMost('workspace.merge-findings', findings.length, 0, 'findings', told),
      atLeast('workspace.merge-kills', kills, Math.round(historiesMax * options.scale), 'kills'),
    ]
  },
}
