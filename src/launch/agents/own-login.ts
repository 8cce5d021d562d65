/** Programs with a login of their own: outside the walls, and only where somebody answers for that. */

import { LoopError } from '../../loop/index.ts'
import type { AgentParts } from './agent-parts.ts'

/** Says so to whoever watches, or why it cannot be. */
export function requireOwnLogin(
  name: string,
  { place, walls, problems }: Pick<AgentParts, 'place' | 'walls' | 'problems'>,
): void {
  const own = `${name} works on a login of its own (agent.subscription)`
  if (place.replay !== undefined) {
    throw new LoopError(
      'bad-request',
      `${own}: nothing of what it asked is on record, so it cannot be replayed. Fork it instead.`,
    )
  }
  if (place.attended !== true) {
    throw new LoopError(
      'not-available',
      `${own}, outside the sandbox, and nobody watches this run. Use an API key instead, or be ` +
        'there: run it at a terminal, or say --attended.',
    )
  }
  if (walls.isRequired) {
    throw new LoopError(
      'bad-loop-file',
      `${own}, outside the sandbox, and the loop file requires one (sandbox.require). Take one of ` +
        'the two out.',
    )
  }
  problems.push(
    'the agent works outside the sandbox (agent.subscription), with your files and network.',
  )
}
