/**
 * Lists the worktrees of runs, and removes the ones that are no longer needed.
 *
 * Only the worktree of a run that has ended, or that was never started, is removed. Worktrees of other tools, and work
 * that is in no commit, are kept.
 */

import { type RunRow, readCreated } from '../engine/index.ts'
import { defined, isEnd, isLoopError } from '../loop/index.ts'
import { mayBeAlive } from '../system/index.ts'
import {
  explainForeignRecord,
  findGit,
  findRepository,
  type ListedWorktree,
  listWorktrees,
  type Repository,
  readWorktreeState,
  releaseSnapshots,
  removeWorktree,
  type WorktreeState,
} from '../workspace/index.ts'
import type { HostPorts } from './host-ports.ts'
import { knownRepositories } from './make-worktree.ts'
import { repositoryOf } from './place-run.ts'

export interface RunWorktreeEntry {
  readonly repository: string
  readonly branch: string
  readonly path: string
  /** Absent: no run in this state folder has it. */
  readonly run?: Pick<RunRow, 'id' | 'name' | 'status' | 'held' | 'interrupted'>
  /** Whether the folder exists, is missing, is unknown to git, or has been replaced by something else. */
  readonly status: ListedWorktree['status']
  readonly size: ListedWorktree['size']
  readonly state: WorktreeState
  readonly createdAtMs: number
}

export interface WorktreesOptions {
  /** A folder in the repository. Default: the worktrees of all runs. */
  readonly repository?: string
  /** Called for each worktree whose record cannot be read. It is skipped. */
  readonly onProblem?: (problem: string) => void
}

export interface CleanOptions extends WorktreesOptions {
  /** Only reports what would be removed. */
  readonly dryRun?: boolean
}

export type CleanedWorktree = Pick<RunWorktreeEntry, 'repository' | 'branch' | 'path' | 'run'> &
  (
    | { readonly status: 'removed'; readonly branchKept?: string }
    | { readonly status: 'kept'; readonly why: string }
  )

/** The run of a new worktree may not be in the journal yet. */
const newMs = 3_600_000

interface Found {
  readonly repository: Repository
  readonly worktree: ListedWorktree
  readonly run: RunRow | undefined
  readonly isReplay: boolean
}

export async function listRunWorktrees(
  base: HostPorts,
  options: WorktreesOptions = {},
): Promise<readonly RunWorktreeEntry[]> {
  const found = await findAll(base, options)
  return Promise.all(found.map(toEntry))
}

export async function cleanWorktrees(
  base: HostPorts,
  { dryRun = false, ...options }: CleanOptions = {},
): Promise<readonly CleanedWorktree[]> {
  const cleaned: CleanedWorktree[] = []
  for (const found of await findAll(base, options)) {
    const { repository, worktree, run } = found
    const { branch, path } = worktree
    const at = { repository: repository.home, branch, path, ...(run ? { run: shown(run) } : {}) }
    const why = whyNeeded(base, found)
    const result =
      why !== undefined
        ? ({ status: 'kept', why: (await whyInIt(found, why)) ?? why } as const)
        : dryRun
          ? await wouldRemove(found)
          : await remove(found)
    cleaned.push({ ...at, ...result })
  }
  return cleaned
}

type Result = { status: 'removed'; branchKept?: string } | { status: 'kept'; why: string }

async function findAll(
  base: HostPorts,
  { repository: folder, onProblem }: WorktreesOptions,
): Promise<readonly Found[]> {
  const runs = await base.journal.listRuns({ limit: Number.MAX_SAFE_INTEGER })
  const byKey = new Map<string, { run: RunRow; isReplay: boolean }>()
  const paths = new Set(await knownRepositories(base.folder))
  for (const run of runs) {
    const { worktree, origin } = await readCreated(base.journal, run.id)
    if (worktree === undefined) continue
    paths.add(worktree.repository)
    byKey.set(keyIn(worktree.repository, worktree.key), {
      run,
      isReplay: origin?.type === 'replay',
    })
  }
  // Without git, no worktree would be found.
  if (paths.size > 0 || folder !== undefined) await findGit()
  const repositories =
    folder === undefined
      ? await Promise.all([...paths].map((path) => repositoryOf({ repository: path }).catch(gone)))
      : [await findRepository(folder)]
  const listening = defined({ onProblem })
  const found: Found[] = []
  for (const repository of repositories) {
    if (repository === undefined) continue
    for (const worktree of await listWorktrees(repository, listening)) {
      const known = byKey.get(keyIn(repository.commonDir, worktree.key))
      found.push({
        repository,
        worktree,
        run: known?.run,
        isReplay: known?.isReplay ?? worktree.key.startsWith('replay-'),
      })
    }
  }
  return found
}

