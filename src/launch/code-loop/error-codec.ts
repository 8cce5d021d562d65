/**
 * Encodes errors that cross between a loop's process and ours. Preserves the kinds that the engine
 * distinguishes: faults, rejections, interruptions, values that cannot be stored, and bugs with their stack.
 */

import { z } from 'zod'
import { Interruption } from '../../engine/index.ts'
import {
  defined,
  type ErrorCode,
  errorTable,
  FaultError,
  type Json,
  LoopError,
  NotJsonError,
  spendingLimitNames,
  textOf,
} from '../../loop/index.ts'

const messageCharsMax = 4000
const stackCharsMax = 8000

/** A prefix of error messages from the thread that loads modules, which can pass on only text. */
export const notTrustedMark = 'loopwright-not-trusted: '

const fault = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  fatal: z.boolean().optional(),
  retryAtMs: z.number().optional(),
  limit: z.enum(spendingLimitNames).optional(),
  agent: z.string().optional(),
})

const encodedError = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fault'), fault }),
  z.object({ kind: z.literal('rejection'), code: z.string(), message: z.string() }),
  z.object({ kind: z.literal('interruption'), reason: z.string() }),
  z.object({ kind: z.literal('not-json'), path: z.string(), what: z.string() }),
  z.object({
    kind: z.literal('error'),
    name: z.string(),
    message: z.string(),
    stack: z.string().optional(),
    code: z.string().optional(),
    /** The number of the original object, which the loop's process keeps and gets back. */
    kept: z.number().optional(),
  }),
])

const numbers = new WeakMap<object, number>()

/** `keep` may store an error that cannot be encoded completely, and returns its number. */
export function encodeError(error: unknown, keep?: (error: unknown) => number): Json {
  if (error instanceof FaultError) return { kind: 'fault', fault: { ...error.fault } }
  if (error instanceof Interruption) return { kind: 'interruption', reason: error.reason }
  if (error instanceof LoopError) return rejection(error.code, error.message)
  if (error instanceof NotJsonError) {
    const what = error.message.slice(`${error.path} cannot be stored: `.length)
    return { kind: 'not-json', path: shorten(error.path), what: shorten(what) }
  }
  const message = textOf(error)
  const at = message.indexOf(notTrustedMark)
  if (at >= 0) return rejection('not-trusted', message.slice(at + notTrustedMark.length))
  const known = error instanceof Error ? error : undefined
  const code = known !== undefined && 'code' in known ? known.code : undefined
  const kept = known === undefined ? keep?.(error) : (numbers.get(known) ?? keep?.(error))
  return {
    kind: 'error',
    name: shorten(known?.name ?? 'Error'),
    message: shorten(message),
    ...(typeof known?.stack === 'string' ? { stack: known.stack.slice(0, stackCharsMax) } : {}),
    ...(typeof code === 'string' ? { code: shorten(code) } : {}),
    ...defined({ kept }),
  }
}

/** Never throws: something that is not an encoded error becomes an error that says so. */
export function decodeError(sent: unknown, find?: (kept: number) => unknown): unknown {
  const { success, data } = encodedError.safeParse(sent)
  if (!success) return new Error('received an error that cannot be decoded')
  switch (data.kind) {
    case 'fault': {
      const { fatal, retryAtMs, limit, agent, ...rest } = data.fault
      return new FaultError({
        ...rest,
        ...defined({ fatal, retryAtMs, limit, agent }),
      })
    }
    case 'rejection':
      return isErrorCode(data.code)
        ? new LoopError(data.code, shorten(data.message))
        : new Error(shorten(data.message))
    case 'interruption':
      return new Interruption(shorten(data.reason))
    case 'not-json':
      return new NotJsonError(shorten(data.path), shorten(data.what))
    case 'error':
      return (data.kept === undefined ? undefined : find?.(data.kept)) ?? revive(data)
  }
}

function revive(data: Extract<z.infer<typeof encodedError>, { kind: 'error' }>): Error {
  const { name, message, stack, code, kept } = data
  const error = new Error(shorten(message))
  Object.defineProperty(error, 'name', { value: shorten(name), configurable: true })
  error.stack = (stack ?? `${name}: ${message}`).slice(0, stackCharsMax)
  if (code !== undefined) Object.assign(error, { code: shorten(code) })
  if (kept !== undefined) numbers.set(error, kept)
  return error
}

const rejection = (code: ErrorCode, message: string): Json => ({
  kind: 'rejection',
  code,
  message: shorten(message),
})

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

/** Code can give an error a name of any type and length. */
const shorten = (text: unknown): string => String(text).slice(0, messageCharsMax)
