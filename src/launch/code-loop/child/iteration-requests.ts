/** Sends the requests of an iteration to our process, and keeps the code that it calls back. */

import type { AsyncLocalStorage } from 'node:async_hooks'
import {
  adoptJson,
  type Json,
  LoopError,
  type Remaining,
  type TreeId,
} from '../../../loop/index.ts'
import type { Peer } from '../peer.ts'
import type { Op } from '../wire.ts'

export interface SentIteration {
  readonly it: number
  readonly number: number
  readonly aborted?: Json
}

/** Facts of the last message. */
export interface Facts {
  readonly remaining?: Remaining
  readonly workspace?: { readonly path: string; readonly tree: TreeId }
}

/** The functions of steps, branches and streams, while they may be called. */
export interface LocalCode {
  readonly codes: Map<string, (args: readonly Json[], given: never) => unknown>
  /** The step whose code is running, across awaits. */
  readonly currentStep: AsyncLocalStorage<string>
  facts(): Facts
}

export interface IterationRequests {
  ask<T>(op: Op): Promise<T>
  /** Registers functions while `work` runs. */
  withCode<T>(
    kind: string,
    codes: (code: string) => readonly (readonly [string, (...given: never[]) => unknown])[],
    work: (code: string) => Promise<T>,
  ): Promise<T>
  /** Resolves when no request is pending; undefined: none is. */
  idle(): Promise<unknown> | undefined
}

let codeCount = 0

export function createIterationRequests(
  peer: Peer,
  iteration: number,
  local: LocalCode,
): IterationRequests {
  const pending = new Set<Promise<unknown>>()

  function ask<T>(op: Op): Promise<T> {
    const step = local.currentStep.getStore()
    // Using the files, or at what people said, is not a step.
    if (step !== undefined && op.type !== 'workspace' && op.type !== 'guidance')
      return Promise.reject(createNestedStepError(step, op))
    const request = peer
      .call('op', { it: iteration, op: op as unknown as Json })
      .then((value) => (value === undefined ? undefined : adoptJson(value)) as T)
    pending.add(request)
    request.then(
      () => pending.delete(request),
      () => pending.delete(request),
    )
    return request
  }

  async function withCode<T>(
    kind: string,
    codes: (code: string) => readonly (readonly [string, (...given: never[]) => unknown])[],
    work: (code: string) => Promise<T>,
  ): Promise<T> {
    const code = `${kind}:${++codeCount}`
    const added = codes(code)
    for (const [name, run] of added) local.codes.set(name, (_args, given) => run(given))
    try {
      return await work(code)
    } finally {
      for (const [name] of added) local.codes.delete(name)
    }
  }

  return {
    ask,
    withCode,
    idle: () => (pending.size === 0 ? undefined : Promise.allSettled(pending)),
  }
}

/** The inner step would be lost on a resume, and with files both would wait for each other. */
const createNestedStepError = (outer: string, op: Op): LoopError =>
  new LoopError(
    'nested-step',
    `The code of step "${outer}" starts ${'name' in op ? `"${op.name}"` : `a ${op.type}`}. Steps ` +
      'cannot be nested: start both from the iteration, one after the other, and pass results on.',
  )
