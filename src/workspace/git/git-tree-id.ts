/** The ids of trees in git: `git:` and the object id. */

import { LoopError, type TreeId } from '../../loop/index.ts'
import { isObjectId, type ObjectId } from './refs.ts'

const prefix = 'git:'

export const isGitTree = (tree: TreeId): boolean => tree.startsWith(prefix)

export const toTreeId = (id: ObjectId): TreeId => `${prefix}${id}` as TreeId

export function fromTreeId(tree: TreeId): ObjectId {
  const id = tree.slice(prefix.length)
  if (isGitTree(tree) && isObjectId(id)) return id
  const advice = 'The run was created in another kind of workspace: resume it there.'
  throw new LoopError('unknown-artifact', `${tree} is not a git tree. ${advice}`)
}
