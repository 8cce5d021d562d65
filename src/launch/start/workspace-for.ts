/** The folder that a run works in, or whose repository its worktree is of. */

import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'

/** The agent does not work on a whole home folder or disk unless the user names it. */
export function workspaceFor(
  given: string | undefined,
  loop: { readonly workspace: string },
): string {
  const workspace = resolve(given ?? loop.workspace)
  const isTooMuch = workspace === homedir() || workspace === parse(workspace).root
  if (given !== undefined || !isTooMuch) return workspace
  throw new LoopError(
    'bad-request',
    `The loop would work on all of ${workspace}. Run it in the folder it is for, or name one with --workspace (in the API: workspace).`,
  )
}
