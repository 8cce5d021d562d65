/**
 * Continues on a new base, after an action found that the target branch has changed. The journal is written
 * first; after a crash, the files are restored to what it says.
 */

import type { Rework } from '../../loop/index.ts'
import type { LiveIteration } from '../live-run.ts'

export async function followBase(
  { run: { ports, recorder } }: LiveIteration,
  { tree, base, commit: follows }: Rework,
): Promise<void> {
  const { tree: found, baseTree } = recorder.state
  if (ports.workspace === undefined || found === undefined) return
  // Already recorded: the iteration was resumed after a crash.
  if (found === tree && baseTree === base) return
  const event = {
    type: 'workspace-changed',
    why: 'base-moved',
    found,
    tree,
    base,
    follows,
  } as const
  await recorder.record([event], { trees: [tree, base] })
  await ports.workspace.restore(tree)
}
