/** Whether a new run gets a git worktree of its own: what was asked for, and what the folder is. */

import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SqliteJournal } from '../journal/index.ts'
import { isLoopError, LoopError, type RunWorktree } from '../loop/index.ts'
import type { WorktreeSettings } from '../protocol/index.ts'
import {
  branchPrefixDefault,
  type CarryRule,
  carryRulesDefault,
  findBase,
  findGit,
  findRepository,
  openGitTrees,
  type Repository,
  requireClean,
  runGit,
  worktreeFiles,
} from '../workspace/index.ts'
import type { ChosenWorktree } from './config/apply-settings.ts'
import { gitDirAround, pathInside } from './places.ts'

/** `true`: a worktree, or an error. `auto`: one where the folder is the top of a repository. */
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
  /** The folder of the record. */
  readonly folder: string
  readonly journal: Pick<SqliteJournal, 'makerOfGit'>
  /** A person says of the repository, whoever may have made it, that it is to be used. */
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
  if (repository === undefined) return { isUsed: false, ...(why === undefined ? {} : { why }) }
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
    ...(problem === undefined ? {} : { problem }),
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
): readonly string[] =>
  [...paths, ...loopFilesIn(join(workspace, 'loops'))].flatMap(
    (path) => pathInside(checkout ?? workspace, whereIs(path)) ?? [],
  )

function loopFilesIn(folder: string): readonly string[] {
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
    const doubt = await whyDoubted(workspace, at)
    if (doubt !== undefined) throw doubted(workspace, doubt)
    return { repository: await requireTop(workspace) }
  }
  // What is in the record is for runs to work in, and for nobody to look at.
  if (pathInside(at.folder, workspace) !== undefined) return {}
  const above = gitDirAround(workspace) ?? folderWithGit(workspace)
  if (above === undefined) return {}
  if (above !== workspace) return { why: `it is inside the repository ${above}, not its top` }
  const doubt = await whyDoubted(workspace, at)
  if (doubt !== undefined) return { why: `${doubt}; if it is yours, say --worktree` }
  await requireGit(workspace)
  try {
    const repository = await findRepository(workspace)
    if (!isTop(repository, workspace)) return {}
    if (isSubmodule(repository)) return { why: 'it is a submodule' }
    if ((await openGitTrees(repository).treeOf('HEAD')) !== undefined) return { repository }
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
    `No worktree is made of ${workspace}: ${doubt}. If it is yours, say --worktree (in code: isVouched), ` +
      'or work in the folder itself (--in-place).',
  )

async function requireTop(workspace: string): Promise<Repository> {
  await requireGit(workspace)
  const repository = await findRepository(workspace)
  if (isSubmodule(repository)) {
    const message = `${workspace} is a submodule, of which no worktree is made.`
    throw new LoopError('bad-request', `${message} Work in the folder itself (--in-place).`)
  }
  if (isTop(repository, workspace)) return repository
  const top = repository.checkout ?? repository.home
  throw new LoopError(
    'bad-request',
    `${workspace} is inside the repository ${top}, and a worktree is of all of it. Give ${top} as the workspace, or work in the folder itself (--in-place).`,
  )
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
