/** The progress of a run. */

import { loadRun, readSteps } from '../../engine/index.ts'
import { add, defined, type RunId, type RunState, remaining, zero } from '../../loop/index.ts'
import type { OpenWork, Progress } from '../../protocol/api/index.ts'
import type { RecordSource } from './record-source.ts'

export async function viewProgress(
  { journal }: Pick<RecordSource, 'journal'>,
  run: RunId,
): Promise<Progress> {
  const { state, openEvents } = await loadRun(journal, run)
  const { status, iteration, limits, spent, spentByRole, activeMs, unchanged, errors } = state
  const { committed: _committed, ...left } = remaining(state)
  const open = openWork(state, openEvents)
  return {
    status,
    iteration,
    limits,
    spent,
    reserved: Object.values(state.reserved).reduce(add, zero),
    spentByRole,
    remaining: left,
    activeMs,
    unchanged,
    errors,
    ...defined({ open, progress: state.progress, outcome: state.outcome }),
  }
}

function openWork(
  { open }: RunState,
  events: Parameters<typeof readSteps>[0],
): OpenWork | undefined {
  if (open === undefined) return undefined
  const started = new Map(
    events.flatMap(({ event, atMs }) =>
      event.type === 'step-started' ? [[event.step, atMs] as const] : [],
    ),
  )
  const steps = readSteps(events).inFlight.map(({ id }) => ({
    step: id,
    startedAtMs: started.get(id) ?? open.startedAtMs,
  }))
  return { iteration: open.iteration, startedAtMs: open.startedAtMs, steps }
}
