/**
 * Checks before the first iteration whether the run can succeed at all. The result is recorded, and `decide`
 * reads it from there. For a resumed run, only its dependencies are made available again.
 */

import { isLoopError, type LoopError, type Preflight, type TreeId } from '../loop/index.ts'
import { abandonable } from './bounded.ts'
import { Interruption } from './interrupter.ts'
import { isInfrastructure, type LiveRun } from './live-run.ts'
import type { RunPreflight } from './ports.ts'

/** The files as they were before the first iteration. */
export interface SeenFiles {
  readonly tree: TreeId
  readonly atMs: number
}

/** Resolves with the files if they were read now, and no process ran since. */
export async function preflight(live: LiveRun): Promise<SeenFiles | undefined> {
  const { ports, recorder, interrupter } = live
  const { baseTree, cancel } = recorder.state
  const port = ports.preflight
  if (port === undefined || cancel !== undefined) return undefined
  const base = baseTree ?? (await ports.workspace?.snapshot())
  if (base === undefined) return undefined
  const atMs = ports.clock.now()
  try {
    const found = await abandonable(tryBase(live, port, base), interrupter)
    if (found === undefined) return undefined
    await recorder.record([{ type: 'preflight-ended', ...found }], { trees: [base] })
    return baseTree === undefined && found.checks.length === 0 ? { tree: base, atMs } : undefined
  } catch (error) {
    // Preflight runs again when the run is resumed.
    if (!(error instanceof Interruption) && !interrupter.draining.aborted) throw error
    return undefined
  }
}

/** Undefined: the run is not new, or is being stopped. */
async function tryBase(
  { recorder, interrupter }: LiveRun,
  port: RunPreflight,
  base: TreeId,
): Promise<Preflight | undefined> {
  const { iteration, open, origin, preflight: known } = recorder.state
  const isNew = iteration === 0 && open === undefined && origin === undefined && known === undefined
  const files = { base, signal: interrupter.draining }
  try {
    if (isNew) recorder.note([{ type: 'preflight-noted' }])
    await port.prepare(files)
    if (!isNew || interrupter.draining.aborted) return undefined
    return await port.tryChecks(files, (check) => {
      recorder.note([{ type: 'preflight-noted', check }])
    })
  } catch (error) {
    if (!isNew || interrupter.draining.aborted || !isPermanent(error)) throw error
    const { code, message } = error
    return { checks: [], fault: { code, message, retryable: false, fatal: true } }
  }
}

const isPermanent = (error: unknown): error is LoopError =>
  isLoopError(error) && !isInfrastructure(error)
