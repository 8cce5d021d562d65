/** Applies people's decisions to a run that no process drives, so that a cancel takes effect immediately. */

import { decide, type RunId, type RunState } from '../loop/index.ts'
import { toApplied } from './control.ts'
import type { CreatePorts } from './create-run.ts'
import { loadRun } from './load-run.ts'
import type { Owner } from './ports.ts'
import { createRecorder } from './recorder.ts'

/** Rejects with `run-busy` if a process drives the run: then that process applies them. */
export async function applyIdle(run: RunId, ports: CreatePorts, owner: Owner): Promise<RunState> {
  const { journal, clock } = ports
  const lease = await journal.acquire(run, owner)
  try {
    const { state } = await loadRun(journal, run)
    if (state.outcome !== undefined) return state
    // An answer belongs to the step that asked; it waits for the run to be driven.
    const pending = await journal.pendingDecisions(run)
    const decided = pending.filter(({ decision }) => decision.type !== 'answer')
    if (decided.length === 0) return state
    const recorder = createRecorder(ports, lease, state, () => undefined)
    // The time since its process was killed does not count as work.
    const wasKilled = state.status === 'running' || state.status === 'waiting'
    if (wasKilled) await recorder.record([{ type: 'run-started', owner, fence: lease.fence }])
    for (const stored of decided) await recorder.record([toApplied(stored)])
    const { cancel, stop, pauseRequested } = recorder.state
    const command = decide(recorder.state, clock.now())
    if ((cancel ?? stop) !== undefined && command.type === 'finish') {
      await recorder.record([{ type: 'run-ended', outcome: command.outcome }], { boundary: true })
    } else if (wasKilled || pauseRequested !== (state.status === 'paused')) {
      await recorder.record([{ type: 'run-suspended', reason: pauseRequested ? 'paused' : 'idle' }])
    }
    return recorder.state
  } finally {
    await journal.release(lease)
  }
}

/** Records why a run does not continue. Rejects with `run-busy` if a process drives it. */
export async function suspendIdle(
  run: RunId,
  ports: CreatePorts,
  owner: Owner,
  reason: string,
): Promise<void> {
  const { journal } = ports
  const lease = await journal.acquire(run, owner)
  try {
    const { state } = await loadRun(journal, run)
    if (state.outcome !== undefined) return
    const recorder = createRecorder(ports, lease, state, () => undefined)
    // Closes what a killed process left open, without counting the time since.
    await recorder.record([
      { type: 'run-started', owner, fence: lease.fence },
      { type: 'run-suspended', reason },
    ])
  } finally {
    await journal.release(lease)
  }
}
