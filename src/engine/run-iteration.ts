/**
 * Runs one iteration: fresh context, the loop's code, and how it ends.
 *
 * E3. The context is created from the input and the previous progress, both frozen.
 */

import {
  decide,
  defined,
  type Ending,
  type Fault,
  FaultError,
  type IterationEnded,
  LoopError,
  NotJsonError,
  type RecordedEvent,
  readStep,
  type StepKind,
  textOf,
  windowOpensAtMs,
} from '../loop/index.ts'
import { abandonable } from './bounded.ts'
import { concludeIteration, type Ended, evaluateUntil } from './conclude-iteration.ts'
import { createDelivery } from './delivery.ts'
import { escalate, measureIteration } from './escalate.ts'
import { createIterationInterrupter, Interruption, withoutTimeLimit } from './interrupter.ts'
import { createIteration } from './iteration.ts'
import {
  type Branch,
  breakOff,
  createBranch,
  engineBranch,
  isInfrastructure,
  type LiveIteration,
  type LiveRun,
} from './live-run.ts'
import type { SeenFiles } from './preflight.ts'
import { noSteps, type RecordedSteps, readSteps } from './steps/recorded-steps.ts'
import { notNew } from './steps/tried-before.ts'
import { keepWork } from './workspace/keep-work.ts'

export interface Entry {
  readonly iteration: number
  /** Its recorded steps, if it is continued. */
  readonly events: readonly RecordedEvent[] | undefined
  readonly codeDigest: string
  /** The files, if they were read before it. */
  readonly seen: SeenFiles | undefined
}

/** Reading the files of a small project takes as long: a change in this time may be missed anyway. */
const seenMsMax = 50

export async function runIteration(run: LiveRun, entry: Entry): Promise<void> {
  if (!(await start(run, entry))) return
  const recorded = entry.events === undefined ? noSteps : readSteps(entry.events)
  const iteration = createLiveIteration(run, entry.iteration, recorded)
  const { interrupter } = iteration
  // Abandoned code gets no more steps: everything that waits for its turn is released (E9).
  const stopWatching = interrupter.onAbandon((error) => iteration.delivery.fail(error))
  const leave = run.limits.watchIteration((fault) => interrupter.expire(fault))
  let ended: Ended
  try {
    const told = run.hooks.tell('before-iteration')
    if (told !== undefined) await told
    ended = await goAround(run, iteration)
  } catch (error) {
    if (run.recorder.failure !== undefined) throw run.recorder.failure
    if (iteration.broken !== undefined) throw iteration.broken
    ended = { event: await endFailed(run, iteration, error), progress: undefined }
  } finally {
    leave()
    stopWatching()
    interrupter.close()
  }
  const { event, progress } = ended
  if (isCounted(event.ending)) await keepWork(iteration)
  // A snapshot of an open iteration would hide the steps that are needed to continue it.
  run.recorder.note([event], {
    boundary: isCounted(event.ending),
    ...defined({ progress }),
  })
  await run.hooks.tell('after-iteration')
}

const isCounted = (ending: Ending): boolean =>
  ending.type !== 'rate-limited' && ending.type !== 'interrupted'

/** False if a person decided otherwise while the files were being read. */
async function start(run: LiveRun, entry: Entry): Promise<boolean> {
  const { recorder, ports } = run
  const { iteration, codeDigest, seen } = entry
  const changed = codeDigest === recorder.state.codeDigest ? {} : { codeDigest }
  if (entry.events !== undefined) {
    recorder.note([{ type: 'iteration-started', iteration, again: true, ...changed }])
    return true
  }
  const isRecent = seen !== undefined && ports.clock.now() - seen.atMs <= seenMsMax
  const tree = isRecent ? seen.tree : await ports.workspace?.snapshot()
  if (decide(recorder.state, ports.clock.now()).type !== 'iterate') return false
  recorder.note(
    [{ type: 'iteration-started', iteration, ...changed, ...defined({ tree }) }],
    tree === undefined || tree === recorder.state.tree ? {} : { trees: [tree] },
  )
  return true
}

function createLiveIteration(run: LiveRun, number: number, recorded: RecordedSteps): LiveIteration {
  const onMismatch = (seq: number): void =>
    breakOff(iteration, notAskedFor(iteration, seq, 'goes on in'))
  const delivery = createDelivery(run.ports.clock, recorded.completionSeqs, onMismatch)
  const none = {
    halt: undefined,
    refused: false,
    over: false,
    broken: undefined,
    calling: undefined,
    waited: false,
    report: undefined,
    refusedFile: undefined,
    stuck: undefined,
    trunk: undefined,
    checked: new Map(),
    judged: new Map(),
  }
  const isLimited = run.recorder.state.limits.iteration?.timeMs !== undefined
  const interrupter = isLimited
    ? createIterationInterrupter(run.interrupter, run.ports.clock)
    : withoutTimeLimit(run.interrupter)
  const iteration: LiveIteration = { run, number, recorded, delivery, interrupter, ...none }
  return iteration
}

