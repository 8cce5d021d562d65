/**
 * The ends of an attempt: a result, a fault, or an interruption. Each is on disk before it is acted on.
 */

import type { Amount, Fault, Json, StepFinished, StepId, TreeId } from '../loop/index.ts'
import type { StepSpec } from './ask-step.ts'
import type { Branch } from './live-run.ts'
import type { Meter } from './meter.ts'
import { prepare } from './stored.ts'

export interface Attempt {
  readonly branch: Branch
  readonly id: StepId
  readonly spec: StepSpec
  readonly number: number
  /** How many attempts failed before it. */
  readonly failures: number
  /** The tree it starts on, for steps that use files. */
  readonly tree: TreeId | undefined
  /** An earlier attempt may have happened without leaving a result. */
  readonly recovering: boolean
}

export type AttemptEnd =
  | { readonly type: 'result'; readonly result: Json | undefined; readonly seq: number }
  | { readonly type: 'fault'; readonly fault: Fault; readonly seq: number }
  | { readonly type: 'again'; readonly atMs: number }

export async function finish(
  attempt: Attempt,
  meter: Meter,
  result: Json | undefined,
): Promise<AttemptEnd> {
  const { branch, id, spec, number } = attempt
  const { run } = branch.iteration
  const after = await treeAfter(attempt)
  const prepared = prepare(result, run.ports.blobs)
  const { stored, blobs } = prepared instanceof Promise ? await prepared : prepared
  const { names, ...fields } = spec.finished?.(result) ?? {}
  const event: StepFinished = {
    type: 'step-finished',
    iteration: branch.iteration.number,
    step: id,
    attempt: number,
    ...(stored === undefined ? {} : { result: stored }),
    ...spentOf(meter),
    ...(after === undefined ? {} : { tree: after }),
    ...fields,
  }
  const durable = run.recorder.record([event], {
    blobs: names === undefined ? blobs : [...blobs, ...(names as typeof blobs)],
    trees: after === undefined || after === attempt.tree ? [] : [after],
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
  const durable = recordFailure(attempt, meter, fault, tree === undefined ? {} : { tree })
  const { seq } = iteration.run.recorder.state
  if (isOver) iteration.delivery.expect(seq)
  await durable
  if (!isOver) await goBack(attempt)
  const told = iteration.run.hooks.tell('after-step', { step: attempt.id, fault })
  if (told !== undefined) await told
  if (isOver) return { type: 'fault', fault, seq }
  const retryAtMs = fault.retryAtMs ?? iteration.run.ports.clock.now() + 60_000
  iteration.halt ??= { retryAtMs, message: fault.message }
  throw iteration.run.interrupter.refuse()
}

/** An attempt that is made again starts on the same tree; the one before it may have left files. */
export async function goBack(attempt: Attempt): Promise<void> {
  const { branch, spec, tree } = attempt
  if (tree === undefined || spec.files !== 'changes') return
  await branch.iteration.run.ports.workspace?.restore(tree)
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

export async function interrupted(attempt: Attempt, meter: Meter): Promise<never> {
  const { branch, id, number } = attempt
  const { run } = branch.iteration
  await run.recorder.record([
    {
      type: 'step-interrupted',
      iteration: branch.iteration.number,
      step: id,
      attempt: number,
      ...spentOf(meter),
    },
  ])
  throw run.interrupter.refuse()
}

const spentOf = ({ spent }: Meter): { spent?: Amount } => (spent === undefined ? {} : { spent })

async function treeAfter(attempt: Attempt): Promise<TreeId | undefined> {
  const { workspace } = attempt.branch.iteration.run.ports
  if (attempt.spec.files !== 'changes' || workspace === undefined) return undefined
  return workspace.snapshot()
}
