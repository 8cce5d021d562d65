/** Runs a loop to its end in one call. */

import type { DriveEnd } from '../engine/index.ts'
import type { LoopType, RunId } from '../loop/index.ts'
import type { HostOptions, StartOptions } from '../runs/options.ts'
import { openHost } from './open-host.ts'

/** How a run that `runLoop` drove ended, with its id and name. */
export type RunResult = DriveEnd & { readonly run: RunId; readonly name: string }

/** Opens a host, runs the loop to its end, and closes. */
export async function runLoop<I, C, P, R>(
  loop: LoopType<I, C, P, R>,
  options: StartOptions<I> & HostOptions,
): Promise<RunResult> {
  const host = await openHost(options)
  try {
    const handle = await host.start(loop, options)
    return { ...(await handle.done), run: handle.id, name: handle.name }
  } finally {
    await host.close()
  }
}
