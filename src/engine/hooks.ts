/**
 * Calls hooks. The run waits for blocking hooks, which may refuse; observing hooks run concurrently, a
 * limited number at a time, and their errors do not affect the run.
 */

import { FaultError, type RunId, type RunState, textOf } from '../loop/index.ts'
import { runBounded } from './bounded.ts'
import type { Hook, HookContext, HookPoint } from './hook.ts'
import { type Interrupter, Interruption } from './interrupter.ts'
import type { Clock } from './ports.ts'

export interface HookRunner {
  /** Undefined if there are no hooks, so that callers need not wait. */
  tell(
    point: HookPoint,
    about?: Omit<HookContext, 'point' | 'run' | 'state'>,
  ): Promise<void> | undefined
  /** Reports that observers threw or fell behind. */
  readonly problems: readonly string[]
}

/** How long a blocking hook may delay a run (E9). */
const blockingMsMax = 60_000
const observersMax = 1000
const problemsMax = 100

export function createHookRunner(
  hooks: readonly Hook[],
  run: RunId,
  state: () => RunState,
  interrupter: Interrupter,
  clock: Clock,
): HookRunner {
  const problems: string[] = []
  let observing = 0

  function report(problem: string): void {
    if (problems.length < problemsMax) problems.push(problem)
  }

  function observe(hook: Hook, context: HookContext): void {
    // A stuck observer misses what comes next; the run continues.
    if (observing >= observersMax) return report(`hook "${hook.name}" fell behind`)
    observing++
    void Promise.resolve()
      .then(() => hook.run(context))
      .catch((error: unknown) => report(`hook "${hook.name}": ${textOf(error)}`))
      .finally(() => observing--)
  }

  async function block(blocking: readonly Hook[], context: HookContext): Promise<void> {
    for (const hook of blocking) {
      try {
        await runBounded(() => hook.run(context), blockingMsMax, interrupter, clock)
      } catch (cause) {
        const message = textOf(cause)
        // What already happened cannot be refused.
        if (context.point.startsWith('after-')) {
          report(`hook "${hook.name}": ${message}`)
          continue
        }
        if (cause instanceof Interruption) throw cause
        const fault = {
          code: 'refused',
          message: `hook "${hook.name}": ${message}`,
          retryable: false,
          ...(cause instanceof FaultError && cause.fault.fatal === true ? { fatal: true } : {}),
        }
        throw new FaultError(fault, { cause })
      }
    }
  }

  return {
    problems,
    tell(point, about) {
      if (hooks.length === 0) return undefined
      const told = hooks.filter((hook) => hook.points.includes(point))
      if (told.length === 0) return undefined
      const context: HookContext = { point, run, state: state(), ...about }
      for (const hook of told) if (hook.blocking !== true) observe(hook, context)
      const blocking = told.filter((hook) => hook.blocking === true)
      return blocking.length === 0 ? undefined : block(blocking, context)
    },
  }
}
