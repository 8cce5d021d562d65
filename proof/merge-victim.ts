/**
 * Merges requests through the merge queue, as the runs of one process do, with real git, a real store and the check in a
 * sandbox. Kills itself at the boundary that it was told: before or after a call of the store or of git. Started by
 * merge-histories.ts.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type MergeQueue, systemClock } from '#src/engine/index.ts'
import { landWork } from '#src/launch/landing/land-work.ts'
import type { Candidate, LandingVerdict } from '#src/launch/landing/landing.ts'
import { openSandbox } from '#src/sandbox/index.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import {
  findRepository,
  makePrivateFolder,
  openGitTrees,
  openLandings,
  type Repository,
  type RunGit,
  runGit,
} from '#src/workspace/index.ts'
import { type MergeJob, target } from './merge-job.ts'

type Reach = () => void

async function main({ folder, requests, killAt, moveAt }: MergeJob): Promise<void> {
  let boundaries = 0
  const checkout = join(folder, 'repository')
  const reach: Reach = () => {
    boundaries += 1
    if (boundaries === moveAt) moveOn(checkout, boundaries)
    if (boundaries === killAt) process.kill(process.pid, 'SIGKILL')
  }
  const store = openLocalStore({ path: join(folder, 'state', 'journal.db'), synchronous: 'NORMAL' })
  const repository = await findRepository(checkout)
  const git = openLandings(repository, { git: watchedGit(reach) })
  const journal = { merges: watchedQueue(store.merges, reach) }
  const certify = createCertify(folder, repository, reach)
  const signal = new AbortController().signal
  const ports = { journal, clock: systemClock }
  await Promise.all(
    requests.map((request) =>
      landWork(ports, git, { request, checks: 'the check', certify }, signal),
    ),
  )
  await store.close()
}

const watchedGit =
  (reach: Reach): RunGit =>
  async (call) => {
    const changes = ['update-ref', 'commit-tree', 'merge-tree'].includes(call.command)
    if (changes) reach()
    const result = await runGit(call)
    if (changes) reach()
    return result
  }

function watchedQueue(queue: MergeQueue, reach: Reach): MergeQueue {
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    reach()
    const result = await work()
    reach()
    return result
  }
  return {
    ...queue,
    add: (request) => watched(() => queue.add(request)),
    acquire: (line, owner) => watched(() => queue.acquire(line, owner)),
    release: (lease) => watched(() => queue.release(lease)),
    update: (lease, changes) => watched(() => queue.update(lease, changes)),
  }
}

/** In a clean checkout and a sandbox; nothing of the network or of other folders is there. */
function createCertify(folder: string, repository: Repository, reach: Reach) {
  const temporary = join(folder, 'certify')
  mkdirSync(temporary, { recursive: true })
  return async ({ tree }: Candidate): Promise<LandingVerdict> => {
    reach()
    const place = await makePrivateFolder(temporary)
    try {
      const workspace = join(place.path, 'files')
      mkdirSync(workspace)
      await openGitTrees(repository).extract(tree, workspace)
      const sandbox = await openSandbox()
      const command = { program: process.execPath, args: ['check.mjs'], cwd: workspace }
      const { exitCode } = await sandbox
        .commands({ workspace })
        .run({ ...command, timeoutMs: 120_000 }, new AbortController().signal)
      reach()
      if (exitCode === 0) return { type: 'certified', certificate: `of ${tree}` }
      if (exitCode === 1) return { type: 'refused', reason: 'the check fails' }
      throw new Error(`the check ended with ${exitCode}`)
    } finally {
      await place.remove()
    }
  }
}

/** Somebody else puts a green commit on the target. */
function moveOn(checkout: string, number: number): void {
  const git = (input: string, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: checkout, encoding: 'utf8', input }).trim()
  try {
    const tip = git('', 'rev-parse', '--verify', '--quiet', `refs/heads/${target}`)
    const blob = git(`of others ${number}\n`, 'hash-object', '-w', '--stdin')
    const entries = git('', 'ls-tree', tip)
    const tree = git(`${entries}\n100644 blob ${blob}\tothers-${process.pid}.txt\n`, 'mktree')
    const identity = ['-c', 'user.name=b', '-c', 'user.email=b@localhost']
    const commit = git('of others', ...identity, 'commit-tree', tree, '-p', tip)
    git('', 'update-ref', `refs/heads/${target}`, commit, tip)
  } catch {
    // There is no target yet.
  }
}

await main(JSON.parse(process.argv[2] ?? '{}') as MergeJob)
