/**
 * What all executors share.
 *
 * 1. A `FaultError` means that nothing happened: the action has failed.
 * 2. Any other error means that the result is unknown: `find` looks it up, otherwise a person decides.
 * 3. The settings of an action are in its `details`. They come from a loop file that a person trusted.
 */

import type { z } from 'zod'
import type { ActionLookup, Actions } from '../../engine/index.ts'
import { type Action, FaultError, type Json, LoopError, type Receipt } from '../../loop/index.ts'

/** By kind. A kind without an executor is only approved. */
export function createActions(
  executors: Readonly<Record<string, Actions>>,
  otherwise: Actions,
): Actions {
  const executorOf = ({ kind }: Action): Actions =>
    (Object.hasOwn(executors, kind) ? executors[kind] : undefined) ?? otherwise
  return {
    perform: (action, key, context) => executorOf(action).perform(action, key, context),
    find: (action, key, context) => executorOf(action).find(action, key, context),
  }
}

export const failed = (message: string, cause?: unknown): FaultError =>
  new FaultError({ code: 'action-failed', message, retryable: false }, { cause })

export const done = (summary: string, details?: Json): Receipt => ({
  status: 'done',
  summary,
  ...(details === undefined ? {} : { details }),
})

export const found = (summary: string, details?: Json): ActionLookup => ({
  type: 'done',
  receipt: done(summary, details),
})

export const notDone: ActionLookup = { type: 'not-done' }
export const unknown: ActionLookup = { type: 'unknown' }

export function readDetails<T>(schema: z.ZodType<T>, { kind, details }: Action): T {
  const { success, data, error } = schema.safeParse(details ?? {})
  if (success) return data
  const [issue] = error.issues
  throw failed(
    `The action ${kind} has invalid settings: ${issue?.path.join('.')} ${issue?.message}`,
  )
}

/** For work that changes nothing if it fails. The run continues: its infrastructure is not at fault. */
export async function definite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FaultError) throw error
    throw failed(error instanceof Error ? error.message : String(error), error)
  }
}

/** For work that may have happened although it failed. */
export async function indefinite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A `LoopError` would suspend the run, as a failure of its workspace does.
    if (error instanceof LoopError) throw new Error(error.message, { cause: error })
    throw error
  }
}

/** The key as an HTML comment, by which `find` recognizes the action. */
export const marker = (key: string): string => `<!-- loopwright-action: ${key} -->`
