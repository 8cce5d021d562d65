/**
 * Recreates a worktree that was deleted or pruned by git, with the files it had.
 *
 * It is assembled in a folder beside its path and renamed as a whole, so that it is never visible incomplete.
 */

import { basename, dirname, join } from 'node:path'
import type { TreeId } from '../../loop/index.ts'
import { type CarryRule } from '../../system/worktree-defaults.ts'
import { fromText } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { listIgnored } from '../git/checkout-changes.ts'
import { fromTreeId } from '../git/git-tree-id.ts'
import { replaceFile } from '../git/private-git-dir.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { wrapError } from '../git/wrap-error.ts'
import { remove } from '../remove.ts'
import { carryOver } from './carry-over.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import { type KnownWorktree, openWorkTree, publishIndex, type Tools } from './open-work-tree.ts'
import { registerAgain } from './register-again.ts'
import { fillWorkTree } from './restore-work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

export interface RecreateWorktreeOptions {
  readonly repository: Repository
  readonly worktree: KnownWorktree
  /** Its files. Default: those of the base. */
  readonly tree?: TreeId
  readonly git?: RunGit
  readonly files?: WorktreeFiles
}

/** True if it was recreated. Rejects with `workspace-failed` if something else is at its path. */
export async function recreateWorktree(options: RecreateWorktreeOptions): Promise<boolean> {
  const { repository, worktree } = options
  const files = options.files ?? worktreeFiles
  const status = await checkWorktree(files, repository, worktree)
  if (status === 'there') return false
  const tools: Tools = { git: options.git ?? runGit, files, now: Date.now }
  try {
    if (status === 'missing') await remake(tools, repository, worktree, options.tree)
    else await registerAgain(files, repository, worktree, status)
    return status === 'missing'
  } catch (error) {
    const message = `Could not recreate the worktree ${worktree.path}`
    throw wrapError(message, error, 'Fix the cause, then resume.')
  }
}

async function remake(
  tools: Tools,
  repository: Repository,
  worktree: KnownWorktree,
  wanted: TreeId | undefined,
): Promise<void> {
  const { files } = tools
  const { id, path } = worktree
  const beside = join(dirname(path), `.${basename(path)}.again-${id}`)
  const folder = { root: fromText(dirname(path)), files, exclusions: createExclusions([]) }
  await files.mkdir(dirname(path), { recursive: true })
  await remove(folder, fromText(basename(beside)))
  await files.mkdir(beside)
  // The folder does not exist yet, so this only adds the entry in the repository.
  await registerAgain(files, repository, worktree, 'pruned')
  const tree = await openWorkTree(tools, repository, { ...worktree, path: beside })
  await files.rm(tree.own.indexFile, { force: true })
  await fillWorkTree(tree, wanted === undefined ? worktree.base.commit : fromTreeId(wanted))
  await carryAgain(tools, repository, worktree, beside)
  const pointer = Buffer.from(`gitdir: ${adminDir(repository, id)}\n`)
  await replaceFile(files, join(beside, '.git'), pointer)
  await files.rename(beside, path)
  await publishIndex(files, tree, id)
}

/** Carries over the same paths as before, whatever the current rules are. */
async function carryAgain(
  { git, files }: Tools,
  repository: Repository,
  { carried, linked = [] }: KnownWorktree,
  to: string,
): Promise<void> {
  const { checkout } = repository
  if (checkout === undefined || carried.length === 0) return
  const rules = carried.map((path): CarryRule => {
    const literal = path.replaceAll(/[\\*?[\](){}!+@]/g, String.raw`\$&`)
    return { path: literal, by: linked.includes(path) ? 'link' : 'copy' }
  })
  const ignored = await listIgnored(git, files, repository)
  await carryOver({ files, from: checkout, to, ignored, rules })
}
