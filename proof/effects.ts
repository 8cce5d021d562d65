/**
 * What really happened, written down outside the record by those who did it. It is on disk before
 * the next thing happens, so after a kill it says how far the process had come.
 */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

export type Effect =
  /** The run's creation was acknowledged. */
  | { readonly type: 'accepted' }
  /** The code of a step begins; `tree` is what it finds in the workspace. */
  | ({ readonly type: 'began'; readonly attempt: number; readonly tree?: string } & Place)
  /** A step handed its result to the loop. */
  | ({ readonly type: 'resolved'; readonly hash: string } & Place)
  /** Something was spent after a reservation was acknowledged. */
  | ({ readonly type: 'called'; readonly attempt: number } & Place)
  | { readonly type: 'killed'; readonly at: string }

export interface Place {
  readonly iteration: number
  readonly step: string
}

export interface Effects {
  write(effect: Effect): void
  close(): void
}

export function openEffects(path: string): Effects {
  const file = openSync(path, 'a')
  return {
    write(effect) {
      writeSync(file, `${JSON.stringify(effect)}\n`)
      fsyncSync(file)
    },
    close: () => closeSync(file),
  }
}

export function readEffects(path: string): readonly Effect[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): Effect => JSON.parse(line))
}

export const placeKey = ({ iteration, step }: Place): string => `${iteration}/${step}`

/** Equal for values that a journal cannot tell apart. */
export const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? 'undefined')
    .digest('hex')
