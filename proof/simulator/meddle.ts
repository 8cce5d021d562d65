/** What people do to a run that nobody drives: they change its files, or take it back. */

import type { SeededRandom } from '#src/testing/seeded-random.ts'
import type { Trip } from './log-model.ts'
import type { SimulatedRun } from './simulated-ports.ts'

const path = 'outside.txt'

/** Changes a file. After a stop in good order the run must take that as it is. */
export function changeFiles(run: SimulatedRun, random: SeededRandom): void {
  const { files, watch, outside } = run
  if (files === undefined) return
  const { state, open } = watch.log
  const isSuspended = state.status === 'suspended' || state.status === 'paused'
  const inGoodOrder = isSuspended && state.suspendedTree === files.tree() && !isUnfinished(open)
  const content = `${random.between(0, 1e9)}`
  files.write(path, content)
  outside.seq = state.seq
  if (inGoodOrder) outside.content = content
  else delete outside.content
}

/** Removes all of them. The run puts them back as they were. */
export function removeFiles(run: SimulatedRun): void {
  const { files, watch, outside } = run
  if (files === undefined || watch.log.state.tree === undefined) return
  files.removeFolder()
  delete outside.content
}

/** An attempt that changes files was cut off; they go back to where it began. */
function isUnfinished(trip: Trip | undefined): boolean {
  return [...(trip?.starts ?? [])].some(
    ([step, starts]) => starts.at(-1)?.tree !== undefined && !trip?.completions.has(step),
  )
}

export function checkOutside(run: SimulatedRun): void {
  const { files, watch, outside } = run
  const { content, seq } = outside
  if (content === undefined) return
  const isUndone = watch.log.events.some(
    (recorded) =>
      recorded.seq > seq &&
      (recorded.event.type === 'run-rewound' || recorded.event.type === 'iteration-restarted'),
  )
  if (isUndone || files?.read().get(path) === content) return
  watch.violate(`E2: what somebody wrote after event ${seq} is gone`)
}

/** An iteration to go back to: one that ended, or the beginning. */
export function pickCheckpoint(run: SimulatedRun, random: SeededRandom): number {
  const { trips, state } = run.watch.log
  const ended = trips.flatMap((trip) => (trip.ended === undefined ? [] : [trip.iteration]))
  const first = run.forkOf?.iteration ?? 0
  return random.pick([first, ...ended.filter((iteration) => iteration <= state.iteration)])
}
