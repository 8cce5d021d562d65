/**
 * Does a step now: journal its start, run it, journal its result.
 *
 *   step-started (attempt, tree before, worst case) ─▶ code runs ─▶ tree after, large result on disk
 *     ─▶ step-finished | step-failed ─▶ handed to the loop
 *
 * E1. The start is durable before the code runs, the result before the loop sees it.
 * E2. An attempt that left no result is done again from the tree it started on.
 */

import {
  defaultRetry,
  type Fault,
  FaultError,
  type Json,
  LoopError,
  NotJsonError,
  retryDelayMs,
  type StepFinished,
  type StepId,
  type TreeId,
  toFault,
  toJson,
} from '../loop/index.ts'
import type { StepSpec } from './ask-step.ts'
import { runBounded } from './bounded.ts'
import { Interruption } from './interrupter.ts'
import type { Branch, LiveRun } from './live-run.ts'
import { createMeter, type Meter, refuseOverrun, requireAmount } from './meter.ts'
import type { RecordedStep } from './recorded-steps.ts'
import { prepare } from './stored.ts'

/** A step that ends the process each time must not do so for ever. */
const unfinishedMax = 25

interface Attempt {
  readonly branch: Branch
  readonly id: StepId
  readonly spec: StepSpec
  readonly number: number
  readonly tree: TreeId | undefined
  readonly recovering: boolean
}

type AttemptEnd =
  | { readonly type: 'result'; readonly result: Json | undefined }
  | { readonly type: 'fault'; readonly fault: Fault }
  | { readonly type: 'again'; readonly atMs: number }

export async function performStep(
  branch: Branch,
  id: StepId,
  spec: StepSpec,
  recorded: RecordedStep | undefined,
): Promise<Json | undefined> {
  const { run, delivery } = branch.iteration
  const inTurn = takeTurn(branch)
  const usesFiles = spec.files !== 'nothing' && run.ports.workspace !== undefined
  if (inTurn.before !== undefined) await inTurn.before
  const free = usesFiles ? await run.workspaceLock.take() : undefined
  let end: AttemptEnd
  try {
    if (recorded?.retryAtMs !== undefined) await waitUntil(run, recorded.retryAtMs)
    let number = (recorded?.attempts ?? 0) + 1
    let recovering = recorded?.inFlight === true
    if ((recorded?.unfinished ?? 0) >= unfinishedMax) throw crashing(id)
    do {
      const tree = usesFiles ? run.recorder.state.tree : undefined
      end = await attempt({ branch, id, spec, number, tree, recovering }, inTurn.started)
      if (end.type === 'again') await waitUntil(run, end.atMs)
      number++
      recovering = false
    } while (end.type === 'again')
  } finally {
    inTurn.started()
    free?.()
  }
  const turn = delivery.live()
  if (turn !== undefined) await turn
  if (end.type === 'fault') throw new FaultError(end.fault)
  return end.result
}

/** Starts within a branch keep the order of asking, whatever each has to wait for. */
function takeTurn(branch: Branch): { before: Promise<void> | undefined; started: () => void } {
  const before = branch.lastStart
  let started: () => void = () => undefined
  const mine = new Promise<void>((resolve) => {
    started = () => {
      if (branch.lastStart === mine) branch.lastStart = undefined
      resolve()
    }
  })
  branch.lastStart = mine
  return { before, started }
}

async function attempt(attempt: Attempt, started: () => void): Promise<AttemptEnd> {
  const { branch, id, spec, number, tree } = attempt
  const { iteration } = branch
  const { run } = iteration
  const { recorder, interrupter, hooks } = run
  interrupter.check()
  if (iteration.halt !== undefined) throw interrupter.refuse()
  const { reserve } = spec.options
  let refusal: Fault | undefined
  try {
    if (reserve !== undefined) {
      requireAmount(reserve)
      refuseOverrun(recorder.state, reserve)
    }
    const told = hooks.tell('before-step', { step: id })
    if (told !== undefined) await told
  } catch (error) {
    if (!(error instanceof FaultError)) throw error
    refusal = error.fault
  }
  const durable = recorder.record([
    {
      type: 'step-started',
      iteration: iteration.number,
      step: id,
      attempt: number,
      ...(spec.kind === 'step' ? {} : { kind: spec.kind }),
      ...(tree === undefined ? {} : { tree }),
      ...(reserve === undefined || refusal !== undefined ? {} : { reserved: reserve }),
      ...spec.started,
    },
  ])
  started()
  await durable
  const meter = createMeter(recorder, iteration.number, id, number)
  if (refusal !== undefined) return fail(attempt, meter, refusal)
  return execute(attempt, meter)
}

