/**
 * A workspace that compares the same two trees once: in one iteration, the policy, the escalation and the gate ask for the
 * same list. A tree never changes, so the list does not either.
 */

import type { TreeId } from '../../loop/index.ts'
import type { Workspace } from '../ports.ts'

/** From the base and from the start of the iteration, to the tree before a step and to the one after it. */
const pairsMax = 4

export function rememberChanges(workspace: Workspace): Workspace {
  if (workspace.changes === undefined) return workspace
  const compare = workspace.changes.bind(workspace)
  const known = new Map<string, Promise<readonly string[]>>()
  return {
    ...workspace,
    changes(before: TreeId, after: TreeId) {
      const pair = `${before} ${after}`
      const found = known.get(pair)
      if (found !== undefined) return found
      const listed = compare(before, after)
      listed.catch(() => known.delete(pair))
      known.set(pair, listed)
      for (const oldest of known.keys()) if (known.size > pairsMax) known.delete(oldest)
      return listed
    },
  }
}
