/** How an iteration over there is asked, and how it finds the code that stayed here. */

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

/** As they were when the last message came. */
export interface Facts {
  readonly remaining?: Remaining
  readonly workspace?: { readonly path: string; readonly tree: TreeId }
}

/** Functions of steps, branches and streams, for as long as they may be called. */
export interface LocalCode {
  readonly codes: Map<string, (args: readonly Json[], given: never) => unknown>
  /** The step whose code is at work, wherever it waits. */
  readonly stepUnderWay: AsyncLocalStorage<string>
  facts(): Facts
}

export interface Asking {
  ask<T>(op: Op): Promise<T>
  /** Keeps functions callable while what they are for is under way. */
  withCode<T>(
    kind: string,
    codes: (code: string) => readonly (readonly [string, (...given: never[]) => unknown])[],
    work: (code: string) => Promise<T>,
  ): Promise<T>
  /** Resolves when all that was asked for has been answered; undefined: it has. */
  idle(): Promise<unknown> | undefined
}

let codeCount = 0

export function createAsking(peer: Peer, iteration: number, local: LocalCode): Asking {
  const underWay = new Set<Promise<unknown>>()

  function ask<T>(op: Op): Promise<T> {
    const step = local.stepUnderWay.getStore()
    // A look at the files is no step.
    if (step !== undefined && op.type !== 'changed-since') return Promise.reject(nested(step, op))
    const asked = peer
      .call('op', { it: iteration, op: op as unknown as Json })
      .then((value) => (value === undefined ? undefined : adoptJson(value)) as T)
    underWay.add(asked)
    asked.then(
      () => underWay.delete(asked),
      () => underWay.delete(asked),
    )
    return asked
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
    idle: () => (underWay.size === 0 ? undefined : Promise.allSettled(underWay)),
  }
}

/** The inner one would be lost on a resume, and with files both would wait for each other. */
const nested = (outer: string, op: Op): LoopError =>
  new LoopError(
    'nested-step',
    `The code of step "${outer}" asks for ${'name' in op ? `"${op.name}"` : `a ${op.type}`}. Steps ` +
      'are not nested: ask for both from the iteration, one after the other, and hand results on.',
  )