/** A key alone is not unique: a repository may contain the record of another repository's worktree. */
const keyIn = (repository: string, key: string): string => `${repository}\0${key}`

/** A repository that no longer exists has no worktrees. */
function gone(error: unknown): undefined {
  if (!isLoopError(error)) throw error
}

const shown = ({
  id,
  name,
  status,
  held,
  interrupted,
}: RunRow): NonNullable<RunWorktreeEntry['run']> => ({
  id,
  name,
  status,
  held,
  interrupted,
})

async function toEntry({ repository, worktree, run }: Found): Promise<RunWorktreeEntry> {
  const { branch, path, status, size, createdAtMs } = worktree
  return {
    repository: repository.home,
    branch,
    path,
    ...(run === undefined ? {} : { run: shown(run) }),
    status,
    size,
    state: await readWorktreeState(repository, worktree),
    createdAtMs,
  }
}

/** Undefined: it can be removed if it contains no unsaved work. */
function whyNeeded(
  { folder, clock }: HostPorts,
  { worktree, run, isReplay }: Found,
): string | undefined {
  if (run !== undefined) {
    if (!isEnd(run.status))
      return `its run has not ended (${run.interrupted ? 'interrupted' : run.status})`
    return isReplay ? `it shows what a replay did: loopctl rm ${run.name} removes it` : undefined
  }
  const { owner, maker, createdAtMs, state } = worktree
  if (owner !== folder) return 'its run is not in this state folder'
  // A process that created or removed it was interrupted.
  if (state === 'removing' || clock.now() - createdAtMs > newMs) return undefined
  if (maker !== undefined && !mayBeAlive(maker)) return undefined
  return madeNow
}

const madeNow = 'it was created within the last hour, and its run may be about to start'

/** Unsaved work is a better reason to report than its age. */
async function whyInIt(found: Found, why: string): Promise<string | undefined> {
  if (why !== madeNow) return undefined
  const would = await wouldRemove(found)
  return would.status === 'kept' ? would.why : undefined
}

async function wouldRemove({ repository, worktree, run, isReplay }: Found): Promise<Result> {
  const doubt = await explainForeignRecord(repository, worktree, run?.workspace === worktree.path)
  if (doubt !== undefined) return { status: 'kept', why: doubt }
  const { uncommitted, locked, unmerged } = await readWorktreeState(repository, worktree)
  if (isReplay) return { status: 'removed' }
  if (locked !== undefined) return { status: 'kept', why: 'it is locked' }
  if (worktree.status === 'not-ours') return { status: 'kept', why: worktree.why ?? 'not ours' }
  if (uncommitted.length > 0) {
    return {
      status: 'kept',
      why: `it has uncommitted changes: ${uncommitted.slice(0, 5).join(', ')}`,
    }
  }
  return { status: 'removed', ...defined({ branchKept: unmerged }) }
}

async function remove({ repository, worktree, run, isReplay }: Found): Promise<Result> {
  const { key } = worktree
  try {
    const at = defined({ path: run?.workspace })
    const removal = await removeWorktree({ repository, key, discard: isReplay, ...at })
    // Snapshots of a run in the journal are needed for forks and diffs.
    if (run === undefined && removal.status !== 'kept') await releaseSnapshots(repository, key)
    if (removal.status === 'kept') return { status: 'kept', why: removal.why }
    if (removal.status === 'unknown') return { status: 'removed' }
    const { branchKept } = removal
    return { status: 'removed', ...defined({ branchKept }) }
  } catch (error) {
    if (isLoopError(error)) return { status: 'kept', why: error.message }
    throw error
  }
}
