/**
 * A step that a loop requests: its result comes from the journal if it is there, otherwise it runs now.
 *
 * E2. A step with a result never runs again. Within a branch, steps must be requested in the order of
 *     the journal; otherwise the run stops with an error that names both steps.
 */

import {
  FaultError,
  type Json,
  LoopError,
  nameProblem,
  readStep,
  type StepId,
  stepId,
  stepKinds,
} from '../../loop/index.ts'
import { Interruption } from '../interrupter.ts'
import {
  type Branch,
  breakOff,
  isLate,
  type LiveIteration,
  notice,
  paceRefusals,
  unanswered,
} from '../live-run.ts'
import { requireAmount } from '../meter.ts'
import { load } from '../stored.ts'
import { performStep } from './perform-step.ts'
import type { Completion, RecordedStep } from './recorded-steps.ts'
import type { StepSpec } from './step-spec.ts'

/** Whether this is the next recorded step of the branch. */
export function isRecordedNext(branch: Branch, wanted: Pick<StepSpec, 'kind' | 'name'>): boolean {
  const next = branch.recorded[branch.asked]
  if (next === undefined) return false
  const { kind, role } = readStep(next.started)
  return kind === wanted.kind && role === wanted.name
}

export function askStep(branch: Branch, spec: StepSpec): Promise<Json | undefined> {
  const asked = ask(branch, spec)
  // Prevents an unhandled rejection if the code does not await the step; its failure is journaled.
  asked.catch(() => undefined)
  return asked
}

function ask(branch: Branch, spec: StepSpec): Promise<Json | undefined> {
  if (isLate(branch)) return unanswered()
  try {
    const { reserve, role } = spec.options
    if (reserve !== undefined) requireAmount(reserve)
    if (role !== undefined) requireName(role, 'role of a step')
    // Everything up to the first await happens in the order in which the loop's code requests steps.
    const id = nextId(branch, spec)
    const recorded = takeRecorded(branch, id)
    const completion = recorded?.completion
    return follow(branch, () =>
      completion === undefined
        ? performStep(branch, id, spec, recorded)
        : replay(branch.iteration, completion),
    )
  } catch (error) {
    return Promise.reject(error)
  }
}

/** A step is in progress until it is delivered; errors that it throws are noted. */
export async function follow<T>(branch: Branch, work: () => Promise<T>): Promise<T> {
  const { iteration } = branch
  iteration.delivery.pendingSteps.start()
  try {
    return await work()
  } catch (error) {
    notice(iteration, error)
    if (error instanceof Interruption) await iteration.delivery.allRecorded()
    throw error
  } finally {
    iteration.delivery.pendingSteps.finish()
    const pace = paceRefusals(branch)
    if (pace !== undefined) await pace
  }
}

export function nextId(branch: Branch, spec: Pick<StepSpec, 'kind' | 'name'>): StepId {
  const { calling } = branch.iteration
  if (calling !== undefined) throw nested(calling, spec.name)
  const name = spec.kind === 'step' ? plainName(spec.name) : `${spec.kind}:${spec.name}`
  const before = branch.occurrences.get(name)
  if (before === undefined) requireName(spec.name, 'step')
  const occurrence = (before ?? 0) + 1
  branch.occurrences.set(name, occurrence)
  return stepId(branch.path, name, occurrence)
}

/** The inner step would be lost on resume, and if both change files they would deadlock. */
const nested = (outer: StepId, inner: string): LoopError =>
  new LoopError(
    'nested-step',
    `The code of step "${outer}" requests step "${inner}". Steps cannot be nested: request both from ` +
      'the iteration, one after the other, and pass the result on.',
  )

function requireName(name: string, of: string): void {
  const problem = nameProblem(name)
  if (problem === undefined) return
  const message = `A ${of} cannot be named ${JSON.stringify(name)}: ${problem}.`
  throw new LoopError('bad-name', `${message} Choose another name.`)
}

/** A plain step may not look like another kind. */
function plainName(name: string): string {
  if (name.includes(':') && stepKinds.some((kind) => name.startsWith(`${kind}:`))) {
    const message = `A step cannot be named "${name}": that prefix is reserved.`
    throw new LoopError('bad-name', `${message} Choose another name.`)
  }
  return name
}

export function takeRecorded(branch: Branch, id: StepId): RecordedStep | undefined {
  const recorded = branch.recorded[branch.asked++]
  if (recorded === undefined || recorded.id === id) return recorded
  const error = new LoopError(
    'step-mismatch',
    `The next step in the journal is "${recorded.id}", but the loop requests "${id}" ` +
      `(iteration ${branch.iteration.number}). The loop's code must request its steps in the same ` +
      'order each time. Restore the old code, or resume with force to restart the iteration.',
  )
  breakOff(branch.iteration, error)
  throw error
}

export async function replay(
  iteration: LiveIteration,
  completion: Completion,
): Promise<Json | undefined> {
  if (completion.type === 'failed') {
    await iteration.delivery.hand(completion.seq)
    throw new FaultError(completion.fault)
  }
  const { result } = completion
  const value = result === undefined ? undefined : await load(result, iteration.run.ports.blobs)
  await iteration.delivery.hand(completion.seq)
  return value
}
