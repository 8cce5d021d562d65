/** What launching a loop needs of a host. */

import type { Runs } from '../runs/runs.ts'
import type { ModelDoor } from './shared-gateway.ts'

export interface LaunchHost extends Pick<Runs, 'folder' | 'journal' | 'blobs'> {
  /** The way to models for agents of its runs. */
  readonly models: ModelDoor
}
