/** What is needed to open an agent of a loop file. */

import type { Agent } from '../../agents/index.ts'
import type { AgentInfo } from '../../loop/index.ts'
import type { Environment } from '../../system/environment.ts'
import type { OpenContext } from '../open-context.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import type { SharedGateway } from '../shared-gateway.ts'
import type { CommandChecks } from './open-repair.ts'

export interface OpenedAgent {
  readonly agent: Agent
  /** For the journal. Absent for a script. */
  readonly used?: AgentInfo
}

export interface AgentParts {
  readonly place: Pick<
    OpenContext,
    'attended' | 'checkout' | 'folder' | 'replay' | 'secrets' | 'sandboxPath' | 'workspace'
  >
  readonly sandbox: OpenedSandbox
  readonly models: SharedGateway
  readonly environment: Environment
  /** Secrets found in its workspace, which are masked in everything that is recorded. */
  readonly secrets?: readonly string[]
  /** The checks of the loop file that are commands. */
  readonly checks: CommandChecks
  /** Receives problems that do not prevent the run. */
  readonly problems: string[]
}

/** The path of the workspace for commands, if it differs: only the strong tier can mount it elsewhere. */
export const sandboxWorkspace = ({
  place,
  sandbox,
}: Pick<AgentParts, 'place' | 'sandbox'>): string | undefined =>
  sandbox.summary.tier === 'strong' ? place.sandboxPath : undefined
