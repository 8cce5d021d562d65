/** What an agent of a loop file is opened with. */

import type { Agent } from '../../agents/index.ts'
import type { AgentUsed } from '../../loop/index.ts'
import type { Environment } from '../../system/environment.ts'
import type { OpenPlace } from '../launch-place.ts'
import type { OpenWalls } from '../opened-sandbox.ts'
import type { ModelDoor } from '../shared-gateway.ts'
import type { CommandChecks } from './open-repair.ts'

export interface OpenedAgent {
  readonly agent: Agent
  /** For the record. A script is nobody. */
  readonly used?: AgentUsed
}

export interface AgentParts {
  readonly place: Pick<
    OpenPlace,
    'attended' | 'checkout' | 'folder' | 'replay' | 'secrets' | 'shownAs' | 'workspace'
  >
  readonly walls: OpenWalls
  readonly models: ModelDoor
  readonly environment: Environment
  /** What lies about where it works, and is not kept with what it says. */
  readonly secrets?: readonly string[]
  /** Those of the loop file that are commands. */
  readonly checks: CommandChecks
  /** What is missing and can be done without is added here. */
  readonly problems: string[]
}

/** Where the workspace is for commands, if that is elsewhere: only strong walls can show it so. */
export const folderInside = ({
  place,
  walls,
}: Pick<AgentParts, 'place' | 'walls'>): string | undefined =>
  walls.walls.tier === 'strong' ? place.shownAs : undefined
