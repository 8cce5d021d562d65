/**
 * Runs checks to certify: each fresh, on a clean checkout, with nothing of an earlier one but what that one
 * declares as its outputs. Commands are observed; judges, tools and code only answer.
 */

import type { CheckContext } from '../../engine/index.ts'
import { type CheckStatus, defined, type TreeId, textOf } from '../../loop/index.ts'
import type { Answered, Observation, ObservedTest, ObserveOptions } from '../observe/observation.ts'
import type { CertifyingPlace, OpenCheck, Overlay } from '../parts.ts'

/** One check, as it was run. */
export interface Ran {
  readonly check: OpenCheck
  readonly result: Answered
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly observation: Observation
  /** Every answer it gave on these files, where it was run more than once; the first first. */
  readonly answers: readonly CheckStatus[]
}

export interface RunRequest {
  readonly place: CertifyingPlace
  readonly tree: TreeId
  readonly over?: Overlay
  readonly context: CheckContext
  readonly now: () => number
  readonly environment?: ObserveOptions['environment']
  /** By name of the check: only these tests have to run. */
  readonly only?: ReadonlyMap<string, readonly ObservedTest[]>
  /** Whether the check is to be run again, because it may answer differently. */
  readonly isDoubtful?: (check: OpenCheck, first: CheckStatus) => boolean
}

/** Two of three answers of a check that is in doubt decide. */
const answersMax = 3

/** All of them, also when one fails: the agent is told about all failures at once. */
export async function runChecks(
  request: RunRequest,
  checks: readonly OpenCheck[] = request.place.checks,
): Promise<readonly Ran[]> {
  const ran: Ran[] = []
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
): Promise<Ran> {
  const startedAtMs = request.now()
  const seen = [await runOnce(request, check, keep)]
  const first = seen[0]?.result.status ?? 'error'
  if (request.isDoubtful?.(check, first) === true) {
    while (seen.length < answersMax && !isDecided(seen)) {
      seen.push(await runOnce(request, check, keep))
    }
  }
  const answers = seen.map(({ result }) => result.status)
  const status = majority(answers)
  const observation = seen.findLast(({ result }) => result.status === status) ?? cutShort(request)
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

/** Two alike are enough: the third could not change it. */
const isDecided = (seen: readonly Observation[]): boolean =>
  seen.length >= 2 &&
  seen.some((one, at) => seen.findIndex(({ result }) => result.status === one.result.status) < at)

/** What was answered most often; of as many, what was answered last, but never a pass. */
function majority(answers: readonly CheckStatus[]): CheckStatus {
  const times = (status: CheckStatus): number => answers.filter((one) => one === status).length
  const most = Math.max(...answers.map(times))
  const candidates = answers.filter((one) => times(one) === most)
  return candidates.find((one) => one !== 'met') ?? 'met'
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
        ? await answeredOnly(request, check, context)
        : await check.observe(context, options)
    // A check that was cut short has not answered.
    context.signal.throwIfAborted()
    return { ...observation, result: { ...observation.result, kind: check.kind } }
  } catch (error) {
    context.signal.throwIfAborted()
    // A check that failed to run has not passed.
    return {
      ...cutShort(request),
      result: { status: 'error', output: textOf(error), kind: check.kind },
    }
  }
}

async function answeredOnly(
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

const cutShort = ({ now }: RunRequest): Observation => ({
  result: { status: 'error', output: '' },
  runners: [],
  problems: [],
  replaced: [],
  startedAtMs: now(),
  endedAtMs: now(),
})
