/**
 * Checks, run to be certified: each fresh, from a clean checkout, with nothing of an earlier one but what
 * it says it makes for others.
 */

import type { CheckContext } from '../../engine/index.ts'
import { type CheckStatus, type TreeId, textOf } from '../../loop/index.ts'
import type { Answered } from '../observe/observation.ts'
import type { CertifyingPlace, OpenCheck, Overlay } from '../parts.ts'

/** One check, as it was run. */
export interface Ran {
  readonly check: OpenCheck
  readonly result: Answered
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** Files of the tree that it changed, where that was looked at. */
  readonly written?: readonly string[]
  /** Every answer it gave on these files, where it was asked more than once; the first first. */
  readonly answers: readonly CheckStatus[]
}

export interface RunRequest {
  readonly place: CertifyingPlace
  readonly tree: TreeId
  readonly over?: Overlay
  readonly context: CheckContext
  readonly now: () => number
  /** It is looked at what they change of the tree. */
  readonly findsWritten?: true
  /** Of whom it is known or suspected that they answer now so, now so. */
  readonly isDoubtful?: (check: OpenCheck, first: CheckStatus) => boolean
}

/** Two of three answers of a check that is in doubt decide. */
const answersMax = 3

/** All of them, also when one fails: whoever mends it wants to know of the others. */
export async function runChecks(
  request: RunRequest,
  checks: readonly OpenCheck[] = request.place.checks,
): Promise<readonly Ran[]> {
  const ran: Ran[] = []
  const keep: string[] = []
  for (const check of checks) {
    ran.push(await runCheck(request, check, keep))
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
  const results = [await runOnce(request, check, keep)]
  // What it judges after that is not what was committed.
  const written = request.findsWritten === true ? await request.place.checkout.written() : []
  const first = results[0]?.status ?? 'error'
  if (request.isDoubtful?.(check, first) === true) {
    while (results.length < answersMax && !isDecided(results)) {
      results.push(await runOnce(request, check, keep))
    }
  }
  const answers = results.map(({ status }) => status)
  const status = majority(answers)
  const result = results.findLast((one) => one.status === status) ?? {
    status: 'error',
    output: '',
  }
  const isFlaky = new Set(answers).size > 1
  return {
    check,
    result: isFlaky ? { ...result, flaky: true } : result,
    startedAtMs,
    endedAtMs: request.now(),
    ...(written.length === 0 ? {} : { written }),
    answers,
  }
}

/** Two alike are enough: the third could not change it. */
const isDecided = (results: readonly Answered[]): boolean =>
  results.length >= 2 &&
  results.some((one, at) => results.findIndex((other) => other.status === one.status) < at)

/** What was said most often; of as many, what was said last, unless that would be a pass. */
function majority(answers: readonly CheckStatus[]): CheckStatus {
  const times = (status: CheckStatus): number => answers.filter((one) => one === status).length
  const most = Math.max(...answers.map(times))
  const candidates = answers.filter((one) => times(one) === most)
  return candidates.find((one) => one !== 'met') ?? 'met'
}

async function runOnce(
  { place, tree, over, context }: RunRequest,
  check: OpenCheck,
  keep: readonly string[],
): Promise<Answered> {
  context.signal.throwIfAborted()
  await place.checkout.reset(tree, { ...(over === undefined ? {} : { over }), keep })
  try {
    const answered = await check.run({ ...context, workspace: place.checkout.path })
    // One that was cut short has not answered.
    context.signal.throwIfAborted()
    return { ...answered, kind: check.kind }
  } catch (error) {
    context.signal.throwIfAborted()
    // A check that failed to run has not passed.
    return { status: 'error', output: textOf(error), kind: check.kind }
  }
}
