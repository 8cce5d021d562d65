/**
 * Performs a step: journal its start, run it, journal its result.
 *
 *   step-started (attempt, tree before, worst case) ─▶ code runs ─▶ tree after, large result on disk
 *     ─▶ step-finished | step-failed ─▶ delivered to the loop
 *
 * E1. The start is durable before the code runs, the result before the loop sees it.
 * E2. An attempt without a result is repeated from the tree it started on.
 */

import {
  type Fault,
  FaultError,
  type Json,
  LoopError,
  NotJsonError,
  type RunState,
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
  notice,
  requireOpen,
} from '../live-run.ts'
import { createMeter, type Meter, refuseCall, refuseOverrun } from '../meter.ts'
import { atOnce, takeTurn } from '../start-turn.ts'
import {
  type Attempt,
  type AttemptEnd,
  fail,
  finish,
  goBack,
  recordFailure,
  stopped,
} from './end-step.ts'
import type { RecordedStep } from './recorded-steps.ts'
import { type Draft, describeStep, type StepSpec } from './step-spec.ts'
import { requireNew } from './tried-before.ts'

/** A step that kills its process each time must not do so forever. */
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
    if (recorded?.retryAtMs !== undefined) await waitUntil(branch.iteration, recorded.retryAtMs)
    let number = (recorded?.attempts ?? 0) + 1
    let failures = recorded?.failures ?? 0
    let recovering = recorded?.inFlight === true
    let called = recorded?.called === true
    const refused = (recorded?.unfinished ?? 0) >= unfinishedMax ? crashing(id) : undefined
    if (usesFiles && branch.iteration.waited) await takeAsFound(branch.iteration)
    const fingerprint = spec.fingerprint?.(id)
    if (fingerprint !== undefined && recorded === undefined) {
      await requireNew(branch.iteration, fingerprint)
    }
    do {
      const tree = usesFiles ? run.recorder.state.tree : undefined
      const attempt = { branch, id, spec, number, failures, tree, called, recovering, fingerprint }
      end = await tryOnce(attempt, inTurn.started, refused)
      if (end.type === 'again') await waitUntil(branch.iteration, end.atMs)
      number++
      failures++
      called = true
      recovering = false
    } while (end.type === 'again')
  } catch (error) {
    // Before the next step may start: it must not take this step's position in the journal.
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

/** While a run waits, people may change its files; a step starts on the files as they are. */
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

/** Checks the budget, calls the hooks, and journals the start; then runs the step. */
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
    // Checked and reserved synchronously, so that two branches cannot use the same budget.
    if (refused === undefined) refuseSpending(attempt, recorder.state)
  } catch (error) {
    if (!(error instanceof FaultError)) throw error
    refusal = error.fault
  }
  // The run may have been stopped in the meantime.
  requireOpen(iteration)
  // A refused step costs nothing.
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
  if (spec.kind === 'agent' && !attempt.called && refusal === undefined) event.call = true
  if (spec.key !== undefined) event.key = spec.key(id)
  if (attempt.fingerprint !== undefined) event.fingerprint = attempt.fingerprint
  if (spec.claim !== undefined) event.claim = spec.claim
  const durable = recorder.record([event])
  started()
  await durable
  const at = { iteration: iteration.number, step: id, attempt: number }
  const meter = createMeter(recorder, { ...at, role: agentRoleOf(spec), reserved })
  if (refusal !== undefined) return fail(attempt, meter, refusal)
  return execute(attempt, meter)
}

/** The role of the agent that a step calls. */
const agentRoleOf = ({ kind, name }: StepSpec): string | undefined =>
  kind === 'agent' ? name : undefined

function refuseSpending({ spec, called }: Attempt, state: RunState): void {
  const role = agentRoleOf(spec)
  // A retry is part of the same call.
  if (role !== undefined && !called) refuseCall(state, role)
  const { reserve } = spec.options
  if (reserve !== undefined) refuseOverrun(state, reserve, role)
}

async function execute(attempt: Attempt, meter: Meter): Promise<AttemptEnd> {
  const { branch, id, spec, number } = attempt
  const { run } = branch.iteration
  const { ports, recorder } = run
  // An action cannot be undone, so the time limit of an iteration does not interrupt it.
  const { interrupter } = spec.key === undefined ? branch.iteration : run
  const work = attempt.recovering && spec.recover !== undefined ? spec.recover : spec.run
  if (interrupter.aborted.aborted) return stopped(attempt, meter)
  try {
    const running = runBounded(
      (signal) => {
        branch.iteration.calling = id
        try {
          const { spend, reserve } = meter
          return work({ signal, attempt: number, spend, reserve }, id, meter)
        } finally {
          branch.iteration.calling = undefined
        }
      },
      spec.options.timeoutMs,
      interrupter,
      ports.clock,
    )
    const value = running instanceof Promise ? await running : running
    // A result after an abort may be incomplete, so the step runs again on resume. An action cannot be
    // undone: its receipt counts.
    if (interrupter.aborted.aborted && spec.key === undefined) return stopped(attempt, meter)
    const result = value === undefined ? undefined : toJson(value)
    return await finish(attempt, meter, result)
  } catch (error) {
    if (recorder.failure !== undefined) throw recorder.failure
    if (error instanceof Interruption || interrupter.aborted.aborted) {
      return stopped(attempt, meter)
    }
    if (isInfrastructure(error)) throw error
    const fault = classify(error)
    const meant = spec.onFault?.(fault.code, fault.message)
    if (meant !== undefined) return finish(attempt, meter, meant)
    const again = nextAttemptAtMs(attempt, fault)
    if (again === undefined) return fail(attempt, meter, fault)
    // On disk first: a fenced process must not touch the files of its successor.
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

/** Errors in the loop's code end the run; failures of the outside world are faults. */
function classify(error: unknown): Fault {
  if (error instanceof NotJsonError) {
    const message = `The step's result is not serializable: ${error.message}`
    return { code: 'not-serialisable', message, retryable: false, fatal: true }
  }
  if (error instanceof LoopError) {
    return { code: error.code, message: error.message, retryable: false, fatal: true }
  }
  return toFault(error)
}

const crashing = (id: StepId): Fault => ({
  code: 'crashing',
  message: `Step "${id}" was started ${unfinishedMax} times without ever producing a result.`,
  retryable: false,
  fatal: true,
})

export async function waitUntil({ run, interrupter }: LiveIteration, atMs: number): Promise<void> {
  const { clock } = run.ports
  const ms = atMs - clock.now()
  if (ms <= 0) return
  try {
    await clock.sleep(ms, interrupter.draining)
  } catch {
    throw interrupter.refuse()
  }
}
