/** Decides whether a new run gets a separate git worktree, from its settings and its folder. */

import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Store } from '../engine/index.ts'
import { defined, isLoopError, LoopError, type RunWorktree } from '../loop/index.ts'
import type { WorktreeSettings } from '../protocol/index.ts'
import type { ChosenWorktree } from '../protocol/loop-file/chosen-worktree.ts'
import { findEnclosingGitDir, pathInside } from '../system/index.ts'
import {
  branchPrefixDefault,
  type CarryRule,
  carryRulesDefault,
} from '../system/worktree-defaults.ts'
import {
  findBase,
  findGit,
  findRepository,
  openGitTrees,
  type Repository,
  requireClean,
  runGit,
  worktreeFiles,
} from '../workspace/index.ts'

/** `true`: a worktree, or an error. `auto`: a worktree if the folder is in a repository that has a commit. */
export type WorktreeChoice = 'auto' | boolean | Partial<ChosenWorktree>

export const settingsOf = (choice: WorktreeChoice | undefined): ChosenWorktree => ({
  provider: 'auto',
  allowDirty: false,
  use: true,
  ...(typeof choice === 'object' ? choice : { use: choice ?? false }),
})

export interface Decided {
  /** Absent: the run works in the folder itself. */
  readonly repository?: Repository
  /** Path of the folder in the repository. Absent: it is the root. */
  readonly inner?: string
  /** The reason, if the choice may surprise the user. */
  readonly why?: string
}

export interface PlannedWorktree {
  readonly isUsed: boolean
  /** The base that the run would start from. */
  readonly base?: RunWorktree['base']
  readonly why?: string
  /** If a worktree is used: the name of its branch, and which ignored files it gets. */
  readonly branch?: string
  readonly carry?: readonly CarryRule[]
  /** Why the run would be refused. */
  readonly problem?: string
}

export interface DecidedAt {
  /** The state folder. */
  readonly folder: string
  readonly journal: Pick<Store, 'makerOfGit'>
  /** The user vouches for the repository, even if an agent may have created it. */
  readonly isVouched?: boolean
}

/** Decides as for a new run, but creates nothing. */
export async function planWorktree(
  workspace: string,
  choice: WorktreeChoice,
  at: DecidedAt & { readonly excludedPaths?: readonly string[] },
): Promise<PlannedWorktree> {
  const real = existsSync(workspace) ? realpathSync(workspace) : workspace
  const settings = settingsOf(choice)
  const { repository, why } = await decideWorktree(real, settings, at)
  if (repository === undefined) return { isUsed: false, ...defined({ why }) }
  const tools = { git: runGit, files: worktreeFiles }
  const base = await findBase(tools, repository, settings.base)
  const { branchPrefix = branchPrefixDefault, carry = carryRulesDefault, allowDirty } = settings
  const ignoredPaths = findIgnoredPaths(repository, real, [...(at.excludedPaths ?? []), at.folder])
  const problem = allowDirty
    ? undefined
    : await requireClean(tools, repository, base, ignoredPaths).then(() => undefined, refusalOf)
  return {
    isUsed: true,
    base: { name: base.name, commit: base.commit },
    ...defined({ problem }),
    branch: `${branchPrefix}<name of the run>`,
    carry: carry.filter(({ by }) => by !== 'nothing'),
  }
}

function refusalOf(error: unknown): string {
  if (isLoopError(error, 'wrong-status')) return error.message
  throw error
}

/** Paths that do not count as uncommitted changes, relative to the checkout: `paths` and all loop files. */
export const findIgnoredPaths = (
  { checkout }: Repository,
  workspace: string,
  paths: readonly string[],
): readonly string[] => [
  ...[...paths, ...loopFilesIn(join(workspace, 'loops'))].flatMap(
    (path) => pathInside(checkout ?? workspace, resolveFolder(path)) ?? [],
  ),
  ...installedFolders,
]

/** Installed dependencies do not count even if git does not ignore them. */
export const installedFolders: readonly string[] = ['node_modules', '.venv', 'venv']

export function loopFilesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name))
}

/** Resolves links in the folder of the file, but not the file itself. */
function resolveFolder(file: string): string {
  const folder = dirname(file)
  return existsSync(folder) ? join(realpathSync(folder), basename(file)) : file
}

