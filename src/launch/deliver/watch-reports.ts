/** Delivers the reports of a run while this process drives it. What is left is delivered by a daemon. */

import { isLoopError, type RunId, textOf } from '../../loop/index.ts'
import type { DeliverySink } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import type { LaunchHost } from '../launch-host.ts'
import { deliverReports } from './deliver-reports.ts'
import { writeSinks } from './delivery-facts.ts'

export interface WatchReportsOptions {
  readonly sinks: readonly DeliverySink[]
  readonly environment: Environment
  readonly print: (text: string) => void
  readonly onProblem: (problem: string) => void
}

export interface WatchedReports {
  /** The run is over: resolves once each report was tried at least once. */
  settle(): Promise<void>
}

const soonMs = 100

/** Stores where the reports go first, so that they arrive even if this process is killed. */
export async function watchReports(
  host: LaunchHost,
  run: RunId,
  { sinks, environment, print, onProblem }: WatchReportsOptions,
): Promise<WatchedReports | undefined> {
  if (sinks.length === 0) return undefined
  const { journal } = host
  await writeSinks(journal, run, sinks, Date.now())
  const stop = new AbortController()
  const parts = {
    ...host,
    environment,
    operator: process.env,
    print,
    now: Date.now,
    signal: stop.signal,
    onFailed: ({ error = '' }: { readonly error?: string }, { type }: DeliverySink) =>
      onProblem(`The report was not delivered (${type}): ${error}`),
  }
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  const work = async (): Promise<void> => {
    try {
      const nextAtMs = await deliverReports(parts, run)
      if (nextAtMs !== undefined) wakeIn(Math.max(soonMs, nextAtMs - Date.now()))
    } catch (error) {
      // The run was removed, or this process ends.
      if (stop.signal.aborted || isLoopError(error, 'unknown-run')) return
      onProblem(`The report could not be delivered: ${textOf(error)}`)
    }
  }
  const wakeIn = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      working = working.then(work)
    }, ms)
    timer.unref()
  }
  const unwatch = journal.watch('events', () => wakeIn(soonMs))
  return {
    async settle() {
      unwatch()
      clearTimeout(timer)
      working = working.then(work)
      await working
      clearTimeout(timer)
      stop.abort()
    },
  }
}
