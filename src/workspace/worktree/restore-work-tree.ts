/**
 * Restores a work tree to a git tree.
 *
 * 1. Files that the rules of the restored tree ignore stay; files that only later rules ignore are removed. An
 *    ignored file at the path of a file of the tree is removed too.
 * 2. Nothing outside changes: git removes symlinks without following them, and replaces files instead of
 *    overwriting them.
 * 3. If a restore is killed, the next one completes it.
 */

import { LoopError } from '../../loop/index.ts'
import { type Bytes, joinBytes } from '../bytes.ts'
import { type ObjectId, resolveObjects } from '../git/refs.ts'
import type { GitLocation } from '../git/run-git.ts'
import { GitError } from '../git/run-program.ts'
import { makeAccessible } from '../remove.ts'
import { listNames, tryLstat } from '../workspace-directory.ts'
import { onScratchIndex, treeTimeoutMs, type WorkTree } from './work-tree.ts'

export async function restoreWorkTree(
  tree: WorkTree,
  target: ObjectId,
  exclude: readonly string[],
): Promise<void> {
  await requireTree(tree, target)
  await onScratchIndex(tree, (at) =>
    withAccessibleFolders(tree, async () => {
      await checkOut(tree, at, target)
      await tree.git({
        at,
        command: 'clean',
        options: cleanOptions(exclude),
        timeoutMs: treeTimeoutMs,
      })
    }),
  )
}

/** For an empty work tree. */
export async function fillWorkTree(tree: WorkTree, target: ObjectId): Promise<void> {
  await onScratchIndex(tree, (at) => checkOut(tree, at, target))
}

async function checkOut(tree: WorkTree, at: GitLocation, target: ObjectId): Promise<void> {
  await tree.git({
    at,
    command: 'read-tree',
    options: ['--reset', '-u', '--no-recurse-submodules'],
    operands: [target],
    timeoutMs: treeTimeoutMs,
  })
}

/** An agent may have left folders that even their owner cannot read or change. */
export async function withAccessibleFolders<T>(tree: WorkTree, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GitError) || error.why !== 'refused') throw error
    await makeFoldersAccessible(tree)
    return work()
  }
}

async function makeFoldersAccessible(tree: WorkTree): Promise<void> {
  const folders: Bytes[] = ['']
  for (const folder of folders) {
    const seen = await tryLstat(tree, folder)
    if (seen?.isDirectory() !== true) continue
    await makeAccessible(tree, folder, seen)
    for (const name of await listNames(tree, folder)) {
      const path = joinBytes(folder, name)
      if (!tree.exclusions.has(path) && (await tryLstat(tree, path))?.isDirectory() === true) {
        folders.push(path)
      }
    }
  }
}

async function requireTree(tree: WorkTree, target: ObjectId): Promise<void> {
  const [id] = await resolveObjects(tree.git, tree.repository.commonDir, [`${target}^{tree}`])
  if (id !== undefined) return
  const advice = 'Fetch it from the repository in which the run was created, or start a new run.'
  const message = `The repository ${tree.repository.home} has no tree ${target}. ${advice}`
  throw new LoopError('unknown-artifact', message)
}

/** Patterns on the command line override those of the work tree. */
function cleanOptions(exclude: readonly string[]): readonly string[] {
  const patterns = exclude.map((path) => path.replaceAll(/[\\*?[\]!#]/g, String.raw`\$&`))
  return ['-ffd', '-q', ...patterns.map((pattern) => `--exclude=/${pattern}`)]
}
