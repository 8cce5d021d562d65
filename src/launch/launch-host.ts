/** What launching a loop needs of a host. */

import type { LoopTypeDefinition } from '../loops/index.ts'
import type { Runs } from '../runs/runs.ts'
import type { SharedGateway } from './shared-gateway.ts'

export interface LaunchHost extends Pick<Runs, 'folder' | 'journal' | 'blobs'> {
  /** The gateway that agents of its runs use to call models. */
  readonly models: SharedGateway
  /** The loop types that loop files can use. Absent: the built-in ones. */
  readonly loopTypes?: readonly LoopTypeDefinition[]
}
