/**
 * Commits the result of an iteration where people look for it, such as a branch. The journal and the trees
 * are the authoritative copy, so a failure is retried with growing delays and then becomes a warning; work
 * that is not committed is not certified. Failures of the journal are never tolerated like this.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import {
  defaultRetry,
  defined,
  isLoopError,
  LoopError,
  retryDelayMs,
  type TreeId,
  textOf,
} from '../../loop/index.ts'
import type { LiveIteration } from '../live-run.ts'
import type { CommittedWork } from '../ports.ts'

/** All steps are journaled by now, so an iteration that is continued leaves the same files. */
export async function keepWork(
  iteration: LiveIteration,
  tree: TreeId | undefined = iteration.run.recorder.state.tree,
): Promise<CommittedWork | 'failed' | undefined> {
  const { ports, recorder } = iteration.run
  const { workspace, clock } = ports
  if (workspace?.keep === undefined || tree === undefined) return undefined
  const { number, report } = iteration
  const told = defined({ report, follows: recorder.state.follows })
  for (let attempt = 1; ; attempt++) {
    try {
      return await workspace.keep({ iteration: number, tree, ...told })
    } catch (error) {
      // A process that lost the run or its store must not continue.
      if (error instanceof LoopError && !isLoopError(error, 'workspace-failed')) throw error
      const message = textOf(error)
      const fault = { code: 'workspace-failed', message, retryable: true }
      const delayMs = retryDelayMs(defaultRetry, fault, attempt, clock.random())
      if (delayMs !== undefined) {
        await clock.sleep(delayMs)
        continue
      }
      const said =
        `The result of iteration ${number} could not be committed after ${plural(attempt, 'attempt')}: ${message} ` +
        'It is stored in the journal and the run continues, but uncommitted work is not certified.'
      recorder.note([{ type: 'warning', code: 'not-kept', message: said }])
      return 'failed'
    }
  }
}
