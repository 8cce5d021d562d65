/** Programs that use the user's login run without a sandbox, so only in attended runs. */

import { LoopError } from '../../loop/index.ts'
import type { AgentParts } from './agent-parts.ts'

/** Warns that the agent works outside the sandbox, or throws if this run does not allow that. */
export function requireOwnLogin(
  name: string,
  { place, sandbox, problems }: Pick<AgentParts, 'place' | 'sandbox' | 'problems'>,
): void {
  const own = `${name} uses its own login (agent.subscription)`
  if (place.replay !== undefined) {
    throw new LoopError(
      'bad-request',
      `${own}, so its requests were not recorded and cannot be replayed. Fork the run instead.`,
    )
  }
  if (place.attended !== true) {
    throw new LoopError(
      'not-available',
      `${own}, outside the sandbox, and this run is unattended. Use an API key instead, run it ` +
        'at a terminal, or pass --attended.',
    )
  }
  if (sandbox.isRequired) {
    throw new LoopError(
      'bad-loop-file',
      `${own}, outside the sandbox, and the loop file requires a sandbox (sandbox.require). Remove one of ` +
        'the two settings.',
    )
  }
  problems.push(
    'the agent works outside the sandbox (agent.subscription), with your files and network.',
  )
}
