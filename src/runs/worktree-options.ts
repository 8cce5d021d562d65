/** Whether a new run gets a git worktree of its own: what was asked for, and what the folder is. */

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

/** `true`: a worktree, or an error. `auto`: one where the folder is in a repository that has a commit. */
export type WorktreeChoice = 'auto' | boolean | Partial<ChosenWorktree>

export const settingsOf = (choice: WorktreeChoice | undefined): ChosenWorktree => ({
  provider: 'auto',
  allowDirty: false,
  use: true,
  ...(typeof choice === 'object' ? choice : { use: choice ?? false }),
})

export interface Decided {
  /** Absent: the folder itself is worked in. */
  readonly repository?: Repository
  /** Where in the repository the folder is, from its top. Absent: it is the top. */
  readonly inner?: string
  /** Why so, where a person might wonder. */
  readonly why?: string
}

export interface PlannedWorktree {
  readonly isUsed: boolean
  /** What the run would start from. */
  readonly base?: RunWorktree['base']
  readonly why?: string
  /** Where one is used: what its branch is called, and what it gets of what git ignores. */
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

/** For those who want to know before anything is made. */
export async function planWorktree(
  workspace: string,
  choice: WorktreeChoice,
  at: DecidedAt & { readonly apart?: readonly string[] },
): Promise<PlannedWorktree> {
  const real = existsSync(workspace) ? realpathSync(workspace) : workspace
  const settings = settingsOf(choice)
  const { repository, why } = await decideWorktree(real, settings, at)
  if (repository === undefined) return { isUsed: false, ...defined({ why }) }
  const tools = { git: runGit, files: worktreeFiles }
  const base = await findBase(tools, repository, settings.base)
  const { branchPrefix = branchPrefixDefault, carry = carryRulesDefault, allowDirty } = settings
  const apart = pathsApart(repository, real, [...(at.apart ?? []), at.folder])
  const problem = allowDirty
    ? undefined
    : await requireClean(tools, repository, base, apart).then(() => undefined, refusalOf)
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

/** Of whole paths: those in the checkout, from its top on. Other loop files are no part of the work either. */
export const pathsApart = (
  { checkout }: Repository,
  workspace: string,
  paths: readonly string[],
): readonly string[] => [
  ...[...paths, ...loopFilesIn(join(workspace, 'loops'))].flatMap(
    (path) => pathInside(checkout ?? workspace, whereIs(path)) ?? [],
  ),
  ...installedFolders,
]

/** Installed dependencies that git does not ignore: nobody commits them. */
export const installedFolders: readonly string[] = ['node_modules', '.venv', 'venv']

export function loopFilesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name))
}

/** The folder that it is in may be named by way of links; it may be one itself. */
function whereIs(file: string): string {
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
    throw new LoopError('bad-request', 'A run in a worktree needs a folder. Give its workspace.')
  }
  if (use === true) {
    const top = folderWithGit(workspace) ?? workspace
    const doubt = (await whyDoubted(workspace, at)) ?? (await whyDoubted(top, at))
    if (doubt !== undefined) throw doubted(workspace, doubt)
    return requireInRepository(workspace)
  }
  // What is in the record is for runs to work in, and for nobody to look at.
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
    const isBegun = (await openGitTrees(repository).treeOf('HEAD')) !== undefined
    if (isBegun) return { repository, ...innerOf(above, workspace) }
    return { why: 'the repository has no commit yet' }
  } catch (error) {
    if (!isLoopError(error)) throw error
    return { why: `no worktree can be made: ${error.message}` }
  }
}

/** Settings of a repository that an agent made would be its orders to us, and links in it its reach. */
async function whyDoubted(
  workspace: string,
  { journal, isVouched = false }: DecidedAt,
): Promise<string | undefined> {
  const maker = isVouched ? undefined : await journal.makerOfGit(workspace)
  if (maker === undefined) return undefined
  const where = maker.workspace === workspace ? 'here when there was none' : `in ${maker.workspace}`
  return `its repository may have been made by the agent of run "${maker.name}", which worked ${where}`
}

const doubted = (workspace: string, doubt: string): LoopError =>
  new LoopError(
    'bad-request',
    `No worktree is made of ${workspace}: ${doubt}. If it is yours, pass --worktree (in code: isVouched), ` +
      'or work in the folder itself (--in-place).',
  )

async function requireInRepository(workspace: string): Promise<Decided> {
  await requireGit(workspace)
  const repository = await findRepository(workspace)
  if (isSubmodule(repository)) {
    const message = `${workspace} is a submodule, of which no worktree is made.`
    throw new LoopError('bad-request', `${message} Work in the folder itself (--in-place).`)
  }
  const top = repository.checkout ?? repository.home
  if (findEnclosingGitDir(workspace) !== undefined && top !== workspace) {
    const message = `${workspace} is inside the git directory ${top}.`
    throw new LoopError('bad-request', `${message} Give ${top} as the workspace.`)
  }
  return { repository, ...innerOf(top, workspace) }
}

function innerOf(top: string, workspace: string): Pick<Decided, 'inner'> {
  const inner = pathInside(top, workspace)
  return inner === undefined || inner === '.' ? {} : { inner }
}

/** Worked in as it is, a repository would be changed that nobody asked to have changed. */
async function requireGit(workspace: string): Promise<void> {
  await findGit().catch((error: unknown) => {
    if (!isLoopError(error)) throw error
    const message = `${workspace} is a git repository, and its runs get worktrees. ${error.message}`
    const advice = 'Install git, or work in the folder itself (--in-place).'
    throw new LoopError('not-available', `${message} ${advice}`, { cause: error })
  })
}

/** The whole of what is worked on: a checkout, or a repository that has none. */
const isTop = ({ checkout, home }: Repository, workspace: string): boolean =>
  (checkout ?? home) === workspace

/** Its git directory is in that of another repository, and worktrees would be put there. */
const isSubmodule = ({ commonDir }: Repository): boolean => commonDir.includes('/.git/modules/')

/** The folder, or the nearest one above it, that has a `.git`. */
export function folderWithGit(folder: string): string | undefined {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder
  const above = dirname(folder)
  return above === folder ? undefined : folderWithGit(above)
}

/** Git cannot restore files that are in no commit, so only folders in our state folder are changed without asking. */
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
