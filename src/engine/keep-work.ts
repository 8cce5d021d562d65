/**
 * Puts what an iteration left where people look for it. That is for people: the journal and the trees are
 * the record. So if it fails it is tried again, later each time, and then the run goes on with a warning;
 * what is not there is not certified. The journal itself never degrades so.
 */

import {
  defaultRetry,
  defined,
  isLoopError,
  LoopError,
  retryDelayMs,
  type TreeId,
  textOf,
} from '../loop/index.ts'
import type { LiveIteration } from './live-run.ts'
import type { Kept } from './ports.ts'

/** All steps are on record by now: an iteration that is entered again leaves the same files. */
export async function keepWork(
  iteration: LiveIteration,
  tree: TreeId | undefined = iteration.run.recorder.state.tree,
): Promise<Kept | 'failed' | undefined> {
  const { ports, recorder } = iteration.run
  const { workspace, clock } = ports
  if (workspace?.keep === undefined || tree === undefined) return undefined
  const { number, report } = iteration
  const told = defined({ report })
  for (let attempt = 1; ; attempt++) {
    try {
      return await workspace.keep({ iteration: number, tree, ...told })
    } catch (error) {
      // Whoever lost the run, or its store, does not go on.
      if (error instanceof LoopError && !isLoopError(error, 'workspace-failed')) throw error
      const message = textOf(error)
      const fault = { code: 'workspace-failed', message, retryable: true }
      const delayMs = retryDelayMs(defaultRetry, fault, attempt, clock.random())
      if (delayMs !== undefined) {
        await clock.sleep(delayMs)
        continue
      }
      const said =
        `What iteration ${number} left was not committed, after ${attempt} attempts: ${message} ` +
        'It is on record; the run goes on, and is not certified like this.'
      recorder.note([{ type: 'warning', code: 'not-kept', message: said }])
      return 'failed'
    }
  }
}
