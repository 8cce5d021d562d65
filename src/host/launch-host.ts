/** What launching a loop needs of a host. */

import type { ModelDoor } from './model-door.ts'
import type { Runs } from './runs.ts'

export interface LaunchHost extends Pick<Runs, 'folder' | 'journal' | 'blobs'> {
  /** The way to models for agents of its runs. */
  readonly models: ModelDoor
}
