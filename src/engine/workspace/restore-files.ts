/** What a run that is resumed starts from: the files of its journal, and the steps of its open iteration (E2). */

import type { LiveRun } from '../live-run.ts'
import type { LoadedRun } from '../load-run.ts'
import { readSteps } from '../steps/recorded-steps.ts'
import { recoverWorkspace, restartWorkspace } from './recover-workspace.ts'

/** The events of the open iteration, if there is one. */
export type OpenEvents = LoadedRun['openEvents'] | undefined

/** Restores the files, and reads the recorded steps of the open iteration. */
export async function restoreFiles(
  live: LiveRun,
  loaded: LoadedRun,
  { restart, keepFiles }: { readonly restart: boolean; readonly keepFiles: boolean },
): Promise<OpenEvents> {
  const { ports, recorder } = live
  const { state, openEvents } = loaded
  if (restart) {
    const iteration = state.open?.iteration ?? state.iteration + 1
    const reason = 'the code of the loop changed'
    await recorder.record([{ type: 'iteration-restarted', iteration, reason }])
    await restartWorkspace(ports.workspace, state.treeAtIterationStart, recorder)
    return []
  }
  await recoverWorkspace(ports.workspace, state, readSteps(openEvents), recorder, keepFiles)
  return openEvents
}
