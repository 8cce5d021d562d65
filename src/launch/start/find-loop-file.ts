/** The loop file of a run that is on record. */

import { existsSync } from 'node:fs'
import { LoopError, type RunState } from '../../loop/index.ts'

export interface RecordedRun {
  readonly run: { readonly name: string }
  readonly state: Pick<RunState, 'source'>
}

/** Rejects with `not-configured` where there is none, or where it is no longer there. */
export function findLoopFile({ run, state }: RecordedRun, given?: string): string {
  const { name } = run
  const file = given ?? state.source?.file
  if (file === undefined) {
    throw new LoopError(
      'not-configured',
      `Run "${name}" was started by a program, not from a loop file: resume it there, or name a loop file with --file.`,
    )
  }
  if (given !== undefined || existsSync(file)) return file
  throw new LoopError(
    'not-configured',
    `The loop file of run "${name}" is gone: ${file}. Restore it, or name it with --file, then: loopctl resume ${name}`,
  )
}
