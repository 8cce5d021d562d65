/**
 * Makes a worktree for a run, on a branch of its own.
 *
 * 1. The person's checkout is only looked at.
 * 2. Asked again with the same key, it finishes what a kill interrupted, or gives what is there.
 * 3. Two that want the same name get two names; no branch is ever taken over from where it stands.
 */

import { basename, dirname, join } from 'node:path'
import { defined, LoopError } from '../../loop/index.ts'
import { branchPrefixDefault, type CarryRule } from '../../system/worktree-defaults.ts'
import { hasCode } from '../place.ts'
import { findBase } from './base-branch.ts'
import { type Carried, type CarryLimits, carryOver } from './carry-over.ts'
import { checkWorktree } from './check-worktree.ts'
import { failure } from './failure.ts'
import { finishRemoval } from './finish-removal.ts'
import { freeBytesMinDefault, requireSpace } from './free-space.ts'
import { idAt, removeHalf, unlockHalf } from './half-made.ts'
import { ignoredPaths } from './look-at-checkout.ts'
import { numbered, requireBranchName, slug } from './names.ts'
import { type KnownWorktree, openWorkTree, showIndex, type Tools } from './open-work-tree.ts'
import { gitProvider, type WorktreeProvider } from './provider.ts'
import { branchRef, changeRef, commitOf } from './refs.ts'
import type { Repository } from './repository.ts'
import { requireClean } from './require-clean.ts'
import { fillWorkTree, restoreWorkTree } from './restore-work-tree.ts'
import { type RunGit, runGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { pathTemplateDefault, worktreePath } from './worktree-path.ts'
import { readRecord, removeRecord, type WorktreeRecord, writeRecord } from './worktree-record.ts'

export interface CreateWorktreeOptions {
  readonly repository: Repository
  /** By which it is known: the id of the run. */
  readonly key: string
  /** What its branch is named after. */
  readonly name: string
  readonly branchPrefix?: string
  /** A branch, a tag or a commit. */
  readonly base?: string
  /** Where to begin, if it is not the newest commit of the base. */
  readonly baseCommit?: string
  readonly pathTemplate?: string
  readonly provider?: WorktreeProvider
  readonly allowDirty?: boolean
  /** Paths in the checkout that may be there uncommitted, if they are not tracked. */
  readonly apart?: readonly string[]
  /** Who makes it, so that nobody else takes it for forgotten. */
  readonly owner?: string
  /** The process that makes it. */
  readonly maker?: string
  readonly carry?: readonly CarryRule[]
  readonly carryLimits?: CarryLimits
  readonly freeBytesMin?: number
  readonly git?: RunGit
  readonly files?: WorktreeFiles
  readonly now?: () => number
}

export interface CreatedWorktree {
  readonly worktree: KnownWorktree
  /** What was brought from the checkout, and what was not. */
  readonly carried: Carried
}

const namesMax = 1000
const nothing: Carried = { paths: [], linked: [], skipped: [] }

export async function createWorktree(options: CreateWorktreeOptions): Promise<CreatedWorktree> {
  const tools: Tools = {
    git: options.git ?? runGit,
    files: options.files ?? worktreeFiles,
    now: options.now ?? Date.now,
  }
  return create(tools, options).catch((error: unknown) => {
    const what = `No worktree could be made of ${options.repository.home}`
    throw failure(what, error, 'Remove the cause, then try again: it goes on where it stopped.')
  })
}

async function create(tools: Tools, options: CreateWorktreeOptions): Promise<CreatedWorktree> {
  const { repository, key } = options
  const found = await readRecord(tools.files, repository, key)
  if (found?.state === 'removing') await finishRemoval(tools, repository, found)
  const known = found?.state === 'removing' ? undefined : found
  if (known?.state === 'ready' && isKnown(known)) return { worktree: known, carried: nothing }
  const registered =
    (known === undefined ? undefined : await resumed(tools, options, known)) ??
    (await inOrder(repository.commonDir, () => claimed(tools, options)))
  return filled(tools, options, registered)
}

const isKnown = (record: WorktreeRecord): record is KnownWorktree => record.id !== undefined

/** What was begun, if it can be gone on with. */
async function resumed(
  tools: Tools,
  options: CreateWorktreeOptions,
  record: WorktreeRecord,
): Promise<KnownWorktree | undefined> {
  const { repository } = options
  const { branch, base, path } = record
  const id = record.id ?? (await idAt(tools, repository, path))
  if (id !== undefined) {
    const status = await checkWorktree(tools.files, repository, { path, id, branch }).catch(
      (error: unknown) => {
        // git registers a worktree before it is one. What was checked once is somebody's now.
        if (record.id === undefined) return 'half-made'
        throw error
      },
    )
    if (status === 'there') {
      await unlockHalf(tools, repository, id)
      return { ...record, id }
    }
  }
  await removeHalf(tools, repository, path)
  const tip = await commitOf(tools.git, repository, branchRef(branch))
  if (tip !== undefined && tip !== base.commit) return undefined
  const reason = 'loopwright: branch for a run'
  const change = { ref: branchRef(branch), to: base.commit, from: undefined, reason }
  if (tip === undefined && !(await changeRef(tools.git, repository, change))) return undefined
  return added(tools, options, record).catch((error: unknown) => {
    if (error instanceof GitError) return undefined
    throw error
  })
}

async function claimed(tools: Tools, options: CreateWorktreeOptions): Promise<KnownWorktree> {
  const { repository, key, provider = gitProvider } = options
  const base =
    options.baseCommit === undefined
      ? await findBase(tools, repository, options.base)
      : { ...beginningAt(options.baseCommit, options.base), isCheckedOut: false }
  const { name, commit } = base
  if (options.allowDirty !== true) await requireClean(tools, repository, base, options.apart)
  const prefix = options.branchPrefix ?? branchPrefixDefault
  const wanted = requireBranchName(`${prefix}${slug(options.name)}`)
  for (let number = 1; number <= namesMax; number += 1) {
    const branch = numbered(wanted, number)
    const path = await placeFor(tools, options, branch)
    if (path === undefined) continue
    const record: WorktreeRecord = {
      version: 1,
      key,
      state: 'creating',
      provider: provider.name,
      branch,
      base: { name, commit },
      path,
      carried: [],
      ...defined({ checkout: repository.checkout, owner: options.owner, maker: options.maker }),
      createdAtMs: tools.now(),
    }
    if (await tookBranch(tools, repository, record)) return addedOrUndone(tools, options, record)
  }
  const advice = 'Choose another name for the run, or remove old worktrees and branches.'
  throw new LoopError('name-taken', `All names like ${wanted} are taken. ${advice}`)
}

/** The base may be gone by now. */
const beginningAt = (commit: string, name = commit): WorktreeRecord['base'] => ({ name, commit })

async function tookBranch(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
): Promise<boolean> {
  const { branch, base, key } = record
  const ref = branchRef(branch)
  await writeRecord(tools.files, repository, record)
  try {
    const reason = 'loopwright: branch for a run'
    const change = { ref, to: base.commit, from: undefined, reason }
    return await changeRef(tools.git, repository, change)
  } catch (error) {
    await removeRecord(tools.files, repository, key)
    throw error
  }
}

/** Undefined when something is there already. */
async function placeFor(
  { files }: Tools,
  { repository, pathTemplate = pathTemplateDefault, freeBytesMin }: CreateWorktreeOptions,
  branch: string,
): Promise<string | undefined> {
  const wanted = worktreePath(pathTemplate, repository, branch)
  await requireSpace(files, wanted, freeBytesMin ?? freeBytesMinDefault)
  await files.mkdir(dirname(wanted), { recursive: true })
  const path = join(await files.realpath(dirname(wanted)), basename(wanted))
  return files.lstat(path).then(
    () => undefined,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return path
      throw error
    },
  )
}

