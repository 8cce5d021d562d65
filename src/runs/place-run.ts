/**
 * Decides where a run works. A new run gets its name, id and folder, and its worktree is created, before anything is
 * opened there. A resumed run finds its worktree, or gets it recreated.
 */

import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { loadRun, type RunRow, readCreated } from '../engine/index.ts'
import {
  defined,
  isLoopError,
  LoopError,
  type RunId,
  type RunWorktree,
  type TreeId,
} from '../loop/index.ts'
import {
  requireFolder,
  requireOutsideGitDir,
  requireReadable,
  resolveWorkspace,
} from '../system/index.ts'
import {
  type CreatedWorktree,
  chooseProvider,
  findNewlyIgnored,
  findRepository,
  findWorktree,
  type KnownWorktree,
  listProjectFolders,
  openGitTrees,
  type Repository,
  recreateWorktree,
  releaseSnapshots,
  removeWorktree,
} from '../workspace/index.ts'
import { choosePathTemplate } from './choose-path-template.ts'
import type { HostPorts } from './host-ports.ts'
import { logDirOf, requireLogDir, requireOnlyRuns } from './log-dir.ts'
import { makeWorktree } from './make-worktree.ts'
import { chooseName } from './run-names.ts'
import type { PlaceOptions, RunPlace } from './run-place.ts'
import {
  decideWorktree,
  findIgnoredPaths,
  requireOwnFolder,
  settingsOf,
} from './worktree-options.ts'

export async function placeNew(base: HostPorts, options: PlaceOptions): Promise<RunPlace> {
  const workspace = resolveWorkspace(options.workspace, base.folder)
  requireFolder(workspace)
  const named = await chooseName(base.journal, options.name)
  const settings = settingsOf(options.worktree)
  const { repository, inner, why } = await decideWorktree(workspace, settings, {
    ...base,
    isVouched: options.isVouched === true,
  })
  if (options.needsChoice === true && settings.use === 'auto' && repository === undefined) {
    requireOwnFolder(base.folder, workspace, why)
  }
  const logDir = requireLogDir(options.logDir)
  const beside = repository === undefined ? workspace : repository.checkout
  if (beside !== undefined) requireOnlyRuns(beside, logDir)
  if (repository === undefined) return { ...inFolder(named, workspace, why), logDir }
  const { base: from, path, branchPrefix, carry, allowDirty } = settings
  const pathTemplate = await choosePathTemplate(repository, path)
  const ignoredPaths = findIgnoredPaths(repository, workspace ?? '', [
    ...(options.excludedPaths ?? []),
    base.folder,
  ])
  const made = await makeWorktree(base.folder, {
    repository,
    key: named.id,
    name: named.name,
    provider: await chooseProvider(settings.provider, {
      ...settings.worktrunk,
      projectFolders: listProjectFolders(repository),
    }),
    ignoredPaths,
    allowDirty,
    ...defined({ base: from, pathTemplate, branchPrefix, carry }),
  }).catch((error: unknown) => {
    throw withWayOut(error)
  })
  const place = inWorktree(base, named, repository, made, inner)
  await requireInner(place)
  return place
}

/** A folder that is not committed is not in the worktree. */
async function requireInner({ workspace = '', inner, worktree, leave }: RunPlace): Promise<void> {
  if (inner === undefined || existsSync(join(workspace, inner))) return
  await leave()
  const message = `The folder ${inner} is not in ${worktree?.base.name ?? 'the base'}, which the run would start from.`
  const advice = 'Commit it, choose another --base, or work in the folder itself (--in-place).'
  throw new LoopError('bad-request', `${message} ${advice}`)
}

/** Creates a separate worktree for a fork of a run in a worktree. */
export async function placeFork(
  base: HostPorts,
  options: Pick<PlaceOptions, 'name' | 'worktree'>,
  from: { readonly worktree: RunWorktree; readonly tree: TreeId | undefined },
): Promise<RunPlace> {
  const named = await chooseName(base.journal, options.name)
  const repository = await repositoryOf(from.worktree)
  const { path, branchPrefix, carry, provider, worktrunk } = settingsOf(options.worktree)
  const pathTemplate = await choosePathTemplate(repository, path)
  const { branch, base: begin } = from.worktree
  const commit =
    from.tree === undefined
      ? undefined
      : await openGitTrees(repository).findCommit(branch, from.tree)
  const made = await makeWorktree(base.folder, {
    repository,
    key: named.id,
    name: named.name,
    provider: await chooseProvider(provider, {
      ...worktrunk,
      projectFolders: listProjectFolders(repository),
    }),
    allowDirty: true,
    base: begin.name,
    baseCommit: commit ?? begin.commit,
    ...defined({ pathTemplate, branchPrefix, carry }),
  })
  return inWorktree(base, named, repository, made, from.worktree.folder)
}

/** Creates a worktree with the base of another run's worktree, in the given folder. */
export async function placeReplica(
  base: HostPorts,
  named: Named,
  like: RunWorktree,
  path: string,
): Promise<RunPlace> {
  const repository = await repositoryOf(like)
  const made = await makeWorktree(base.folder, {
    repository,
    key: named.id,
    name: named.name,
    branchPrefix: 'replay/',
    allowDirty: true,
    base: like.base.name,
    baseCommit: like.base.commit,
    pathTemplate: path,
  })
  return inWorktree(base, named, repository, made, like.folder)
}

/** Removes everything but its snapshots: the run is still in the journal, and its files may be needed. */
export async function discardWorktree(worktree: RunWorktree, path: string): Promise<void> {
  const repository = await repositoryOf(worktree)
  await removeWorktree({ repository, key: worktree.key, path, discard: true })
}

