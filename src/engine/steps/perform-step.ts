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
  type Fault,
  FaultError,
  type Json,
  LoopError,
  NotJsonError,
  retryDelayMs,
  retryPolicy,
  type StepId,
  type StepStarted,
  toFault,
  toJson,
} from '../../loop/index.ts'
import { runBounded } from '../bounded.ts'
import { Interruption } from '../interrupter.ts'
import {
  type Branch,
  isInfrastructure,
  type LiveIteration,
  type LiveRun,
  notice,
  requireOpen,
} from '../live-run.ts'
import { createMeter, type Meter, refuseOverrun } from '../meter.ts'
import { atOnce, takeTurn } from '../start-turn.ts'
import {
  type Attempt,
  type AttemptEnd,
  fail,
  finish,
  goBack,
  interrupted,
  recordFailure,
} from './end-step.ts'
import type { RecordedStep } from './recorded-steps.ts'
import { type Draft, describeStep, type StepSpec } from './step-spec.ts'
import { requireNew } from './tried-before.ts'

/** A step that ends the process each time must not do so for ever. */
const unfinishedMax = 25

export async function performStep(
  branch: Branch,
  id: StepId,
  spec: StepSpec,
  recorded: RecordedStep | undefined,
): Promise<Json | undefined> {
  const { run, delivery } = branch.iteration
  const usesFiles = spec.files !== 'nothing' && run.ports.workspace !== undefined
  const mayWait = usesFiles || spec.fingerprint !== undefined || mustWait(branch, recorded)
  const inTurn = mayWait ? takeTurn(branch) : atOnce
  let free: (() => void) | undefined
  let end: AttemptEnd
  try {
    if (inTurn.before !== undefined) await inTurn.before
    if (usesFiles) free = await run.workspaceLock.take()
    if (recorded?.retryAtMs !== undefined) await waitUntil(run, recorded.retryAtMs)
    let number = (recorded?.attempts ?? 0) + 1
    let failures = recorded?.failures ?? 0
    let recovering = recorded?.inFlight === true
    const refused = (recorded?.unfinished ?? 0) >= unfinishedMax ? crashing(id) : undefined
    if (usesFiles && branch.iteration.waited) await takeAsFound(branch.iteration)
    const fingerprint = spec.fingerprint?.(id)
    if (fingerprint !== undefined && recorded === undefined) {
      await requireNew(branch.iteration, fingerprint)
    }
    do {
      const tree = usesFiles ? run.recorder.state.tree : undefined
      const attempt = { branch, id, spec, number, failures, tree, recovering, fingerprint }
      end = await tryOnce(attempt, inTurn.started, refused)
      if (end.type === 'again') await waitUntil(run, end.atMs)
      number++
      failures++
      recovering = false
    } while (end.type === 'again')
  } catch (error) {
    // Before the next one in turn may start: it must not take this one's place in the journal.
    notice(branch.iteration, error)
    throw error
  } finally {
    inTurn.started()
    free?.()
  }
  const turn = delivery.hand(end.seq)
  if (turn !== undefined) await turn
  if (end.type === 'fault') throw new FaultError(end.fault)
  return end.result
}

/** While a run waits for a person, its files are theirs: what they did is where a step starts. */
export async function takeAsFound(iteration: LiveIteration): Promise<void> {
  const { ports, recorder } = iteration.run
  iteration.waited = false
  const found = await ports.workspace?.snapshot()
  if (found === undefined || found === recorder.state.tree) return
  const event = { type: 'workspace-changed', why: 'changed-outside', found, tree: found } as const
  await recorder.record([event], { trees: [found] })
}

const mustWait = (branch: Branch, recorded: RecordedStep | undefined): boolean =>
  branch.lastStart !== undefined ||
  recorded !== undefined ||
  (branch.iteration.run.ports.hooks ?? []).length > 0

