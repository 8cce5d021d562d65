/**
 * Creates a worktree for a run, on a separate branch.
 *
 * 1. The user's checkout is only read.
 * 2. Called again with the same key, it completes what a kill interrupted, or returns the existing worktree.
 * 3. Two runs with the same name get different branches; an existing branch is never reused.
 */

import { basename, dirname, join } from 'node:path'
import { defined, LoopError, toSlug } from '../../loop/index.ts'
import { branchPrefixDefault, type CarryRule } from '../../system/worktree-defaults.ts'
import { listIgnored } from '../git/checkout-changes.ts'
import { findBase } from '../git/find-base.ts'
import { freeBytesMinDefault, requireSpace } from '../git/free-space.ts'
import { addNumber, requireBranchName } from '../git/names.ts'
import { branchRef, changeRef, resolveCommit, resolveObjects } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { GitError } from '../git/run-program.ts'
import { wrapError } from '../git/wrap-error.ts'
import { hasCode } from '../workspace-directory.ts'
import { type CarryLimits, type CarryResult, carryOver } from './carry-over.ts'
import { checkWorktree } from './check-worktree.ts'
import { finishRemoval } from './finish-removal.ts'
import { type KnownWorktree, openWorkTree, publishIndex, type Tools } from './open-work-tree.ts'
import { readWorktreeId, removePartialWorktree, unlockPartialWorktree } from './partial-worktree.ts'
import { gitProvider, type WorktreeProvider } from './provider.ts'
import { requireClean } from './require-clean.ts'
import { fillWorkTree, restoreWorkTree } from './restore-work-tree.ts'
import { rememberIndexTree } from './snapshot-work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { pathTemplateDefault, worktreePath } from './worktree-path.ts'
import { readRecord, removeRecord, type WorktreeRecord, writeRecord } from './worktree-record.ts'

export interface CreateWorktreeOptions {
  readonly repository: Repository
  /** Identifies the worktree: the id of the run. */
  readonly key: string
  /** The branch is named after it. */
  readonly name: string
  readonly branchPrefix?: string
  /** A branch, a tag or a commit. */
  readonly base?: string
  /** The commit to start from. Default: the newest commit of the base. */
  readonly baseCommit?: string
  readonly pathTemplate?: string
  readonly provider?: WorktreeProvider
  readonly allowDirty?: boolean
  /** Paths in the checkout that do not count as uncommitted changes. */
  readonly ignoredPaths?: readonly string[]
  /** The installation that creates it, so that no other considers it abandoned. */
  readonly owner?: string
  /** The process that creates it. */
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
  /** What was carried over from the checkout, and what was not. */
  readonly carried: CarryResult
}

const namesMax = 1000
const nothingCarried: CarryResult = { paths: [], linked: [], skipped: [] }

export async function createWorktree(options: CreateWorktreeOptions): Promise<CreatedWorktree> {
  const tools: Tools = {
    git: options.git ?? runGit,
    files: options.files ?? worktreeFiles,
    now: options.now ?? Date.now,
  }
  return create(tools, options).catch((error: unknown) => {
    const message = `Could not create a worktree of ${options.repository.home}`
    throw wrapError(message, error, 'Fix the cause, then try again: it continues where it stopped.')
  })
}

async function create(tools: Tools, options: CreateWorktreeOptions): Promise<CreatedWorktree> {
  const { repository, key } = options
  const found = await readRecord(tools.files, repository, key)
  if (found?.state === 'removing') await finishRemoval(tools, repository, found)
  const known = found?.state === 'removing' ? undefined : found
  if (known?.state === 'ready' && isKnown(known))
    return { worktree: known, carried: nothingCarried }
  const registered =
    (known === undefined ? undefined : await resumeCreation(tools, options, known)) ??
    (await serialize(repository.commonDir, () => claimBranch(tools, options)))
  return fillWorktree(tools, options, registered)
}

const isKnown = (record: WorktreeRecord): record is KnownWorktree => record.id !== undefined

