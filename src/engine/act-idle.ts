/**
 * An action on the work of a run that no process drives, requested by a person: a merge, a pull request.
 *
 *   lease ─▶ policy ─▶ action-recorded started ─▶ performed ─▶ action-recorded done | failed | unknown
 *
 * E6. The same rules as for actions of a run: the intent is durable first, a lost result is looked up by its key, and
 *     if that is unknown nothing is repeated. The person who requests it is the approval; a policy can still forbid it.
 * E11. The lease of the run makes it one at a time, and the key makes it once.
 */

import {
  type Action,
  type ActionRecorded,
  defined,
  FaultError,
  isDenied,
  isLoopError,
  LoopError,
  type PolicyRuling,
  type Receipt,
  type RunId,
  type RunState,
  textOf,
  toJson,
} from '../loop/index.ts'
import type { ActionContext, ActionLookup, Actions } from './action-ports.ts'
import { loadRun } from './load-run.ts'
import type { Clock, Lease, Owner } from './ports.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { Store } from './store/index.ts'

export interface IdlePorts {
  readonly journal: Store
  readonly clock: Clock
}

export interface IdleAction {
  readonly action: Action
  readonly actions: Actions
  /** The person who requests it. */
  readonly by: string
  /** Undefined: no policy applies. */
  readonly policy?: ((state: RunState) => PolicyRuling) | undefined
  /** What the person says about an earlier request whose result is unknown. */
  readonly earlier?: 'happened' | 'again' | undefined
  readonly signal?: AbortSignal
}

export interface IdleReceipt {
  readonly receipt: Receipt
  /** An equal request was performed before, and nothing was performed now. */
  readonly isEarlier: boolean
}

const busyMs = 5000
const pollMs = 50
const renewMs = 5000

/** Rejects with `wrong-status` if it is denied or its result is unknown, else with the error of the executor. */
export async function actIdle(
  run: RunId,
  ports: IdlePorts,
  owner: Owner,
  request: IdleAction,
): Promise<IdleReceipt> {
  const lease = await acquireSoon(run, ports, owner)
  const stop = keepIdleLease(ports, lease)
  try {
    const { state } = await loadRun(ports.journal, run)
    const recorder = createRecorder(ports, lease, state, () => undefined)
    return await actOnce(run, ports, recorder, request)
  } finally {
    stop()
    await ports.journal.release(lease).catch(() => undefined)
  }
}

/** Records something about an action of a run that no process drives. */
export async function recordIdle(
  run: RunId,
  ports: IdlePorts,
  owner: Owner,
  event: ActionRecorded,
): Promise<void> {
  const lease = await acquireSoon(run, ports, owner)
  try {
    const { state } = await loadRun(ports.journal, run)
    await createRecorder(ports, lease, state, () => undefined).record([event])
  } finally {
    await ports.journal.release(lease).catch(() => undefined)
  }
}

/** A process that has just ended the run, or another person, may hold it for a moment. */
async function acquireSoon(run: RunId, ports: IdlePorts, owner: Owner): Promise<Lease> {
  const { journal, clock } = ports
  const untilMs = clock.now() + busyMs
  for (;;) {
    try {
      return await journal.acquireIdle(run, owner)
    } catch (error) {
      if (!isLoopError(error, 'run-busy') || clock.now() >= untilMs) throw error
      await clock.sleep(pollMs)
    }
  }
}

function keepIdleLease({ journal, clock }: IdlePorts, lease: Lease): () => void {
  const stop = new AbortController()
  const renew = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(renewMs, stop.signal)
      await journal.renew(lease).catch(() => undefined)
    }
  }
  renew().catch(() => undefined)
  return () => stop.abort()
}

async function actOnce(
  run: RunId,
  { journal }: IdlePorts,
  recorder: Recorder,
  request: IdleAction,
): Promise<IdleReceipt> {
  const { action, by, policy } = request
  const recorded = (await journal.read(run, { types: ['action-recorded'] })).flatMap(({ event }) =>
    event.type === 'action-recorded' ? [event] : [],
  )
  const open = findOpen(recorded, action)
  const key = open ?? newKey(run, recorded, action)
  const record: RecordAction = (event) =>
    recorder.record([
      { type: 'action-recorded', key, kind: action.kind, requestedBy: by, ...event },
    ])
  const ruling = policy?.(recorder.state)
  const rules = defined({ policy: ruling?.rules })
  if (ruling !== undefined && isDenied(ruling)) {
    const reason = ruling.reason ?? `the policy denies it (${ruling.rules.join(', ') || 'no rule'})`
    await record({ status: 'refused', action, reason, ...rules })
    const advice = 'To see its rules, run: loopctl policy explain <run>'
    throw new LoopError('wrong-status', `${action.summary}: ${reason}. ${advice}`)
  }
  const context = contextOf(run, recorder, request.signal)
  const earlier = await findDone(recorded, request, context)
  if (earlier !== undefined) return { receipt: earlier, isEarlier: true }
  if (open !== undefined) {
    const settled = await settleOpen(request, key, context, record)
    if (settled !== undefined) return { receipt: settled, isEarlier: true }
  }
  await record({ status: 'started', action, permission: { by: 'person', name: by }, ...rules })
  return { receipt: await perform(request, key, context, record), isEarlier: false }
}

