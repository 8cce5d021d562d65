/** Trees of worktrees are git's own: `git:` and the id that git gives them. */

import { LoopError, type TreeId } from '../../loop/index.ts'
import { isObjectId, type ObjectId } from './refs.ts'

const prefix = 'git:'

export const isGitTree = (tree: TreeId): boolean => tree.startsWith(prefix)

export const toTreeId = (id: ObjectId): TreeId => `${prefix}${id}` as TreeId

export function fromTreeId(tree: TreeId): ObjectId {
  const id = tree.slice(prefix.length)
  if (isGitTree(tree) && isObjectId(id)) return id
  const advice = 'The run was made in another kind of workspace: resume it there.'
  throw new LoopError('unknown-artifact', `${tree} is not a tree of git. ${advice}`)
}
