/**
 * Makes a worktree again that was deleted or forgotten by git, with the files that it had.
 *
 * It is put together beside its place and moved there as a whole: whoever finds it finds all of it.
 */

import { basename, dirname, join } from 'node:path'
import type { TreeId } from '../../loop/index.ts'
import { type CarryRule } from '../../system/worktree-defaults.ts'
import { fromText } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { remove } from '../remove.ts'
import { carryOver } from './carry-over.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import { failure } from './failure.ts'
import { fromTreeId } from './git-tree-id.ts'
import { ignoredPaths } from './look-at-checkout.ts'
import { type KnownWorktree, openWorkTree, showIndex, type Tools } from './open-work-tree.ts'
import { replaceFile } from './own-directory.ts'
import { registerAgain } from './register-again.ts'
import type { Repository } from './repository.ts'
import { fillWorkTree } from './restore-work-tree.ts'
import { type RunGit, runGit } from './run-git.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

export interface RemakeWorktreeOptions {
  readonly repository: Repository
  readonly worktree: KnownWorktree
  /** Its files; those that it began with unless told. */
  readonly tree?: TreeId
  readonly git?: RunGit
  readonly files?: WorktreeFiles
}

/** Whether it had to be made again. Rejects with `workspace-failed` when something else is there. */
export async function remakeWorktree(options: RemakeWorktreeOptions): Promise<boolean> {
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
    const what = `The worktree ${worktree.path} could not be made again`
    throw failure(what, error, 'Remove the cause, then resume.')
  }
}

async function remake(
  tools: Tools,
  repository: Repository,
  worktree: KnownWorktree,
  wanted: TreeId | undefined,
): Promise<void> {
  const { files } = tools
  const { id, path, carried } = worktree
  const beside = join(dirname(path), `.${basename(path)}.again-${id}`)
  const folder = { root: fromText(dirname(path)), files, exclusions: createExclusions([]) }
  await files.mkdir(dirname(path), { recursive: true })
  await remove(folder, fromText(basename(beside)))
  await files.mkdir(beside)
  // It is not there, so this only tells git of it.
  await registerAgain(files, repository, worktree, 'pruned')
  const tree = await openWorkTree(tools, repository, { id, path: beside, carried })
  await files.rm(tree.own.indexFile, { force: true })
  await fillWorkTree(tree, wanted === undefined ? worktree.base.commit : fromTreeId(wanted))
  await carryAgain(tools, repository, worktree, beside)
  const pointer = Buffer.from(`gitdir: ${adminDir(repository, id)}\n`)
  await replaceFile(files, join(beside, '.git'), pointer)
  await files.rename(beside, path)
  await showIndex(files, tree, id)
}

/** What it had, and nothing else, whatever the rules are by now. */
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
  const ignored = await ignoredPaths(git, files, repository)
  await carryOver({ files, from: checkout, to, ignored, rules })
}
