/**
 * How an attempt ends: with a result, a fault, or an interruption. Each is on disk before it has effects.
 */

import {
  type Amount,
  defined,
  type Fault,
  type Json,
  type StepFinished,
  type StepId,
  type TreeId,
  type WorkspaceChanged,
  windowOpensAtMs,
} from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import type { Meter } from '../meter.ts'
import { prepare } from '../stored.ts'
import { type Draft, describeStep, type StepSpec } from './step-spec.ts'

export interface Attempt {
  readonly branch: Branch
  readonly id: StepId
  readonly spec: StepSpec
  readonly number: number
  /** How many attempts failed before this one. */
  readonly failures: number
  /** The tree it starts on, for steps that use files. */
  readonly tree: TreeId | undefined
  /** An earlier attempt was counted as a call of its agent. */
  readonly called: boolean
  /** An earlier attempt may have happened without leaving a result. */
  readonly recovering: boolean
  readonly fingerprint: string | undefined
}

export type AttemptEnd =
  | { readonly type: 'result'; readonly result: Json | undefined; readonly seq: number }
  | { readonly type: 'fault'; readonly fault: Fault; readonly seq: number }
  | { readonly type: 'again'; readonly atMs: number }

const none: readonly never[] = []

export async function finish(
  attempt: Attempt,
  meter: Meter,
  result: Json | undefined,
): Promise<AttemptEnd> {
  const { branch, id, spec, number } = attempt
  const { run } = branch.iteration
  const after = changesFiles(attempt) ? await treeAfter(attempt) : undefined
  // A check judges the current files; it must not change them.
  const said = spec.finished?.(result)
  if (spec.files === 'reads' && said?.untouched !== true) await putBack(attempt, 'during-check')
  const prepared = prepare(result, run.ports.blobs)
  const { stored, blobs } = prepared instanceof Promise ? await prepared : prepared
  // Filled in place, not spread: this runs for every step.
  const event: Draft<StepFinished> = {
    type: 'step-finished',
    iteration: branch.iteration.number,
    step: id,
    attempt: number,
  }
  describeStep(event, spec)
  if (stored !== undefined) event.result = stored
  const spent = meter.spent()
  if (spent !== undefined) event.spent = spent
  if (after !== undefined) event.tree = after
  let named = blobs
  if (said !== undefined) {
    const { evidence, certificate, fingerprint, names } = said
    if (fingerprint !== undefined) event.fingerprint = fingerprint
    if (evidence !== undefined) event.evidence = evidence
    if (certificate !== undefined) event.certificate = certificate
    if (names !== undefined) named = [...blobs, ...names]
  }
  const durable = run.recorder.record([event], {
    blobs: named,
    trees: after === undefined || after === attempt.tree ? none : [after],
  })
  const { seq } = run.recorder.state
  branch.iteration.delivery.expect(seq)
  await durable
  const told = run.hooks.tell('after-step', { step: id })
  if (told !== undefined) await told
  return { type: 'result', result, seq }
}

export async function fail(attempt: Attempt, meter: Meter, fault: Fault): Promise<AttemptEnd> {
  const { iteration } = attempt.branch
  const isOver = fault.code !== 'rate-limited'
  const tree = isOver ? await treeAfter(attempt) : undefined
  const durable = recordFailure(attempt, meter, fault, defined({ tree }))
  const { seq } = iteration.run.recorder.state
  if (isOver) iteration.delivery.expect(seq)
  await durable
  if (!isOver) await goBack(attempt)
  const told = iteration.run.hooks.tell('after-step', { step: attempt.id, fault })
  if (told !== undefined) await told
  if (isOver) return { type: 'fault', fault, seq }
  const { state } = iteration.run.recorder
  const retryAtMs = windowOpensAtMs(fault, state.rateLimits, iteration.run.ports.clock.now())
  iteration.halt ??= { retryAtMs, message: fault.message }
  throw iteration.interrupter.refuse()
}

/** A retry starts on the same tree, but the failed attempt may have left files. */
export async function goBack(attempt: Attempt): Promise<void> {
  if (attempt.spec.files === 'changes') await putBack(attempt, 'unfinished-step')
}

/** Restores the files at the start of the attempt. What is found instead is saved, so nothing is lost. */
async function putBack(attempt: Attempt, why: WorkspaceChanged['why']): Promise<void> {
  const { ports, recorder } = attempt.branch.iteration.run
  const { tree } = attempt
  if (ports.workspace === undefined || tree === undefined) return
  const found = await ports.workspace.snapshot()
  if (found === tree) return
  const event = { type: 'workspace-changed', why, found, tree } as const
  await recorder.record([event], { trees: [found] })
  await ports.workspace.restore(tree)
}

export async function recordFailure(
  attempt: Attempt,
  meter: Meter,
  fault: Fault,
  fields: { readonly tree?: TreeId; readonly retryAtMs?: number },
): Promise<void> {
  const { branch, id, number } = attempt
  await branch.iteration.run.recorder.record(
    [
      {
        type: 'step-failed',
        iteration: branch.iteration.number,
        step: id,
        attempt: number,
        fault,
        ...spentOf(meter),
        ...fields,
      },
    ],
    fields.tree === undefined || fields.tree === attempt.tree ? {} : { trees: [fields.tree] },
  )
}

/** The iteration or its run was stopped before the step had a result. */
export function stopped(attempt: Attempt, meter: Meter): Promise<AttemptEnd> {
  const { expired } = attempt.branch.iteration.interrupter
  return expired === undefined ? interrupted(attempt, meter) : fail(attempt, meter, expired)
}

async function interrupted(attempt: Attempt, meter: Meter): Promise<never> {
  const { branch, id, number } = attempt
  const { run, interrupter } = branch.iteration
  await run.recorder.record([
    {
      type: 'step-interrupted',
      iteration: branch.iteration.number,
      step: id,
      attempt: number,
      ...spentOf(meter),
    },
  ])
  throw interrupter.refuse()
}

function spentOf(meter: Meter): { spent?: Amount; role?: string } {
  const spent = meter.spent()
  return spent === undefined ? {} : { spent, ...defined({ role: meter.role }) }
}

const changesFiles = ({ spec, branch }: Attempt): boolean =>
  spec.files === 'changes' && branch.iteration.run.ports.workspace !== undefined

async function treeAfter(attempt: Attempt): Promise<TreeId | undefined> {
  return changesFiles(attempt)
    ? attempt.branch.iteration.run.ports.workspace?.snapshot()
    : undefined
}
