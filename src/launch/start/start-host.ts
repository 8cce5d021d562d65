/** What it takes to start runs. */

import type { Runs } from '../../runs/runs.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { ReadLoops } from '../read-loops.ts'

export interface StartHost extends LaunchHost, Runs {}

export interface StartParts {
  readonly host: StartHost
  /** Called with what the user should know about a run and can do without. */
  readonly onProblem: (problem: string, run: string) => void
  /** Called with each line that the code of a loop prints. */
  readonly onLine: (line: string) => void
  /** What this process read before, such as for a preview. */
  readonly reads?: ReadLoops
  /** Aborting it gives up what is being started. */
  readonly signal?: AbortSignal
  /** Absolute paths of files that are not part of the work, such as the output of this process. */
  readonly excludedPaths?: readonly string[]
}