async function addedOrUndone(
  tools: Tools,
  options: CreateWorktreeOptions,
  record: WorktreeRecord,
): Promise<KnownWorktree> {
  try {
    return await added(tools, options, record)
  } catch (error) {
    const { branch, base, key } = record
    const reason = 'loopwright: no worktree could be made'
    const change = { ref: branchRef(branch), to: undefined, from: base.commit, reason }
    await changeRef(tools.git, options.repository, change)
    await removeRecord(tools.files, options.repository, key)
    throw error
  }
}

async function added(
  tools: Tools,
  { repository, provider = gitProvider }: CreateWorktreeOptions,
  record: WorktreeRecord,
): Promise<KnownWorktree> {
  const { branch } = record
  const path = await provider.add(tools.git, { repository, branch, path: record.path })
  const id = await idAt(tools, repository, path)
  if (id !== undefined) {
    const status = await checkWorktree(tools.files, repository, { path, id, branch })
    if (status === 'there') {
      const known = { ...record, path, id }
      await writeRecord(tools.files, repository, known)
      return known
    }
  }
  const message = `${provider.name} made no worktree at ${path}`
  throw new LoopError(
    'workspace-failed',
    `${message}. Choose the provider git, or look at the repository.`,
  )
}

async function filled(
  tools: Tools,
  options: CreateWorktreeOptions,
  known: KnownWorktree,
): Promise<CreatedWorktree> {
  const { git, files } = tools
  const { repository } = options
  const tree = await openWorkTree(tools, repository, known)
  const isEmpty = (await files.readdir(known.path)).every((name) => name === '.git')
  if (isEmpty) await fillWorkTree(tree, known.base.commit)
  else await restoreWorkTree(tree, known.base.commit, [])
  await showIndex(files, tree, known.id)
  const { checkout } = repository
  const carried =
    checkout === undefined || options.carry?.length === 0
      ? nothing
      : await carryOver({
          files,
          from: checkout,
          to: known.path,
          ignored: await ignoredPaths(git, files, repository),
          ...defined({ rules: options.carry, limits: options.carryLimits }),
        })
  const ready: KnownWorktree = {
    ...known,
    state: 'ready',
    carried: carried.paths,
    ...(carried.linked.length === 0 ? {} : { linked: carried.linked }),
  }
  await writeRecord(files, repository, ready)
  return { worktree: ready, carried }
}

const queues = new Map<string, Promise<unknown>>()

/** git looks at all worktrees of a repository when it adds one: in one process they take turns. */
async function inOrder<T>(repository: string, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(repository) ?? Promise.resolve()).then(work)
  const settled = turn.catch(() => {})
  queues.set(repository, settled)
  try {
    return await turn
  } finally {
    if (queues.get(repository) === settled) queues.delete(repository)
  }
}
