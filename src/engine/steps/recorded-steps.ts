/** The recorded steps of an iteration that is continued. */

import type {
  Fault,
  RecordedEvent,
  StepFailed,
  StepId,
  StepStarted,
  Stored,
} from '../../loop/index.ts'

export type Completion =
  | { readonly type: 'finished'; readonly seq: number; readonly result: Stored | undefined }
  | { readonly type: 'failed'; readonly seq: number; readonly fault: Fault }

export interface RecordedStep {
  readonly id: StepId
  readonly attempts: number
  /** How many of them failed. Interrupted and rate-limited attempts do not count. */
  readonly failures: number
  readonly started: StepStarted
  /** It was counted as a call of an agent. */
  readonly called: boolean
  /** Started, but without a result. */
  readonly inFlight: boolean
  /** How often in a row that happened without a request to stop. */
  readonly unfinished: number
  readonly retryAtMs?: number
  readonly completion?: Completion
}

export interface RecordedSteps {
  /** Steps of each branch in the order in which they were first requested. */
  readonly byBranch: ReadonlyMap<string, readonly RecordedStep[]>
  readonly completionSeqs: readonly number[]
  /** Steps that were in progress when the process ended. */
  readonly inFlight: readonly RecordedStep[]
}

export const noSteps: RecordedSteps = { byBranch: new Map(), completionSeqs: [], inFlight: [] }

export const branchOf = (id: StepId): string => id.slice(0, id.lastIndexOf('/') + 1)

export function readSteps(events: readonly RecordedEvent[]): RecordedSteps {
  const steps = new Map<StepId, RecordedStep>()
  for (const { seq, event } of events) {
    switch (event.type) {
      case 'iteration-restarted':
        steps.clear()
        break
      case 'step-started':
        steps.set(event.step, begin(steps.get(event.step), event))
        break
      case 'step-finished':
        end(steps, event.step, { type: 'finished', seq, result: event.result })
        break
      case 'step-failed':
        if (event.retryAtMs === undefined && event.fault.code !== 'rate-limited') {
          end(steps, event.step, { type: 'failed', seq, fault: event.fault })
        } else {
          allowRetry(steps, event)
        }
        break
      case 'step-interrupted':
        cutShort(steps, event.step)
        break
      default:
        break
    }
  }
  return group([...steps.values()])
}

function begin(step: RecordedStep | undefined, event: StepStarted): RecordedStep {
  return {
    id: event.step,
    attempts: event.attempt,
    failures: step?.failures ?? 0,
    // A wait keeps its original end time.
    started: step?.started.wakeAtMs === undefined ? event : step.started,
    called: step?.called === true || event.call === true,
    inFlight: true,
    unfinished: step?.inFlight === true ? step.unfinished + 1 : 1,
  }
}

function end(steps: Map<StepId, RecordedStep>, id: StepId, completion: Completion): void {
  const step = steps.get(id)
  if (step !== undefined) steps.set(id, { ...step, inFlight: false, completion })
}

function allowRetry(steps: Map<StepId, RecordedStep>, event: StepFailed): void {
  const step = steps.get(event.step)
  if (step === undefined) return
  const failures = event.retryAtMs === undefined ? step.failures : step.failures + 1
  const retryAtMs = event.retryAtMs ?? event.fault.retryAtMs
  const next = { ...step, failures, inFlight: false, unfinished: 0 }
  steps.set(event.step, retryAtMs === undefined ? next : { ...next, retryAtMs })
}

/** A graceful stop is not a sign of a step that kills its process. */
function cutShort(steps: Map<StepId, RecordedStep>, id: StepId): void {
  const step = steps.get(id)
  if (step !== undefined) steps.set(id, { ...step, unfinished: 0 })
}

function group(steps: readonly RecordedStep[]): RecordedSteps {
  const byBranch = new Map<string, RecordedStep[]>()
  for (const step of steps) {
    const branch = branchOf(step.id)
    const list = byBranch.get(branch)
    if (list === undefined) byBranch.set(branch, [step])
    else list.push(step)
  }
  return {
    byBranch,
    completionSeqs: steps.flatMap((step) => step.completion?.seq ?? []),
    inFlight: steps.filter((step) => step.inFlight),
  }
}