/** The place of a resumed run. A deleted worktree is recreated. */
export async function placeAgain(base: HostPorts, run: RunRow, given?: string): Promise<RunPlace> {
  const { worktree } = await readCreated(base.journal, run.id)
  const moved = resolveWorkspace(given, base.folder)
  if (worktree === undefined) {
    const logDir = await logDirOf(base.journal, run.id)
    return { ...inFolder(run, moved ?? run.workspace, undefined), logDir }
  }
  if (moved !== undefined && moved !== run.workspace) {
    const message = `Run "${run.name}" works in a git worktree, ${run.workspace}, and in no other folder.`
    throw new LoopError('bad-request', `${message} Move it back, or fork the run.`)
  }
  const repository = await repositoryOf(worktree)
  const known = await findWorktree(repository, worktree.key)
  if (known === undefined) {
    const message = `The worktree of run "${run.name}" was removed from ${repository.home}.`
    throw new LoopError('workspace-failed', `${message} Fork the run: its checkpoints are there.`)
  }
  if (known.path !== run.workspace || known.branch !== worktree.branch) {
    const message = `${repository.home} has ${known.path} as the worktree of run "${run.name}", which works in ${run.workspace}, on ${worktree.branch}.`
    throw new LoopError('workspace-failed', `${message} Fork the run: its checkpoints are there.`)
  }
  requireReadable(known.path)
  // The process that holds it removes it.
  if (!run.held) await remake(base, run, repository, known)
  const none = { paths: [], linked: [], skipped: [] }
  return inWorktree(base, run, repository, { worktree: known, carried: none }, worktree.folder)
}

async function remake(
  { journal }: HostPorts,
  { id }: RunRow,
  repository: Repository,
  worktree: KnownWorktree,
): Promise<void> {
  const { state } = await loadRun(journal, id)
  const tree = state.suspendedTree ?? state.tree
  await recreateWorktree({ repository, worktree, ...defined({ tree }) })
}

/** The repository of a run's worktree, wherever that is. */
export async function repositoryOf({
  repository: commonDir,
}: Pick<RunWorktree, 'repository'>): Promise<Repository> {
  const folder = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir
  // Another repository may be there now.
  const found = existsSync(commonDir) ? await findRepository(folder) : undefined
  if (found?.commonDir === commonDir) return found
  const message = `The repository ${commonDir} no longer exists.`
  throw new LoopError('workspace-failed', `${message} Put it back where it was.`)
}

/** Empty if it is unknown: the repository was moved, or the worktree was removed. */
export async function leftOutOf(
  worktree: Pick<RunWorktree, 'repository' | 'key'>,
): Promise<readonly string[]> {
  const repository = await repositoryOf(worktree).catch(() => undefined)
  if (repository === undefined) return []
  const known = await findWorktree(repository, worktree.key)
  return known === undefined ? [] : findNewlyIgnored(repository, known)
}

/** Adds to the message that a run can also work without a worktree. */
function withWayOut(error: unknown): unknown {
  if (!isLoopError(error, 'workspace-failed')) return error
  const message = `${error.message} Or work in the folder itself (--in-place).`
  return new LoopError('workspace-failed', message, { cause: error })
}

type Named = Pick<RunRow, 'id' | 'name'>

/** A run that works in the folder itself, without a worktree. */
export function inFolder(
  { id, name }: Named,
  workspace: string | undefined,
  why?: string,
): RunPlace {
  requireReadable(workspace)
  requireOutsideGitDir(workspace)
  return {
    id,
    name,
    workspace,
    worktree: undefined,
    placed: undefined,
    checkout: undefined,
    readOnly: [],
    why,
    problems: [],
    leftOut: async () => [],
    leave: async () => undefined,
  }
}

function inWorktree(
  base: HostPorts,
  { id, name }: Named,
  repository: Repository,
  { worktree, carried }: CreatedWorktree,
  inner?: string,
): RunPlace {
  const { key, branch, base: begin, path, linked = [] } = worktree
  const checkout = worktree.checkout ?? repository.checkout
  return {
    id,
    name,
    workspace: path,
    worktree: {
      repository: repository.commonDir,
      key,
      branch,
      base: begin,
      ...defined({ folder: inner }),
      ...carriedIn(worktree),
    },
    placed: { repository, worktree },
    checkout,
    ...defined({ inner }),
    readOnly: checkout === undefined ? [] : linked.map((one) => join(checkout, one)),
    why: undefined,
    problems: carried.skipped.map(
      (one) => `${one.path} was not copied to the worktree: ${one.why}.`,
    ),
    leftOut: () => leftOutOf({ repository: repository.commonDir, key }),
    async leave() {
      if (await isRun(base, id)) return
      await removeWorktree({ repository, key, path })
      await releaseSnapshots(repository, key)
    },
  }
}

/** Limits what the journal stores: a large repository may have thousands of packages. */
const carriedMax = 100

function carriedIn({ carried, linked = [] }: KnownWorktree): Pick<RunWorktree, 'carried'> {
  if (carried.length === 0) return {}
  const copied = carried.filter((path) => !linked.includes(path))
  return {
    carried: { copied: copied.slice(0, carriedMax), linked: linked.slice(0, carriedMax) },
  }
}

async function isRun({ journal }: HostPorts, id: RunId): Promise<boolean> {
  return journal.findRun(id).then(
    () => true,
    (error: unknown) => {
      if (isLoopError(error, 'unknown-run')) return false
      throw error
    },
  )
}
