/** What must hold when a run is over. */

import { type Journal, load, loadRun } from '#src/engine/index.ts'
import { FaultError, readStep } from '#src/loop/index.ts'
import type { Trip } from './log-model.ts'
import { checkOutside } from './meddle.ts'
import { replayTrip } from './model-iteration.ts'
import type { SimulatedPerson } from './simulated-person.ts'
import type { SimulatedRun } from './simulated-ports.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export async function checkEnd(
  run: SimulatedRun,
  world: SimulatedWorld,
  person: SimulatedPerson,
  journal: Journal,
): Promise<void> {
  const { watch } = run
  watch.sync()
  const { state } = watch.log
  if (state.outcome === undefined) return watch.violate('it never ended')
  await checkState(run, journal)
  checkDecisions(run, world, person)
  checkActions(run, world)
  checkFiles(run)
  checkCertificate(run, world)
  checkOutside(run)
  for (const trip of watch.log.trips)
    if (trip.ended !== undefined) await checkTrip(run, trip, world)
}

/** E1. The state that a resume would start from is the fold of all events; the row agrees. */
async function checkState(run: SimulatedRun, journal: Journal): Promise<void> {
  const { watch, id } = run
  const { state } = watch.log
  const loaded = await loadRun(journal, id)
  if (!sameJson(loaded.state, state))
    watch.violate('E1: the snapshot and its tail differ from the fold')
  const row = await journal.findRun(id)
  if (
    row.status !== state.status ||
    row.iteration !== state.iteration ||
    row.lastSeq !== state.seq
  ) {
    watch.violate(`the row says ${row.status} ${row.iteration} ${row.lastSeq}`)
  }
}

/** E11. Each decision that was accepted has its event, or the end of the run closed it. */
function checkDecisions(run: SimulatedRun, world: SimulatedWorld, person: SimulatedPerson): void {
  const { watch, id } = run
  const { log } = watch
  const select = world.database.prepare('SELECT applied_seq FROM decisions WHERE id = ?')
  for (const decision of person.accepted) {
    if (decision.run !== id) continue
    const row = select.get(decision.id) as { applied_seq: number | null } | undefined
    if (row === undefined) watch.violate(`E11: decision ${decision.id} is lost`)
    else if (row.applied_seq === null) watch.violate(`E11: decision ${decision.id} is pending`)
    else if (row.applied_seq !== log.state.seq && !log.applied.has(decision.id)) {
      watch.violate(`E11: decision ${decision.id} has no event`)
    }
  }
}

/** E11. What was done, was done once; what has a receipt, was done. */
function checkActions(run: SimulatedRun, world: SimulatedWorld): void {
  const { watch, id } = run
  for (const [key, times] of world.performed) {
    if (key.startsWith(id) && times > 1) watch.violate(`E11: "${key}" was done ${times} times`)
  }
  for (const trip of watch.log.trips) {
    for (const [step, { event }] of trip.completions) {
      if (event.type !== 'step-finished' || readStep(event).kind !== 'action') continue
      const result = event.result !== undefined && 'value' in event.result && event.result.value
      const isDone = JSON.stringify(result).includes('"done"')
      if (isDone && !world.done.has(`${id}/${trip.iteration}/${step}`)) {
        watch.violate(`E11: "${step}" has a receipt and was not done`)
      }
    }
  }
}

/** E2. The files are what the journal says, unless it ended without anybody looking at them. */
function checkFiles(run: SimulatedRun): void {
  const { files, watch } = run
  const { state, events } = watch.log
  if (files === undefined || !files.exists || state.tree === undefined) return
  const started = events.findLastIndex(({ event }) => event.type === 'run-started')
  const since = events.slice(started).map(({ event }) => event)
  const wasEntered = since.some(({ type }) => type === 'iteration-started')
  const areFilesUnknown = since.some(
    (event) => event.type === 'warning' && event.code === 'files-unknown',
  )
  const tree = files.tree()
  if (!wasEntered || areFilesUnknown || tree === state.tree || run.outside.seq >= started) return
  watch.violate(`E2: the files are ${tree}, and the journal says ${state.tree}`)
}

/** E5. The certificate of a completed run was made, and made for the files that it ended with. */
function checkCertificate(run: SimulatedRun, world: SimulatedWorld): void {
  const { certificate, tree, outcome } = run.watch.log.state
  if (outcome?.type !== 'completed') return
  const isKnown = certificate !== undefined && world.issued.has(certificate.id)
  if (!isKnown) return run.watch.violate('E5: it is completed, and nobody certified it')
  const about = world.issued.get(certificate.id)
  if (about !== tree) run.watch.violate(`E5: the certificate is about ${about}, the files ${tree}`)
}

/** E2, E3. The iteration came to what its recorded results make of it. */
async function checkTrip(run: SimulatedRun, trip: Trip, world: SimulatedWorld): Promise<void> {
  const { watch, program } = run
  const ending = trip.ended?.ending
  const model = await replayTrip(program, trip, (stored) => load(stored, world.blobs))
  const where = `iteration ${trip.iteration}`
  const context = watch.contexts.get(`${trip.epoch}/${trip.iteration}`)
  if (context !== undefined && !sameJson(context.previous, trip.previous)) {
    watch.violate(`E3: the context of ${where} has more than progress`)
  }
  const fault = ending?.type === 'error' ? ending.fault.code : undefined
  if (isTimeOver(trip) && fault !== 'iteration-limit') {
    watch.violate(`E9: ${where} worked for ${trip.activeMs} ms; its limit is ${trip.limitMs}`)
  }
  if (ending?.type === 'error') {
    // A hook may refuse an iteration before its code begins, or is entered again.
    const mayRefuse = run.hooks.some((hook) => hook.points.includes('before-iteration'))
    if (ending.fault.code === 'refused' && mayRefuse) return
    const thrown = model.type === 'thrown' ? faultCode(model.error) : model.type
    // The time limit ends an iteration whatever its results are; the results do not show the time.
    if (fault === 'iteration-limit' && isTimeOver(trip)) return
    if (thrown !== ending.fault.code) {
      watch.violate(`E2: ${where} ended with ${ending.fault.code}, the model with ${thrown}`)
    }
    return
  }
  const progress = model.type === 'progress' ? model.progress : undefined
  if (!sameJson(progress, trip.progress)) {
    watch.violate(
      `E2: ${where} came to ${JSON.stringify(trip.progress)}, the model to ${JSON.stringify(model)}`,
    )
  }
}

const isTimeOver = ({ activeMs, limitMs }: Trip): boolean =>
  limitMs !== undefined && activeMs >= limitMs

const faultCode = (error: unknown): string =>
  error instanceof FaultError ? error.fault.code : 'bug'

/** Equal as JSON, whatever the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]): [string, unknown] => [key, sorted(part)]),
  )
}
