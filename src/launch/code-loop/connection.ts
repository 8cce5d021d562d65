/** One process of a loop, with all that is lent to it. When it ends, this is over; there can be another. */

import type { ScannedLoop } from '../../definition/code-loop/scan-code-loop.ts'
import { Interruption } from '../../engine/index.ts'
import {
  FaultError,
  type Findings,
  type Iteration,
  type Json,
  type Signal,
  toJson,
} from '../../loop/index.ts'
import { type Contexts, createContexts, type LentContext } from './contexts.ts'
import { createIterations, type Iterations } from './iterations.ts'
import { type LoopProcessOptions, startLoopProcess } from './loop-process.ts'
import {
  type Described,
  describedSchema,
  parseSent,
  type WentAround,
  wentAroundSchema,
} from './wire.ts'

export interface Connection {
  readonly pid: number | undefined
  load(scanned: ScannedLoop): Promise<Described>
  /** Values of the variables that the loop file names. */
  setEnv(values: Readonly<Record<string, string>>): void
  run(code: string, args: readonly Json[], context?: LentContext): Promise<Json | undefined>
  iterate(it: Iteration, input: unknown, previous: unknown): Promise<WentAround>
  /** The same trip, given what the engine found after it. */
  conclude(findings: Findings): Promise<WentAround>
  close(): Promise<void>
}

export type ConnectionOptions = Omit<LoopProcessOptions, 'serve' | 'hear' | 'attach'>

export function openConnection(options: ConnectionOptions): Connection {
  const abort =
    (what: string) =>
    (number: number, reason: Json): void =>
      child.peer.tell('abort', { what, number, reason })
  const contexts = createContexts(abort('context'))
  const iterations = createIterations(
    {
      step: (code, context) => run(code, [], context),
      branch: (code, sent) => child.peer.call('branch', { code, ...(sent as object) }),
      piece: (code) => run(code, []),
    },
    abort('iteration'),
  )
  const child = startLoopProcess({
    ...options,
    serve: (name, args) => (name === 'op' ? iterations.serve(args) : contexts.serve(name, args)),
    hear: contexts.hear,
    attach: () => factsOf(iterations, contexts),
  })

  function run(
    code: string,
    args: readonly Json[],
    context?: LentContext,
  ): Promise<Json | undefined> {
    if (context === undefined) return child.peer.call('run', { code, args })
    return contexts
      .lend(context, (sent) => child.peer.call('run', { code, args, context: sent }))
      .catch((error: unknown) => {
        throw honest(error, context.signal)
      })
  }

  return {
    pid: child.pid,
    run,
    async load(scanned) {
      const { file, modules } = scanned
      const late = setTimeout(() => void child.kill(neverLoaded), loadMsMax)
      try {
        const loaded = await child.peer.call('load', { file, modules: toJson(modules) })
        child.watch()
        return parseSent(describedSchema, loaded, file)
      } finally {
        clearTimeout(late)
      }
    },
    setEnv: (values) => child.peer.tell('env', { ...values }),
    async iterate(it, input, previous) {
      try {
        const around = await iterations.lend(it, (sent) =>
          child.peer.call('iterate', {
            ...(sent as object),
            // Both are canonical already; absent and undefined are the same here.
            ...(input === undefined ? {} : { input: input as Json }),
            ...(previous === undefined ? {} : { previous: previous as Json }),
          }),
        )
        return parseSent(wentAroundSchema, around, "The loop's answer")
      } catch (error) {
        throw honest(error, it.signal)
      }
    },
    async conclude(findings) {
      const around = await child.peer.call('conclude', toJson(findings))
      return parseSent(wentAroundSchema, around, "The loop's answer")
    },
    close: () => child.kill(closed),
  }
}

/** What the run has left and where it works, as it is when a message is sent. */
function factsOf({ newest: it }: Iterations, { newest: context }: Contexts): Json {
  const { path, tree } = it?.workspace ?? {}
  const remaining = it?.budget.remaining() ?? context?.remaining()
  return {
    ...(remaining === undefined ? {} : { remaining: { ...remaining } }),
    ...(path === undefined || tree === undefined ? {} : { workspace: { path, tree } }),
  }
}

/** Whether a run is interrupted is the engine's to say, not the loop's. */
function honest(error: unknown, signal: Signal): unknown {
  if (!(error instanceof Interruption) || signal.aborted) return error
  const { message } = error
  return new FaultError({ code: 'interrupted', message, retryable: false }, { cause: error })
}

/** Code may wait for something while it is loaded, but not for ever (E9). */
const loadMsMax = 60_000

const neverLoaded = new FaultError({
  code: 'loop-died',
  message: `It was not loaded after ${loadMsMax / 1000} s. What does it await outside its functions?`,
  retryable: false,
})

const closed = new FaultError({
  code: 'loop-died',
  message: "The loop's process was ended, because nobody needs it any more.",
  retryable: false,
})