/** Completes an interrupted creation; undefined if that is not possible. */
async function resumeCreation(
  tools: Tools,
  options: CreateWorktreeOptions,
  record: WorktreeRecord,
): Promise<KnownWorktree | undefined> {
  const { repository } = options
  const { branch, base, path } = record
  const id = record.id ?? (await readWorktreeId(tools, repository, path))
  if (id !== undefined) {
    const status = await checkWorktree(tools.files, repository, { path, id, branch }).catch(
      (error: unknown) => {
        // git registers a worktree before it is complete. One that was complete before may be in use now.
        if (record.id === undefined) return 'partial'
        throw error
      },
    )
    if (status === 'there') {
      await unlockPartialWorktree(tools, repository, id)
      return { ...record, id }
    }
  }
  await removePartialWorktree(tools, repository, path)
  const tip = await resolveCommit(tools.git, repository, branchRef(branch))
  if (tip !== undefined && tip !== base.commit) return undefined
  const change = { ref: branchRef(branch), to: base.commit, from: undefined }
  if (tip === undefined && !(await changeRef(tools.git, repository, change))) return undefined
  return addWorktree(tools, options, record).catch((error: unknown) => {
    if (error instanceof GitError) return undefined
    throw error
  })
}

async function claimBranch(tools: Tools, options: CreateWorktreeOptions): Promise<KnownWorktree> {
  const { repository, key, provider = gitProvider } = options
  const base =
    options.baseCommit === undefined
      ? await findBase(tools, repository, options.base)
      : { ...toBase(options.baseCommit, options.base), isCheckedOut: false }
  const { name, commit } = base
  if (options.allowDirty !== true) await requireClean(tools, repository, base, options.ignoredPaths)
  const prefix = options.branchPrefix ?? branchPrefixDefault
  const wanted = requireBranchName(`${prefix}${toSlug(options.name)}`)
  for (let number = 1; number <= namesMax; number += 1) {
    const branch = addNumber(wanted, number)
    const path = await choosePath(tools, options, branch)
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
    if (await createBranch(tools, repository, record)) return addOrRollBack(tools, options, record)
  }
  const advice = 'Choose another name for the run, or remove old worktrees and branches.'
  throw new LoopError('name-taken', `All names like ${wanted} are taken. ${advice}`)
}

/** The base branch itself may no longer exist. */
const toBase = (commit: string, name = commit): WorktreeRecord['base'] => ({ name, commit })

/** False if the branch exists. */
async function createBranch(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
): Promise<boolean> {
  const { branch, base, key } = record
  const ref = branchRef(branch)
  await writeRecord(tools.files, repository, record)
  try {
    const change = { ref, to: base.commit, from: undefined }
    return await changeRef(tools.git, repository, change)
  } catch (error) {
    await removeRecord(tools.files, repository, key)
    throw error
  }
}

/** Undefined if the path exists. */
async function choosePath(
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

async function addOrRollBack(
  tools: Tools,
  options: CreateWorktreeOptions,
  record: WorktreeRecord,
): Promise<KnownWorktree> {
  try {
    return await addWorktree(tools, options, record)
  } catch (error) {
    const { branch, base, key } = record
    const change = { ref: branchRef(branch), to: undefined, from: base.commit }
    await changeRef(tools.git, options.repository, change)
    await removeRecord(tools.files, options.repository, key)
    throw error
  }
}

async function addWorktree(
  tools: Tools,
  { repository, provider = gitProvider }: CreateWorktreeOptions,
  record: WorktreeRecord,
): Promise<KnownWorktree> {
  const { branch } = record
  const path = await provider.add(tools.git, { repository, branch, path: record.path })
  const id = await readWorktreeId(tools, repository, path)
  if (id !== undefined) {
    const status = await checkWorktree(tools.files, repository, { path, id, branch })
    if (status === 'there') {
      const known = { ...record, path, id }
      await writeRecord(tools.files, repository, known)
      return known
    }
  }
  const message = `${provider.name} did not create a worktree at ${path}`
  throw new LoopError(
    'workspace-failed',
    `${message}. Use the provider git, or check the repository.`,
  )
}

async function fillWorktree(
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
  await publishIndex(files, tree, known.id)
  const [filled] = await resolveObjects(git, repository.commonDir, [`${known.base.commit}^{tree}`])
  if (filled !== undefined) await rememberIndexTree(tree, filled)
  const { checkout } = repository
  const carried =
    checkout === undefined || options.carry?.length === 0
      ? nothingCarried
      : await carryOver({
          files,
          from: checkout,
          to: known.path,
          ignored: await listIgnored(git, files, repository),
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

/** git scans all worktrees of a repository when it adds one, so a process adds one at a time. */
async function serialize<T>(repository: string, work: () => Promise<T>): Promise<T> {
  const result = (queues.get(repository) ?? Promise.resolve()).then(work)
  const settled = result.catch(() => {})
  queues.set(repository, settled)
  try {
    return await result
  } finally {
    if (queues.get(repository) === settled) queues.delete(repository)
  }
}
