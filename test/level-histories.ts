/** Random histories of a repository and of two journals to which the same happens, for test/known-runs.test.ts. */

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../src/engine/index.ts'
import { createBlobStore } from '../src/journal/index.ts'
import { recordLevelFact } from '../src/launch/levels/level-fact.ts'
import type { RunEvent, StepId } from '../src/loop/index.ts'
import { createMemoryStore } from '../src/testing/index.ts'
import type { SeededRandom } from '../src/testing/seeded-random.ts'
import { type WrittenRun, writeRun } from '../src/testing/write-run.ts'

const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']

export function createRepository(folder: string) {
  const path = join(folder, 'shop')
  mkdirSync(path)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...identity, ...args], {
      cwd: path,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  const tryGit = (...args: readonly string[]): boolean => {
    try {
      git(...args)
      return true
    } catch {
      return false
    }
  }
  const commit = (name: string, text: string): string => {
    writeFileSync(join(path, name), `${text}\n`)
    git('add', '-A')
    tryGit('commit', '-qm', `${name}: ${text}`)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-qb', 'main')
  commit('first.txt', 'first')
  return { path, git, tryGit, commit }
}

type Repository = ReturnType<typeof createRepository>

/** A journal of its own; what is done to one is done to the other. */
export function openSide(folder: string) {
  mkdirSync(folder)
  const journal = createMemoryStore()
  const blobs = createBlobStore({ root: join(folder, 'blobs') })
  return { folder, journal, blobs, clock: systemClock, runs: new Map<string, WrittenRun>() }
}

export type Side = ReturnType<typeof openSide>

interface RunStory {
  readonly name: string
  readonly base: string
  readonly commit?: string
  readonly target?: string
  readonly isFailing?: boolean
  readonly isOpen?: boolean
  readonly atMs?: number
}

const gate = {
  type: 'step-finished',
  iteration: 1,
  step: 'gate:merge#1' as StepId,
  attempt: 1,
  kind: 'gate',
  role: 'merge',
  result: {
    value: {
      type: 'allow',
      facts: { level: 3, verified: true, filesChanged: 1, tokens: 1, costMicros: 1 },
    },
  },
} as const satisfies RunEvent

function acted({ commit = '', target = '' }: RunStory): readonly RunEvent[] {
  const step = { iteration: 1, step: 'action:merge#1' as StepId, attempt: 1 }
  const of = { kind: 'action', role: 'merge' } as const
  const value = { status: 'done', key: '1/action:merge#1', details: { commit, target } }
  return [
    gate,
    { type: 'step-started', ...step, ...of, key: '1/action:merge#1' },
    { type: 'step-finished', ...step, ...of, result: { value } },
  ]
}

const ended: RunEvent = { type: 'run-ended', outcome: { type: 'completed', condition: 'goal' } }

export async function addRun(side: Side, repository: Repository, story: RunStory): Promise<void> {
  const { journal } = side
  const { name, base, commit, isFailing = false, isOpen = false, atMs = startMs } = story
  const worktree = {
    repository: join(repository.path, '.git'),
    key: name,
    branch: `run/${name}`,
    base: { name: 'main', commit: base },
  }
  const run = await writeRun(journal, { name, worktree, atMs, workspace: `/w/${name}` })
  const fact = { setting: 3, kinds: ['merge'], judges: 'same', hasAgent: false } as const
  await recordLevelFact(journal, run.run, fact, atMs)
  const lease = await run.take()
  const checks = [{ check: 'test', answer: isFailing ? 'fails' : 'passes', durationMs: 1 }] as const
  await run.write({ type: 'run-started', owner: 'me', fence: lease.fence })
  await run.write({ type: 'preflight-ended', checks }, { type: 'iteration-started', iteration: 1 })
  if (commit !== undefined) await run.write(...acted(story))
  if (!isOpen) await run.write(ended)
  await journal.release(lease)
  side.runs.set(name, run)
}

export interface World {
  readonly random: SeededRandom
  readonly repository: Repository
  readonly sides: readonly [Side, Side]
  readonly stories: RunStory[]
  /** An earlier state of the file, which a killed process would have left. */
  readonly earlier: string
}

/** The runs of a history follow each other. */
const startMs = Date.now() - 60_000

export const pick = <T>(random: SeededRandom, all: readonly T[]): T | undefined =>
  all.length === 0 ? undefined : random.pick(all)

async function onBoth({ sides, repository, stories }: World, story: RunStory): Promise<void> {
  stories.push(story)
  const atMs = startMs + 1000 * stories.length
  for (const side of sides) await addRun(side, repository, { ...story, atMs })
}

export type Deed = (world: World, at: number) => unknown

export const work: Deed = async (world, at) => {
  const { repository, random } = world
  const { git } = repository
  const base = git('rev-parse', 'main')
  const target = pick(random, ['main', `agent/${at}`, 'agent/same', `run/${at}`]) ?? 'main'
  git('checkout', '-q', '-B', 'making', 'main')
  const commit = repository.commit(`work-${at % 3}.txt`, `work ${at}`)
  git('checkout', '-q', 'main')
  if (target === 'main') git('merge', '-q', '--ff-only', commit)
  else git('branch', '-f', target, commit)
  git('branch', '-D', 'making')
  await onBoth(world, { name: `work-${at}`, base, commit, target })
}

const landed = ({ stories }: World): readonly string[] =>
  stories.flatMap(({ commit }) => commit ?? [])

export const deeds: Readonly<Record<string, Deed>> = {
  work,
  'more work': work,
  'a commit elsewhere': ({ repository }, at) => repository.commit('other.txt', `other ${at}`),
  'a commit on the same files': ({ repository }, at) =>
    repository.commit(`work-${at % 3}.txt`, `more ${at}`),
  'a revert': (world) => {
    const { tryGit } = world.repository
    const commit = pick(world.random, landed(world))
    if (commit !== undefined && !tryGit('revert', '--no-edit', commit)) tryGit('revert', '--abort')
  },
  'a revert on its branch': (world) => {
    const { git, tryGit } = world.repository
    const story = pick(
      world.random,
      world.stories.filter(({ target }) => target !== undefined),
    )
    if (story?.target === undefined || !tryGit('checkout', '-q', story.target)) return
    if (!tryGit('revert', '--no-edit', story.commit ?? '')) tryGit('revert', '--abort')
    git('checkout', '-q', 'main')
  },
  'files as they were': (world) => {
    const { git, tryGit } = world.repository
    const commit = pick(world.random, landed(world))
    if (commit === undefined || !tryGit('checkout', '-q', `${commit}^`, '--', '.')) return
    tryGit('commit', '-qm', 'as before')
    git('reset', '-q', '--hard')
  },
  'a merge': ({ repository }, at) => {
    const { git, tryGit } = repository
    git('checkout', '-q', '-b', `side-${at}`, 'main~0')
    repository.commit(`side-${at}.txt`, 'side')
    git('checkout', '-q', 'main')
    tryGit('merge', '-q', '--no-ff', '--no-edit', `side-${at}`)
  },
  'a branch from anywhere': (world, at) => {
    const commit = pick(world.random, [...landed(world), 'main'])
    world.repository.tryGit('branch', `new-${at}`, commit ?? 'main')
  },
  'a branch that begins with a revert': (world, at) => {
    const { git, tryGit } = world.repository
    const commit = pick(world.random, landed(world))
    if (commit === undefined || !tryGit('checkout', '-q', '-b', `back-${at}`, commit)) return
    if (!tryGit('revert', '--no-edit', commit)) tryGit('revert', '--abort')
    git('checkout', '-q', 'main')
  },
  'a branch that is deleted': (world) => {
    const { git, tryGit } = world.repository
    const all = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
    const branch = pick(
      world.random,
      all.filter((name) => name !== 'main'),
    )
    if (branch !== undefined) tryGit('branch', '-D', branch)
  },
  'another history': ({ repository }) => repository.tryGit('reset', '-q', '--hard', 'main~1'),
  'a run that finds it broken': async (world, at) => {
    const base = pick(world.random, landed(world))
    if (base !== undefined) await onBoth(world, { name: `broken-${at}`, base, isFailing: true })
  },
  'a run that goes on': (world, at) =>
    onBoth(world, {
      name: `open-${at}`,
      base: world.repository.git('rev-parse', 'main'),
      isOpen: true,
    }),
  'a run that ends': async ({ stories, sides }) => {
    const at = stories.findIndex(({ isOpen }) => isOpen === true)
    const story = stories[at]
    if (story === undefined) return
    stories[at] = { ...story, isOpen: false }
    for (const { runs, journal } of sides) {
      const run = runs.get(story.name)
      const lease = await run?.take()
      await run?.write(...acted({ ...story, commit: story.base, target: 'main' }), ended)
      if (lease !== undefined) await journal.release(lease)
    }
  },
  'a run that is removed': async ({ stories, sides, random }) => {
    const story = pick(
      random,
      stories.filter(({ isOpen }) => isOpen !== true),
    )
    if (story === undefined) return
    stories.splice(stories.indexOf(story), 1)
    for (const { runs, journal } of sides) {
      const id = runs.get(story.name)?.run
      if (id !== undefined) await journal.removeRun(id)
    }
  },
  'a process that was killed before it stored what it found': ({
    sides: [{ folder }],
    earlier,
  }) => {
    const levels = join(folder, 'levels')
    rmSync(levels, { recursive: true, force: true })
    if (existsSync(earlier)) cpSync(earlier, levels, { recursive: true })
  },
  'a file that is damaged': ({ sides: [{ folder }] }) => {
    const levels = join(folder, 'levels')
    for (const name of existsSync(levels) ? readdirSync(levels) : [])
      writeFileSync(join(levels, name), '{"version":1,"heads":{')
  },
}
