/**
 * Compares a check that does not pass with its result on the base. A check that also failed there may be allowed to
 * fail. If it could not run there either, the run ends, since no work would make it run. The result on the base is
 * determined once, in a clean checkout, and only if it is needed.
 */

import type { Check, CheckContext } from '../../engine/index.ts'
import { type BaseResult, isNoWorse, toBaseResult } from '../../evidence/index.ts'
import { defined, type ExistingFailure, FaultError } from '../../loop/index.ts'
import { runWithTimeout } from '../../system/index.ts'

/** Undefined: unknown. */
export type AskBase = (check: string, context: CheckContext) => Promise<BaseResult | undefined>

/** A check that takes longer is not run on the base. */
const checkMsMax = 120_000
/** The first time, this includes the checkout and its dependencies. */
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

/** If the work is the reason that it cannot run, it has failed. */
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

/** An error here counts as unknown: it neither excuses the check nor fails it. */
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
