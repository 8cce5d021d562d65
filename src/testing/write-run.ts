/** A run whose events a test writes directly to a journal, with the matching state. */

import { uuidv7 } from 'uuidv7'
import type { Journal, Lease, Unit } from '../engine/index.ts'
import {
  defaultLimits,
  defined,
  evolve,
  initialState,
  type RunCreated,
  type RunEvent,
  type RunId,
  type RunState,
  type RunWorktree,
} from '../loop/index.ts'

export interface WrittenRun {
  readonly run: RunId
  readonly name: string
  /** The state after the last write. */
  readonly state: RunState
  unit(events: readonly RunEvent[], others?: Partial<Unit>): Unit
  /** Writes events as one unit, under the newest lease. */
  write(...events: readonly RunEvent[]): Promise<void>
  take(owner?: string): Promise<Lease>
}

export interface WriteRunOptions {
  readonly id?: string
  readonly name?: string
  readonly workspace?: string
  readonly atMs?: number
  /** The registered loop type that it is of. */
  readonly loopType?: string
  /** Of a run in a worktree. */
  readonly worktree?: RunWorktree
}

const created: RunCreated = {
  type: 'run-created',
  eventVersion: 1,
  loop: 'written',
  codeDigest: 'digest',
  limits: defaultLimits,
}

export async function writeRun(
  journal: Journal,
  options: WriteRunOptions = {},
): Promise<WrittenRun> {
  const { id = uuidv7(), name = `run ${id}`, workspace, atMs = 1000 } = options
  const { loopType, worktree } = options
  const first: RunCreated = { ...created, ...defined({ loopType, worktree }) }
  const run = id as RunId
  await journal.createRun({
    id: run,
    name,
    loop: 'written',
    atMs,
    event: first,
    blobs: [],
    trees: [],
    ...defined({ workspace }),
  })
  let state = evolve(initialState, { seq: 1, atMs, event: first })
  let lease: Lease | undefined

  function unit(events: readonly RunEvent[], others: Partial<Unit> = {}): Unit {
    const firstSeq = state.seq + 1
    for (const event of events) state = evolve(state, { seq: state.seq + 1, atMs, event })
    const boundary = state.open === undefined ? state : undefined
    return { firstSeq, atMs, events, state, boundary, blobs: [], trees: [], ...others }
  }

  async function take(owner = `owner of ${name}`): Promise<Lease> {
    lease = await journal.acquire(run, owner)
    return lease
  }

  return {
    run,
    name,
    get state() {
      return state
    },
    unit,
    async write(...events) {
      await journal.append(lease ?? (await take()), unit(events))
    },
    take,
  }
}

/** An event that changes nothing, of about so many characters. */
export const note = (message = 'note', chars = 0): RunEvent => ({
  type: 'warning',
  code: 'note',
  message: message.padEnd(chars, '.'),
})