/** Weighs, asks the hooks, and journals the start; then runs it. */
async function tryOnce(
  attempt: Attempt,
  started: () => void,
  refused: Fault | undefined,
): Promise<AttemptEnd> {
  const { branch, id, spec, number, tree } = attempt
  const { iteration } = branch
  const { run } = iteration
  const { recorder, hooks } = run
  requireOpen(iteration)
  const { reserve } = spec.options
  let refusal = refused
  try {
    const told = refused === undefined ? hooks.tell('before-step', { step: id }) : undefined
    if (told !== undefined) await told
    // Weighed and reserved in one breath, so that two branches cannot take the same room.
    if (reserve !== undefined && refused === undefined) refuseOverrun(recorder.state, reserve)
  } catch (error) {
    if (!(error instanceof FaultError)) throw error
    refusal = error.fault
  }
  // The run may have been stopped meanwhile.
  requireOpen(iteration)
  // What was refused costs nothing.
  const reserved = refusal === undefined ? reserve : undefined
  // Filled in place, not spread: this runs for every step.
  const event: Draft<StepStarted> = {
    type: 'step-started',
    iteration: iteration.number,
    step: id,
    attempt: number,
  }
  describeStep(event, spec)
  if (tree !== undefined) event.tree = tree
  if (reserved !== undefined) event.reserved = reserved
  if (spec.key !== undefined) event.key = spec.key(id)
  if (attempt.fingerprint !== undefined) event.fingerprint = attempt.fingerprint
  if (spec.claim !== undefined) event.claim = spec.claim
  const durable = recorder.record([event])
  started()
  await durable
  const meter = createMeter(recorder, iteration.number, id, number, reserved)
  if (refusal !== undefined) return fail(attempt, meter, refusal)
  return execute(attempt, meter)
}

async function execute(attempt: Attempt, meter: Meter): Promise<AttemptEnd> {
  const { branch, id, spec, number } = attempt
  const { run } = branch.iteration
  const { ports, recorder, interrupter } = run
  const work = attempt.recovering && spec.recover !== undefined ? spec.recover : spec.run
  if (interrupter.aborted.aborted) return interrupted(attempt, meter)
  try {
    const running = runBounded(
      (signal) => {
        branch.iteration.calling = id
        try {
          const { spend, reserve } = meter
          return work({ signal, attempt: number, spend, reserve }, id)
        } finally {
          branch.iteration.calling = undefined
        }
      },
      spec.options.timeoutMs,
      interrupter,
      ports.clock,
    )
    const value = running instanceof Promise ? await running : running
    // What a step returns after it was told to stop may be half its work, so it runs again on resume.
    // An action cannot be undone: its receipt counts.
    if (interrupter.aborted.aborted && spec.key === undefined) return interrupted(attempt, meter)
    const result = value === undefined ? undefined : toJson(value)
    return await finish(attempt, meter, result)
  } catch (error) {
    if (recorder.failure !== undefined) throw recorder.failure
    if (error instanceof Interruption || interrupter.aborted.aborted) {
      return interrupted(attempt, meter)
    }
    if (isInfrastructure(error)) throw error
    const fault = classify(error)
    const meant = spec.onFault?.(fault.code, fault.message)
    if (meant !== undefined) return finish(attempt, meter, meant)
    const again = nextAttemptAtMs(attempt, fault)
    if (again === undefined) return fail(attempt, meter, fault)
    // On disk first: a process that was fenced must not touch the files of the one after it.
    await recordFailure(attempt, meter, fault, { retryAtMs: again })
    await goBack(attempt)
    return { type: 'again', atMs: again }
  }
}

function nextAttemptAtMs(attempt: Attempt, fault: Fault): number | undefined {
  const { clock } = attempt.branch.iteration.run.ports
  const policy = retryPolicy(attempt.spec.options.retry)
  const delayMs = retryDelayMs(policy, fault, attempt.failures + 1, clock.random())
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

const crashing = (id: StepId): Fault => ({
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
