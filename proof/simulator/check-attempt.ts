/** What a process may come to that drives a run, given what was done to it. */

import { isLoopError } from '#src/loop/index.ts'
import type { AttemptEnd, Member } from './simulated-cluster.ts'
import type { SimulatedRun } from './simulated-ports.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface AttemptCheck {
  ended(member: Member, run: SimulatedRun, end: AttemptEnd): void
  rejected(member: Member, run: SimulatedRun, error: unknown): void
}

/** What the engine gives a step that does not listen, and a little more. */
const abandonMs = 5000
const slackMs = 3000

export function createAttemptCheck(
  world: SimulatedWorld,
  options: {
    readonly violate: (reason: string) => void
    readonly count: (what: string) => void
    readonly graceMs: number
  },
): AttemptCheck {
  const { violate, count, graceMs } = options
  const selectOwner = world.database.prepare(
    'SELECT owner FROM leases WHERE run = (SELECT key FROM runs WHERE id = ?)',
  )

  function rejected(member: Member, run: SimulatedRun, error: unknown): void {
    if (!isLoopError(error)) return violate(`it rejected with ${String(error)}`)
    count(`rejected ${error.code}`)
    switch (error.code) {
      case 'run-busy':
      // It ended meanwhile.
      case 'wrong-status':
        return
      case 'fenced':
        return isHolder(member, run)
          ? violate(`it is fenced and holds the run: ${error.message}`)
          : undefined
      case 'store-failed':
      case 'workspace-failed':
        return member.process.failures > 0 ? undefined : violate(`nothing failed: ${error.message}`)
      default:
        return violate(`it rejected with ${error.code}: ${error.message}`)
    }
  }

  /** E9. Who cancels a run need not wait longer than for code that does not listen. */
  function checkCancel(member: Member, run: SimulatedRun): void {
    const { events } = run.watch.log
    const started = events.findLast(({ event }) => event.type === 'run-started')?.event
    const owner = started?.type === 'run-started' ? started.owner : ''
    if (!owner.includes(`|${member.process.lane.name}|`)) return
    const cancel = events.findIndex(
      ({ event }) => event.type === 'decision-applied' && event.decision.type === 'cancel',
    )
    const after = events.slice(cancel)
    const [decided, ended] = [after[0], after.at(-1)]
    if (cancel < 0 || decided === undefined || ended === undefined) return
    if (after.some(({ event }) => event.type === 'run-started')) return
    const tookMs = ended.atMs - decided.atMs
    if (tookMs > abandonMs + slackMs) violate(`E9: cancelling took ${tookMs} ms`)
  }

  /** By the row: whoever took it may have died before it knew. */
  function isHolder(member: Member, run: SimulatedRun): boolean {
    const row = selectOwner.get(run.id) as { owner: string | null } | undefined
    return row?.owner?.includes(`|${member.process.lane.name}|`) === true
  }

  return {
    rejected,
    ended(member, run, end) {
      run.watch.sync()
      count(`drive ${end.type}`)
      const { stoppedAtMs } = member
      if (stoppedAtMs !== undefined && !member.wasFrozen) {
        const tookMs = world.time.nowMs - stoppedAtMs
        if (tookMs > graceMs + abandonMs + slackMs) violate(`E9: shutting down took ${tookMs} ms`)
      }
      const { outcome } = run.watch.log.state
      if (end.type === 'ended' && JSON.stringify(end.outcome) !== JSON.stringify(outcome)) {
        violate(`it says ${JSON.stringify(end.outcome)}, the journal ${JSON.stringify(outcome)}`)
      }
      if (end.type === 'rejected') rejected(member, run, end.error)
      if (end.type === 'ended' && !member.wasFrozen) checkCancel(member, run)
    },
  }
}