async function execute(attempt: Attempt, meter: Meter): Promise<AttemptEnd> {
  const { branch, id, spec, number, tree } = attempt
  const { run } = branch.iteration
  const { ports, recorder, interrupter } = run
  const work = attempt.recovering && spec.recover !== undefined ? spec.recover : spec.run
  try {
    const value = await runBounded(
      (signal) => work({ signal, attempt: number, spend: meter.spend, reserve: meter.reserve }, id),
      spec.options.timeoutMs,
      interrupter,
      ports.clock,
    )
    const result = value === undefined ? undefined : toJson(value)
    return await finish(attempt, meter, result)
  } catch (error) {
    if (recorder.failure !== undefined) throw recorder.failure
    if (error instanceof Interruption || interrupter.aborted.aborted) {
      return interrupted(attempt, meter)
    }
    const fault = classify(error)
    const meant = spec.onFault?.(fault.code, fault.message)
    if (meant !== undefined) return finish(attempt, meter, meant)
    // A failed attempt may have left files; another attempt starts from the same tree.
    const again = nextAttemptAtMs(attempt, fault)
    if (again === undefined) return fail(attempt, meter, fault)
    if (tree !== undefined && spec.files === 'changes') await ports.workspace?.restore(tree)
    await recordFailure(attempt, meter, fault, { retryAtMs: again })
    return { type: 'again', atMs: again }
  }
}

async function finish(
  attempt: Attempt,
  meter: Meter,
  result: Json | undefined,
): Promise<AttemptEnd> {
  const { branch, id, spec, number } = attempt
  const { run } = branch.iteration
  const after = await treeAfter(attempt)
  const { stored, blobs } = await prepare(result, run.ports.blobs)
  const { names, ...fields } = spec.finished?.(result) ?? {}
  const event: StepFinished = {
    type: 'step-finished',
    iteration: branch.iteration.number,
    step: id,
    attempt: number,
    ...(stored === undefined ? {} : { result: stored }),
    ...spentOf(attempt, meter),
    ...(after === undefined ? {} : { tree: after }),
    ...fields,
  }
  await run.recorder.record([event], {
    blobs: names === undefined ? blobs : [...blobs, ...(names as typeof blobs)],
    trees: after === undefined || after === attempt.tree ? [] : [after],
  })
  const told = run.hooks.tell('after-step', { step: id })
  if (told !== undefined) await told
  return { type: 'result', result }
}

async function fail(attempt: Attempt, meter: Meter, fault: Fault): Promise<AttemptEnd> {
  const { iteration } = attempt.branch
  const tree = await treeAfter(attempt)
  await recordFailure(attempt, meter, fault, tree === undefined ? {} : { tree })
  const told = iteration.run.hooks.tell('after-step', { step: attempt.id, fault })
  if (told !== undefined) await told
  if (fault.code !== 'rate-limited') return { type: 'fault', fault }
  const retryAtMs = fault.retryAtMs ?? iteration.run.ports.clock.now() + 60_000
  iteration.halt ??= { retryAtMs, message: fault.message }
  throw iteration.run.interrupter.refuse()
}

async function recordFailure(
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
        ...spentOf(attempt, meter),
        ...fields,
      },
    ],
    fields.tree === undefined || fields.tree === attempt.tree ? {} : { trees: [fields.tree] },
  )
}

async function interrupted(attempt: Attempt, meter: Meter): Promise<never> {
  const { branch, id, number } = attempt
  const { run } = branch.iteration
  const { spent } = meter
  await run.recorder.record([
    {
      type: 'step-interrupted',
      iteration: branch.iteration.number,
      step: id,
      attempt: number,
      ...spentOf(attempt, meter),
      ...(spent === undefined ? {} : { spent }),
    },
  ])
  throw run.interrupter.refuse()
}

/** A step that reserved and then said nothing cost what it was allowed to. */
function spentOf(
  attempt: Attempt,
  meter: Meter,
): { spent?: { tokens: number; costMicros: number } } {
  const spent = meter.spent ?? attempt.spec.options.reserve
  return spent === undefined ? {} : { spent }
}

async function treeAfter(attempt: Attempt): Promise<TreeId | undefined> {
  const { workspace } = attempt.branch.iteration.run.ports
  if (attempt.spec.files !== 'changes' || workspace === undefined) return undefined
  return workspace.snapshot()
}

function nextAttemptAtMs(attempt: Attempt, fault: Fault): number | undefined {
  const { clock } = attempt.branch.iteration.run.ports
  const policy = { ...defaultRetry, ...attempt.spec.options.retry }
  const delayMs = retryDelayMs(policy, fault, attempt.number, clock.random())
  return delayMs === undefined ? undefined : clock.now() + delayMs
}

/** Errors in what the loop's author wrote end the run; failures of the world are faults. */
function classify(error: unknown): Fault {
  if (error instanceof NotJsonError) {
    const message = `The step's result: ${error.message}`
    return { code: 'not-serialisable', message, retryable: false, fatal: true }
  }
  if (error instanceof LoopError) {
    return { code: error.code, message: error.message, retryable: false, fatal: true }
  }
  return toFault(error)
}

const crashing = (id: StepId): FaultError =>
  new FaultError({
    code: 'crashing',
    message: `Step "${id}" was started ${unfinishedMax} times and never left a result.`,
    retryable: false,
    fatal: true,
  })

export async function waitUntil(run: LiveRun, atMs: number): Promise<void> {
  const { clock } = run.ports
  const ms = atMs - clock.now()
  if (ms <= 0) return
  try {
    await clock.sleep(ms, run.interrupter.draining)
  } catch {
    throw run.interrupter.refuse()
  }
}
