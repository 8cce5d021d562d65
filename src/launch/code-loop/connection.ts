/** The connection to one process of a loop, with everything lent to it. It ends with the process. */

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
  type IterationSummary,
  iterationSummarySchema,
  type LoopDescription,
  loopDescriptionSchema,
  parseSent,
} from './wire.ts'

export interface Connection {
  readonly pid: number | undefined
  load(scanned: ScannedLoop): Promise<LoopDescription>
  /** Passes the values of the variables that the loop file names. */
  setEnv(values: Readonly<Record<string, string>>): void
  run(code: string, args: readonly Json[], context?: LentContext): Promise<Json | undefined>
  iterate(it: Iteration, input: unknown, previous: unknown): Promise<IterationSummary>
  /** Concludes the last iteration again, with the findings of the engine. */
  conclude(findings: Findings): Promise<IterationSummary>
  close(): Promise<void>
}

export type ConnectionOptions = Omit<LoopProcessOptions, 'serve' | 'handleNotice' | 'attach'>

export function openConnection(options: ConnectionOptions): Connection {
  const abort =
    (what: string) =>
    (number: number, reason: Json): void =>
      child.peer.notify('abort', { what, number, reason })
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
    handleNotice: contexts.handleNotice,
    attach: () => collectFacts(iterations, contexts),
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
        throw withoutFalseInterruption(error, context.signal)
      })
  }

  return {
    pid: child.pid,
    run,
    async load(scanned) {
      const { file, modules } = scanned
      const late = setTimeout(() => void child.kill(loadTimeoutFault), loadMsMax)
      try {
        const loaded = await child.peer.call('load', { file, modules: toJson(modules) })
        child.watch()
        return parseSent(loopDescriptionSchema, loaded, file)
      } finally {
        clearTimeout(late)
      }
    },
    setEnv: (values) => child.peer.notify('env', { ...values }),
    async iterate(it, input, previous) {
      try {
        const summary = await iterations.lend(it, (sent) =>
          child.peer.call('iterate', {
            ...(sent as object),
            // Both are canonical JSON already; absent and undefined mean the same here.
            ...(input === undefined ? {} : { input: input as Json }),
            ...(previous === undefined ? {} : { previous: previous as Json }),
          }),
        )
        return parseSent(iterationSummarySchema, summary, "The loop's answer")
      } catch (error) {
        throw withoutFalseInterruption(error, it.signal)
      }
    },
    async conclude(findings) {
      const summary = await child.peer.call('conclude', toJson(findings))
      return parseSent(iterationSummarySchema, summary, "The loop's answer")
    },
    close: () => child.kill(closedFault),
  }
}

/** The remaining budget and the workspace at the time of a message. */
function collectFacts({ newest: it }: Iterations, { newest: context }: Contexts): Json {
  const { path, tree } = it?.workspace ?? {}
  const remaining = it?.budget.remaining() ?? context?.remaining()
  return {
    ...(remaining === undefined ? {} : { remaining: toJson(remaining) }),
    ...(path === undefined || tree === undefined ? {} : { workspace: { path, tree } }),
  }
}

/** Only the engine decides whether a run is interrupted: an interruption thrown by the loop is a fault. */
function withoutFalseInterruption(error: unknown, signal: Signal): unknown {
  if (!(error instanceof Interruption) || signal.aborted) return error
  const { message } = error
  return new FaultError({ code: 'interrupted', message, retryable: false }, { cause: error })
}

/** Code may await something while it loads, but not forever (E9). */
const loadMsMax = 60_000

const loadTimeoutFault = new FaultError({
  code: 'loop-died',
  message: `It did not load within ${loadMsMax / 1000} s. Check what it awaits outside its functions.`,
  retryable: false,
})

const closedFault = new FaultError({
  code: 'loop-died',
  message: "The loop's process was stopped because it is no longer needed.",
  retryable: false,
})