async function goAround(run: LiveRun, iteration: LiveIteration): Promise<Ended> {
  const { loop, recorder } = run
  const { interrupter } = iteration
  const previous = recorder.state.progress
  const context: unknown = loop.createContext(run.input, previous)
  const trunk = createBranch(iteration, '')
  iteration.trunk = trunk
  let result: unknown
  try {
    result = await abandonable(loop.iterate(context, createIteration(trunk)), interrupter)
  } catch (error) {
    // Abandoned code may request steps forever; nothing waits for it.
    if (interrupter.aborted.aborted) iteration.over = true
    throw error
  } finally {
    // Code may continue after a failure or a race while other steps are in progress; wait for them.
    const idle = iteration.delivery.pendingSteps.idle()
    if (idle !== undefined) await idle
    iteration.over = true
  }
  if (iteration.broken !== undefined) throw iteration.broken
  // Even if the loop's code swallowed it.
  if (iteration.refused || interrupter.expired !== undefined) throw interrupter.refuse()
  if (iteration.stuck !== undefined) throw notNew(iteration.stuck)
  const branch = engineBranch(trunk)
  requireAllAsked(iteration, ownSteps(branch))
  try {
    const ended = await concludeIteration(branch, result)
    requireAllAsked(iteration)
    return ended
  } catch (error) {
    // The engine itself reads files and journal here. A disk failure suspends the run, as it does
    // inside a step.
    if (isInfrastructure(error) && run.recorder.state.cancel === undefined)
      breakOff(iteration, error)
    throw error
  }
}

/** Steps that the engine itself may have requested after the loop's code, in an earlier process. */
const ownSteps = (branch: Branch): readonly (number | undefined)[] =>
  branch.recorded
    .slice(branch.asked)
    .filter(({ started }) => engineKinds.has(readStep(started).kind))
    .map(({ completion }) => completion?.seq)

const engineKinds: ReadonlySet<StepKind> = new Set(['check', 'certify', 'ask'])

/** A loop that ends without a step that the journal contains has changed. */
function requireAllAsked(
  iteration: LiveIteration,
  except: readonly (number | undefined)[] = [],
): void {
  const seq = iteration.delivery.firstUnrequested
  if (seq === undefined || except.includes(seq)) return
  iteration.broken = notAskedFor(iteration, seq, 'ended')
  throw iteration.broken
}

function notAskedFor(iteration: LiveIteration, seq: number, does: string): LoopError {
  const steps = [...iteration.recorded.byBranch.values()].flat()
  const step = steps.find((one) => one.completion?.seq === seq)
  return new LoopError(
    'step-mismatch',
    `The journal has a result for step "${step?.id}", but the loop ${does} iteration ` +
      `${iteration.number} without requesting it. Restore the old code, or resume with force to ` +
      'restart the iteration.',
  )
}

/** An iteration that failed may need a person, too; asking can be interrupted. */
async function endFailed(
  run: LiveRun,
  iteration: LiveIteration,
  error: unknown,
): Promise<IterationEnded> {
  const event = failedEnding(run, iteration, error)
  const { trunk } = iteration
  if (trunk === undefined) return event
  try {
    // Its files were not measured, because its code did not return.
    const measure =
      iteration.refusedFile === undefined ? undefined : await measureIteration(iteration, [])
    return await escalate(engineBranch(trunk), { ...event, ...defined({ measure }) }, [])
  } catch (cause) {
    if (run.recorder.failure !== undefined) throw run.recorder.failure
    if (iteration.broken !== undefined) throw iteration.broken
    return failedEnding(run, iteration, cause)
  }
}

function failedEnding(run: LiveRun, iteration: LiveIteration, error: unknown): IterationEnded {
  const base = { type: 'iteration-ended', iteration: iteration.number } as const
  const { interrupter, halt } = iteration
  if (interrupter.expired !== undefined) return withMet(run, base, interrupter.expired)
  if (halt !== undefined) return { ...base, ending: { type: 'rate-limited', ...halt } }
  if (error instanceof Interruption || iteration.refused) {
    return { ...base, ending: { type: 'interrupted', reason: interrupter.reason ?? 'stopped' } }
  }
  // Even if the loop's code swallowed it.
  const { stuck } = iteration
  if (stuck !== undefined) return { ...base, ending: { type: 'complete', met: stuck } }
  const fault = faultOf(error)
  if (fault.code === 'rate-limited') {
    const { rateLimits } = run.recorder.state
    const retryAtMs = windowOpensAtMs(fault, rateLimits, run.ports.clock.now())
    return { ...base, ending: { type: 'rate-limited', retryAtMs, message: fault.message } }
  }
  return withMet(run, base, fault)
}

/** An error after which a condition may still end the run. */
function withMet(
  run: LiveRun,
  base: Pick<IterationEnded, 'type' | 'iteration'>,
  fault: Fault,
): IterationEnded {
  const ending: Ending = { type: 'error', fault, recoverable: fault.fatal !== true }
  // Unfinished work is not complete, even if its checks pass.
  const asked = { made: undefined, incomplete: true }
  const met = ending.recoverable ? evaluateUntil(run, { ...base, ending }, asked) : undefined
  return { ...base, ending: met === undefined ? ending : { ...ending, met } }
}

/** Classifies an error of the loop's code: after a fault the next iteration starts, a bug ends the run. */
function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault
  if (error instanceof LoopError) {
    return { code: error.code, message: error.message, retryable: false, fatal: true }
  }
  if (error instanceof NotJsonError) {
    const message = `The loop's progress is not serializable: ${error.message}`
    return { code: 'not-serialisable', message, retryable: false, fatal: true }
  }
  const message = (error instanceof Error ? error.stack : undefined) ?? textOf(error)
  return { code: 'bug', message: message.slice(0, 4000), retryable: false, fatal: true }
}
