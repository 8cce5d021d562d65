/**
 * One call of a model, until it answers or there is no use in going on.
 *
 * E4. Every attempt reserves its worst case before it is made, and settles what the provider counted.
 *     An attempt that failed costs nothing if the provider said so. If nobody knows it costs its worst
 *     case, because it is made again and an answer that was cut off at its end was made too; its input
 *     when the run is being stopped, after which nothing is spent.
 * E9. Attempts and waits are limited. A long conversation is worth a short wait: it would be lost with
 *     the step. A long wait is the engine's, which knows how to wait.
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
import { abortable, boundedSignal } from './abortable.ts'
import type { SdkResult } from './model-types.ts'
import { type ProviderFailure, providerFailure } from './provider-failure.ts'
import type { Redact } from './redact.ts'

export interface ModelCall {
  readonly worst: Amount
  /** What it costs if the provider took it and nobody waited for the answer. */
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
  /** How often a call that failed is made again; four times unless told. */
  readonly failuresMax?: number
}

export type CallOutcome =
  | { readonly type: 'answered'; readonly result: SdkResult; readonly spent: Amount }
  | { readonly type: 'too-long'; readonly message: string }

const rateLimitsMax = 5
const defaultFailuresMax = 4
/** A window that opens later is waited for by the engine. */
const waitInPlaceMs = 60_000
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
    await settleFailed(reservation, failure.perhapsCharged ? unknown : zero, context)
    if (failure.kind === 'too-long') return { type: 'too-long', message: failure.message }
    const waitMs = waitFor(failure, counts, settings)
    if (waitMs === undefined) throw toFaultError(failure, settings)
    const again = `It is asked again in ${seconds(waitMs)}.`
    context.note({ type: 'said', text: `${sentence(failure.message)} ${again}` })
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
  const bounded = boundedSignal(context.signal, timeoutMs, expired)
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

/** When the run is being stopped, that is what is thrown, whatever becomes of the account. */
async function settleFailed(
  reservation: Reservation,
  spent: Amount,
  { signal }: AgentContext,
): Promise<void> {
  if (!signal.aborted) return reservation.settle(spent)
  await reservation.settle(spent).catch(() => undefined)
  throw signal.reason
}

function waitFor(
  failure: ProviderFailure,
  counts: { rateLimits: number; failures: number },
  { clock, failuresMax = defaultFailuresMax }: CallSettings,
): number | undefined {
  const { kind, waitMs } = failure
  if (waitMs !== undefined && waitMs > waitInPlaceMs) return undefined
  if (kind === 'rate-limited') {
    if (++counts.rateLimits > rateLimitsMax) return undefined
    // A provider that says "at once" each time must not be asked without a pause.
    const patienceMs = 1000 * 2 ** (counts.rateLimits - 1)
    return waitMs === undefined ? 2 * patienceMs : Math.max(waitMs, patienceMs / 4)
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
      return rateLimited(message, clock.now() + (failure.waitMs ?? waitInPlaceMs))
    case 'transient':
      // Overloaded for longer than a wait in place is a window too.
      return failure.waitMs !== undefined && failure.waitMs > waitInPlaceMs
        ? rateLimited(message, clock.now() + failure.waitMs)
        : // It was asked often enough here; the next iteration asks again.
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
