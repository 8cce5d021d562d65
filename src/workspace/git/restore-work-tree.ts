/**
 * Makes a work tree be what a git tree says.
 *
 * 1. Ignored files stay, by the rules that the tree itself brings: what was hidden by rules written
 *    since then goes. One that is in the way of a file of the tree goes too.
 * 2. Nothing outside changes: git removes a link and does not follow it, and replaces a file rather
 *    than to write into it.
 * 3. One that was killed is finished by the next one.
 */

import { LoopError } from '../../loop/index.ts'
import { type Bytes, inside } from '../bytes.ts'
import { look, namesIn } from '../place.ts'
import { makeUsable } from '../remove.ts'
import type { ObjectId } from './refs.ts'
import type { GitPlace } from './run-git.ts'
import { GitError } from './run-program.ts'
import { onScratchIndex, treeTimeoutMs, type WorkTree } from './work-tree.ts'

export async function restoreWorkTree(
  tree: WorkTree,
  target: ObjectId,
  exclude: readonly string[],
): Promise<void> {
  await requireTree(tree, target)
  await onScratchIndex(tree, (at) =>
    withUsableFolders(tree, async () => {
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

/** The same where there is nothing yet. */
export async function fillWorkTree(tree: WorkTree, target: ObjectId): Promise<void> {
  await onScratchIndex(tree, (at) => checkOut(tree, at, target))
}

async function checkOut(tree: WorkTree, at: GitPlace, target: ObjectId): Promise<void> {
  await tree.git({
    at,
    command: 'read-tree',
    options: ['--reset', '-u', '--no-recurse-submodules'],
    operands: [target],
    timeoutMs: treeTimeoutMs,
  })
}

/** An agent may have left folders that even their owner cannot look into or change. */
export async function withUsableFolders<T>(tree: WorkTree, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GitError) || error.why !== 'refused') throw error
    await makeFoldersUsable(tree)
    return work()
  }
}

async function makeFoldersUsable(tree: WorkTree): Promise<void> {
  const folders: Bytes[] = ['']
  for (const folder of folders) {
    const seen = await look(tree, folder)
    if (seen?.isDirectory() !== true) continue
    await makeUsable(tree, folder, seen)
    for (const name of await namesIn(tree, folder)) {
      const path = inside(folder, name)
      if (!tree.exclusions.has(path) && (await look(tree, path))?.isDirectory() === true) {
        folders.push(path)
      }
    }
  }
}

async function requireTree(tree: WorkTree, target: ObjectId): Promise<void> {
  const at: GitPlace = tree.own.at(tree.path)
  const { exitCode } = await tree.git({
    at,
    command: 'cat-file',
    options: ['-e'],
    operands: [`${target}^{tree}`],
    answers: [0, 1, 128],
  })
  if (exitCode === 0) return
  const advice = 'Fetch it from where the run was made, or start a new run.'
  const message = `The repository ${tree.repository.home} has no tree ${target}. ${advice}`
  throw new LoopError('unknown-artifact', message)
}

/** Given in the command, they come before what the work tree says. */
function cleanOptions(exclude: readonly string[]): readonly string[] {
  const patterns = exclude.map((path) => path.replaceAll(/[\\*?[\]!#]/g, String.raw`\$&`))
  return ['-ffd', '-q', ...patterns.map((pattern) => `--exclude=/${pattern}`)]
}
