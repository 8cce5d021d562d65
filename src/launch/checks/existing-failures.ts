/**
 * Compares a check that does not pass with what it said before the run began. One that failed then, too, may
 * be allowed to; one that could not run then, either, ends the run, since no work would make it run. What it
 * said on the base is found out once, in a clean checkout, and only where something depends on it.
 */

import type { Check, CheckContext } from '../../engine/index.ts'
import { type BaseResult, isNoWorse, toBaseResult } from '../../evidence/index.ts'
import { defined, type ExistingFailure, FaultError } from '../../loop/index.ts'
import { runWithTimeout } from '../../system/index.ts'

/** Undefined: it is not known. */
export type AskBase = (check: string, context: CheckContext) => Promise<BaseResult | undefined>

/** A check that takes longer is not run once more for this. */
const checkMsMax = 120_000
/** With a checkout and its dependencies, for the first time. */
const baseMsMax = 300_000

export function withExisting(
  checks: Readonly<Record<string, Check>>,
  existing: Readonly<Record<string, ExistingFailure>>,
  ask: AskBase,
): Readonly<Record<string, Check>> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [
      name,
      comparing(
        name,
        check,
        (Object.hasOwn(existing, name) ? existing[name] : undefined) ?? 'fix',
        ask,
      ),
    ]),
  )
}

type Answer = Awaited<ReturnType<Check>>

function comparing(name: string, check: Check, existing: ExistingFailure, ask: AskBase): Check {
  let known: Promise<BaseResult | undefined> | undefined
  const { timeoutMs = 600_000 } = check
  const compared: Check = async (context) => {
    const beganMs = performance.now()
    const result = await check(context)
    const isShort = performance.now() - beganMs <= checkMsMax
    if (result.cannotRun !== undefined) {
      known ??= asked(() => ask(name, context))
      return afterStop(name, result, context, known)
    }
    if (result.status !== 'not-met' || (result.kind ?? 'command') !== 'command') return result
    const { base, tree } = context
    if (base === undefined) return result
    if (base === tree) return compare(result, baseOf(result), existing)
    if (existing === 'fix' || !isShort) return result
    known ??= asked(() => ask(name, context))
    return compare(result, await known, existing)
  }
  const { fingerprint, isLive, kind, condition } = check
  return Object.assign(compared, {
    timeoutMs: timeoutMs + baseMsMax,
    ...defined({ fingerprint, isLive, kind, condition }),
  })
}

/** Whether the work is the reason that it cannot run: then it has failed. */
async function afterStop(
  name: string,
  { cannotRun = '', ...result }: Answer,
  { base, tree }: CheckContext,
  known: Promise<BaseResult | undefined>,
): Promise<Answer> {
  const failed = { ...result, status: 'not-met' } as const
  if (base === undefined) return { ...result, cannotRun }
  const before = base === tree ? cannotRun : (await known)?.cannotRun
  if (before === undefined) return failed
  const message = `The check ${name} cannot run: ${before}`
  throw new FaultError({ code: 'cannot-run', message, retryable: false, fatal: true })
}

/** What cannot be found out is no excuse, and no fault of the check. */
async function asked(ask: () => Promise<BaseResult | undefined>): Promise<BaseResult | undefined> {
  try {
    const answer = await runWithTimeout(baseMsMax, ask)
    return answer.type === 'answer' ? answer.value : undefined
  } catch {
    return undefined
  }
}

const baseOf = (result: Answer): BaseResult =>
  toBaseResult({
    result,
    runners: [],
    problems: [],
    replaced: [],
    startedAtMs: 0,
    endedAtMs: 0,
  })

function compare(result: Answer, base: BaseResult | undefined, existing: ExistingFailure): Answer {
  if (base?.status !== 'not-met') return result
  const failedBefore = { ...result, existing: true } as const
  if (existing === 'fix' || !isNoWorse(result, base)) return failedBefore
  return existing === 'allow'
    ? { ...failedBefore, allowed: true }
    : { ...failedBefore, asBefore: true }
}
