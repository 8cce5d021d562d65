/**
 * Runs checks to certify: each again, on a clean checkout, with nothing from earlier checks except their declared
 * outputs. Commands are observed; judges, tools and code only give a result.
 */

import type { CheckContext, UnboundCheckResult } from '../../engine/index.ts'
import { type CheckStatus, defined, type TreeId, textOf } from '../../loop/index.ts'
import type { Observation, ObservedTest, ObserveOptions } from '../observe/observation.ts'
import type { CertificationCheckout, OpenCheck, Overlay } from '../parts.ts'

/** One run of a check. */
export interface CheckRun {
  readonly check: OpenCheck
  readonly result: UnboundCheckResult
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly observation: Observation
  /** Every result on these files in order, if it ran more than once. */
  readonly answers: readonly CheckStatus[]
}

export interface RunRequest {
  readonly place: CertificationCheckout
  readonly tree: TreeId
  readonly over?: Overlay
  readonly context: CheckContext
  readonly now: () => number
  readonly environment?: ObserveOptions['environment']
  /** By check name: only these tests have to run. */
  readonly only?: ReadonlyMap<string, readonly ObservedTest[]>
  /** Whether to run the check again because it may give a different result. */
  readonly isDoubtful?: (check: OpenCheck, first: CheckStatus) => boolean
}

/** For a check in doubt, two of three results decide. */
const answersMax = 3

/** Runs all of them even if one fails, so that the agent learns about all failures at once. */
export async function runChecks(
  request: RunRequest,
  checks: readonly OpenCheck[] = request.place.checks,
): Promise<readonly CheckRun[]> {
  const ran: CheckRun[] = []
  const keep: string[] = []
  for (const check of checks) {
    ran.push(await runCheck(request, check, [...keep]))
    keep.push(...check.outputs)
  }
  return ran
}

async function runCheck(
  request: RunRequest,
  check: OpenCheck,
  keep: readonly string[],
): Promise<CheckRun> {
  const startedAtMs = request.now()
  const observations = [await runOnce(request, check, keep)]
  const first = observations[0]?.result.status ?? 'error'
  if (request.isDoubtful?.(check, first) === true) {
    while (observations.length < answersMax && !isDecided(observations)) {
      observations.push(await runOnce(request, check, keep))
    }
  }
  const answers = observations.map(({ result }) => result.status)
  const status = majority(answers)
  const observation =
    observations.findLast(({ result }) => result.status === status) ?? emptyObservation(request)
  const isFlaky = new Set(answers).size > 1
  const { result } = observation
  return {
    check,
    result: isFlaky ? { ...result, flaky: true } : result,
    startedAtMs,
    endedAtMs: request.now(),
    observation,
    answers,
  }
}

/** Two equal results are enough: a third could not change the outcome. */
const isDecided = (observations: readonly Observation[]): boolean => {
  const statuses = observations.map(({ result }) => result.status)
  return new Set(statuses).size < statuses.length
}

/** The most frequent result; on a tie, anything but a pass. */
function majority(answers: readonly CheckStatus[]): CheckStatus {
  const times = (status: CheckStatus): number => answers.filter((other) => other === status).length
  const most = Math.max(...answers.map(times))
  const candidates = answers.filter((status) => times(status) === most)
  return candidates.find((status) => status !== 'met') ?? 'met'
}

async function runOnce(
  request: RunRequest,
  check: OpenCheck,
  keep: readonly string[],
): Promise<Observation> {
  const { place, tree, over, environment, only } = request
  const context = { ...request.context, workspace: place.checkout.path }
  context.signal.throwIfAborted()
  await place.checkout.reset(tree, { ...defined({ over }), keep })
  try {
    const tests = only?.get(check.name)
    const options: ObserveOptions = defined({ environment, only: tests })
    const observation =
      check.observe === undefined
        ? await runUnobserved(request, check, context)
        : await check.observe(context, options)
    // An interrupted check has no result.
    context.signal.throwIfAborted()
    return { ...observation, result: { ...observation.result, kind: check.kind } }
  } catch (error) {
    context.signal.throwIfAborted()
    // A check that could not run has not passed.
    return {
      ...emptyObservation(request),
      result: { status: 'error', output: textOf(error), kind: check.kind },
    }
  }
}

async function runUnobserved(
  { now, place }: RunRequest,
  check: OpenCheck,
  context: CheckContext,
): Promise<Observation> {
  const startedAtMs = now()
  const result = await check.run(context)
  const written = check.kind === 'command' ? await place.checkout.written() : undefined
  return {
    result,
    runners: [],
    problems: [],
    replaced: [],
    ...defined({ written }),
    startedAtMs,
    endedAtMs: now(),
  }
}

const emptyObservation = ({ now }: RunRequest): Observation => ({
  result: { status: 'error', output: '' },
  runners: [],
  problems: [],
  replaced: [],
  startedAtMs: now(),
  endedAtMs: now(),
})