export async function decideWorktree(
  workspace: string | undefined,
  { use }: Pick<WorktreeSettings, 'use'>,
  at: DecidedAt,
): Promise<Decided> {
  if (use === false) return {}
  if (workspace === undefined) {
    if (use === 'auto') return {}
    throw new LoopError('bad-request', 'A run in a worktree needs a folder. Pass its workspace.')
  }
  if (use === true) {
    const top = folderWithGit(workspace) ?? workspace
    const doubt = (await whyDoubted(workspace, at)) ?? (await whyDoubted(top, at))
    if (doubt !== undefined) throw doubted(workspace, doubt)
    return requireInRepository(workspace)
  }
  // Folders in the state folder are not in a user's repository.
  if (pathInside(at.folder, workspace) !== undefined) return {}
  const above = findEnclosingGitDir(workspace) ?? folderWithGit(workspace)
  if (above === undefined) return {}
  if (findEnclosingGitDir(workspace) !== undefined && above !== workspace) {
    return { why: `it is inside the git directory ${above}` }
  }
  const doubt = (await whyDoubted(workspace, at)) ?? (await whyDoubted(above, at))
  if (doubt !== undefined) return { why: `${doubt}; if it is yours, pass --worktree` }
  await requireGit(workspace)
  try {
    const repository = await findRepository(above)
    if (!isTop(repository, above)) return {}
    if (isSubmodule(repository)) return { why: 'it is a submodule' }
    const hasCommit = (await openGitTrees(repository).resolveTree('HEAD')) !== undefined
    if (hasCommit) return { repository, ...innerOf(above, workspace) }
    return { why: 'the repository has no commit yet' }
  } catch (error) {
    if (!isLoopError(error)) throw error
    return { why: `a worktree cannot be created: ${error.message}` }
  }
}

/** A repository that an agent created could make git run commands, or reach other folders through links. */
async function whyDoubted(
  workspace: string,
  { journal, isVouched = false }: DecidedAt,
): Promise<string | undefined> {
  const maker = isVouched ? undefined : await journal.makerOfGit(workspace)
  if (maker === undefined) return undefined
  const where = maker.workspace === workspace ? 'here before it existed' : `in ${maker.workspace}`
  return `its repository may have been created by the agent of run "${maker.name}", which worked ${where}`
}

const doubted = (workspace: string, doubt: string): LoopError =>
  new LoopError(
    'bad-request',
    `Cannot create a worktree of ${workspace}: ${doubt}. If it is yours, pass --worktree (in code: isVouched), ` +
      'or work in the folder itself (--in-place).',
  )

async function requireInRepository(workspace: string): Promise<Decided> {
  await requireGit(workspace)
  const repository = await findRepository(workspace)
  if (isSubmodule(repository)) {
    const message = `${workspace} is a submodule; worktrees of submodules are not supported.`
    throw new LoopError('bad-request', `${message} Work in the folder itself (--in-place).`)
  }
  const top = repository.checkout ?? repository.home
  if (findEnclosingGitDir(workspace) !== undefined && top !== workspace) {
    const message = `${workspace} is inside the git directory ${top}.`
    throw new LoopError('bad-request', `${message} Pass ${top} as the workspace.`)
  }
  return { repository, ...innerOf(top, workspace) }
}

function innerOf(top: string, workspace: string): Pick<Decided, 'inner'> {
  const inner = pathInside(top, workspace)
  return inner === undefined || inner === '.' ? {} : { inner }
}

/** Without git there is no worktree, and the run would change the user's checkout without being asked to. */
async function requireGit(workspace: string): Promise<void> {
  await findGit().catch((error: unknown) => {
    if (!isLoopError(error)) throw error
    const message = `${workspace} is a git repository, and its runs get worktrees. ${error.message}`
    const advice = 'Install git, or work in the folder itself (--in-place).'
    throw new LoopError('not-available', `${message} ${advice}`, { cause: error })
  })
}

/** Whether the workspace is the root of a checkout, or a bare repository. */
const isTop = ({ checkout, home }: Repository, workspace: string): boolean =>
  (checkout ?? home) === workspace

/** Its git directory is inside that of another repository, so worktrees would be registered there. */
const isSubmodule = ({ commonDir }: Repository): boolean => commonDir.includes('/.git/modules/')

/** The folder, or the nearest one above it, that has a `.git`. */
export function folderWithGit(folder: string): string | undefined {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder
  const above = dirname(folder)
  return above === folder ? undefined : folderWithGit(above)
}

/** Files that are in no commit cannot be restored, so only folders in the state folder are changed without asking. */
export function requireOwnFolder(
  record: string,
  workspace: string | undefined,
  why = 'it is not in a git repository',
): void {
  if (workspace === undefined || pathInside(record, workspace) !== undefined) return
  throw new LoopError(
    'needs-in-place',
    `The run would change files in ${workspace} directly: ${why}. Pass --in-place to allow that, or commit ` +
      'the files to a git repository, so that the run gets a worktree.',
  )
}