type RecordAction = (
  event: Partial<ActionRecorded> & Pick<ActionRecorded, 'status'>,
) => Promise<void>

async function perform(
  { action, actions }: IdleAction,
  key: string,
  context: ActionContext,
  record: RecordAction,
): Promise<Receipt> {
  try {
    const receipt = await actions.perform(action, key, context)
    await record({ status: 'done', receipt })
    return receipt
  } catch (error) {
    if (isLoopError(error, 'fenced') || isLoopError(error, 'store-failed')) throw error
    if (!(error instanceof FaultError)) {
      const found = await find(actions, action, key, context)
      if (found.type === 'done') {
        await record({ status: 'done', receipt: found.receipt })
        return found.receipt
      }
      if (found.type === 'unknown') {
        await record({ status: 'unknown', reason: textOf(error) })
        throw unknown(action, error)
      }
    }
    await record({ status: 'failed', reason: textOf(error) })
    throw causeOf(error)
  }
}

/** An earlier request for the same has no end: its process was killed, or its result is unknown. */
async function settleOpen(
  { action, actions, earlier }: IdleAction,
  key: string,
  context: ActionContext,
  record: RecordAction,
): Promise<Receipt | undefined> {
  if (earlier === 'again') return undefined
  if (earlier === 'happened') {
    const receipt: Receipt = { status: 'done', summary: 'a person confirmed it' }
    await record({ status: 'done', receipt })
    return receipt
  }
  const found = await find(actions, action, key, context)
  if (found.type === 'not-done') return undefined
  if (found.type === 'unknown') {
    await record({ status: 'unknown' })
    throw unknown(action)
  }
  await record({ status: 'done', receipt: found.receipt })
  return found.receipt
}

const find = (
  actions: Actions,
  action: Action,
  key: string,
  context: ActionContext,
): Promise<ActionLookup> =>
  actions.find(action, key, context).catch((): ActionLookup => ({ type: 'unknown' }))

const unknown = (action: Action, cause?: unknown): LoopError =>
  new LoopError(
    'wrong-status',
    `It is unknown whether this happened: ${action.summary}. Check it yourself, then repeat the command with ` +
      '--happened if it did, or with --again to do it again.',
    { cause },
  )

const causeOf = (error: unknown): unknown => {
  const cause = error instanceof Error ? error.cause : undefined
  if (isLoopError(cause)) return cause
  if (isLoopError(error)) return error
  return new LoopError('workspace-failed', textOf(error), { cause: error })
}

/** The key of an equal request that has no end. */
function findOpen(recorded: readonly ActionRecorded[], action: Action): string | undefined {
  const last = findLast(recorded, action)
  return last?.status === 'started' || last?.status === 'unknown' ? last.key : undefined
}

/** The receipt of an equal request that was performed, unless its effect is gone by now. */
async function findDone(
  recorded: readonly ActionRecorded[],
  { action, actions, earlier }: IdleAction,
  context: ActionContext,
): Promise<Receipt | undefined> {
  const last = findLast(recorded, action)
  if (last?.status !== 'done' || last.receipt === undefined || earlier === 'again') return undefined
  const found = await find(actions, action, last.key, context)
  return found.type === 'not-done' ? undefined : last.receipt
}

/** The newest event about the newest equal request. */
function findLast(recorded: readonly ActionRecorded[], action: Action): ActionRecorded | undefined {
  const wanted = identify(action)
  const equal = recorded.findLast((one) => one.action && identify(one.action) === wanted)
  return recorded.findLast(({ key, status }) => key === equal?.key && status !== 'escaped')
}

const identify = ({ kind, details = null }: Action): string =>
  JSON.stringify([kind, toJson(details)])

function newKey(run: RunId, recorded: readonly ActionRecorded[], { kind }: Action): string {
  const used = new Set(recorded.filter((one) => one.kind === kind).map(({ key }) => key))
  return `${run}/person/${kind}#${used.size + 1}`
}

const never = new AbortController().signal

function contextOf(run: RunId, recorder: Recorder, signal: AbortSignal = never): ActionContext {
  const { tree, baseTree: base, certificate } = recorder.state
  return {
    run,
    signal,
    fence: () => recorder.requireLease(),
    attempt: 1,
    spend: () => undefined,
    reserve: () => Promise.reject(noBudget()),
    ...defined({ tree: certificate?.tree ?? tree, base, certificate: certificate?.id }),
  }
}

const noBudget = (): LoopError =>
  new LoopError(
    'not-available',
    'An action that a person requests cannot spend a budget. Use a loop for work that calls models.',
  )
