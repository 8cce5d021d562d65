/**
 * One model call, until it succeeds or a retry is pointless.
 *
 * E4. Every attempt reserves its worst case before it is made, and settles what the provider
 *     counted. A failed attempt costs nothing if the provider said so. If that is unknown it costs
 *     its worst case, because it is retried and a response that broke off at its end was generated
 *     too; only its input if the run is being stopped, after which nothing is spent.
 * E9. Attempts and waits are limited. A short wait is worth it, because a long conversation
 *     would be lost with the step. Long waits are left to the engine.
 */

import type { Clock } from '../engine/index.ts'
import {
  type AgentContext,
  type Amount,
  defaultRetry,
  type Fault,
  FaultError,
  type Reservation,
  rateLimited,
  retryDelayMs,
  zero,
} from '../loop/index.ts'
import { abortable, createTimeLimitedSignal } from './abortable.ts'
import type { SdkResult } from './model-types.ts'
import { type ProviderFailure, providerFailure } from './provider-failure.ts'
import type { Redact } from './redact.ts'

export interface ModelCall {
  readonly worst: Amount
  /** The cost if the provider accepted the call and the response was not awaited. */
  readonly input: Amount
  generate(signal: AbortSignal): Promise<SdkResult>
  spent(result: SdkResult): Amount
}

export interface CallSettings {
  readonly modelId: string
  readonly keyVariable: string | undefined
  readonly clock: Clock
  readonly timeoutMs: number
  readonly redact: Redact
  /** How often a failed call is retried. Default: four times. */
  readonly failuresMax?: number
}

export type CallOutcome =
  | { readonly type: 'answered'; readonly result: SdkResult; readonly spent: Amount }
  | { readonly type: 'too-long'; readonly message: string }

const rateLimitsMax = 5
const defaultFailuresMax = 4
/** The engine waits for windows that open later. */
const localWaitMsMax = 60_000
const backoff = { ...defaultRetry, firstDelayMs: 1000 }

export async function callModel(
  call: ModelCall,
  settings: CallSettings,
  context: AgentContext,
): Promise<CallOutcome> {
  const { clock } = settings
  const counts = { rateLimits: 0, failures: 0 }
  for (;;) {
    const reservation = await context.reserve(call.worst)
    const tried = await tryOnce(call, settings, context)
    if ('result' in tried) {
      const spent = call.spent(tried.result)
      await reservation.settle(spent)
      return { type: 'answered', result: tried.result, spent }
    }
    const { failure } = tried
    const unknown = context.signal.aborted ? call.input : call.worst
    await settleFailed(reservation, failure.mayBeCharged ? unknown : zero, context)
    if (failure.kind === 'too-long') return { type: 'too-long', message: failure.message }
    const waitMs = nextWaitMs(failure, counts, settings)
    if (waitMs === undefined) throw toFaultError(failure, settings)
    const retry = `Retrying in ${seconds(waitMs)}.`
    context.note({ type: 'said', text: `${sentence(failure.message)} ${retry}` })
    await clock.sleep(waitMs, context.signal).catch((error: unknown) => {
      context.signal.throwIfAborted()
      throw error
    })
  }
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

async function tryOnce(
  call: ModelCall,
  { clock, redact, timeoutMs }: CallSettings,
  context: AgentContext,
): Promise<{ readonly result: SdkResult } | { readonly failure: ProviderFailure }> {
  const expired = (): Error => new Error(`The model did not answer within ${seconds(timeoutMs)}.`)
  const bounded = createTimeLimitedSignal(context.signal, timeoutMs, expired)
  try {
    return { result: await abortable(bounded.signal, () => call.generate(bounded.signal)) }
  } catch (error) {
    const failure = providerFailure(
      bounded.signal.aborted ? bounded.signal.reason : error,
      clock.now(),
    )
    return { failure: { ...failure, message: redact(failure.message) } }
  } finally {
    bounded.free()
  }
}

/** If the run is being stopped, that is what is thrown, even if settling fails. */
async function settleFailed(
  reservation: Reservation,
  spent: Amount,
  { signal }: AgentContext,
): Promise<void> {
  if (!signal.aborted) return reservation.settle(spent)
  await reservation.settle(spent).catch(() => undefined)
  throw signal.reason
}

function nextWaitMs(
  failure: ProviderFailure,
  counts: { rateLimits: number; failures: number },
  { clock, failuresMax = defaultFailuresMax }: CallSettings,
): number | undefined {
  const { kind, waitMs } = failure
  if (waitMs !== undefined && waitMs > localWaitMsMax) return undefined
  if (kind === 'rate-limited') {
    if (++counts.rateLimits > rateLimitsMax) return undefined
    // A provider that always says "at once" must not be called without a pause.
    const backoffMs = 1000 * 2 ** (counts.rateLimits - 1)
    return waitMs === undefined ? 2 * backoffMs : Math.max(waitMs, backoffMs / 4)
  }
  if (kind !== 'transient') return undefined
  const transient: Fault = { code: 'provider-failed', message: '', retryable: true }
  const limited = { ...backoff, attempts: failuresMax + 1 }
  const delayMs = retryDelayMs(limited, transient, ++counts.failures, clock.random())
  return delayMs === undefined ? undefined : Math.max(delayMs, waitMs ?? 0)
}

function toFaultError(failure: ProviderFailure, settings: CallSettings): FaultError {
  const { modelId, keyVariable, clock } = settings
  const message = `${modelId}: ${sentence(failure.message)}`
  const key = keyVariable ?? 'the key of this provider'
  switch (failure.kind) {
    case 'rate-limited':
      return rateLimited(message, clock.now() + (failure.waitMs ?? localWaitMsMax))
    case 'transient':
      // An overload that lasts longer than a wait in place is treated as a rate limit.
      return failure.waitMs !== undefined && failure.waitMs > localWaitMsMax
        ? rateLimited(message, clock.now() + failure.waitMs)
        : // There were enough attempts here; the next iteration retries.
          fault('provider-failed', message, {})
    case 'no-address':
      return fault('no-provider', `${message} Check the address: baseUrl.`, { fatal: true })
    case 'not-allowed':
      return fault('provider-denied', `${message} Check ${key} and the account behind it.`, {
        fatal: true,
      })
    case 'unknown-model':
      return fault('unknown-model', `${message} Check the name of the model and the base URL.`, {
        fatal: true,
      })
    case 'too-long':
    case 'refused':
      return fault('provider-refused', message, {})
  }
}

export function fault(
  code: string,
  message: string,
  kind: { readonly retryable?: boolean; readonly fatal?: boolean },
): FaultError {
  return new FaultError({ code, message, retryable: false, ...kind })
}
