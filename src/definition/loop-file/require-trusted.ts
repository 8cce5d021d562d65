/** Nothing in a loop file runs before the user has trusted its content once. */

import { LoopError } from '../../loop/index.ts'
import { oneLine } from './loop-file-error.ts'
import type { Trust } from './trust.ts'

export interface ToTrust {
  readonly path: string
  readonly digest: string
  /** What it may do, one line each: `describePowers`. */
  readonly powers: readonly string[]
}

/** Rejects with `not-trusted`; the message lists what the file may do. */
export async function requireTrusted(
  trust: Trust,
  { path, digest, powers }: ToTrust,
): Promise<void> {
  if (await trust.isTrusted({ digest, file: path })) return
  const damage = await trust.damage()
  throw new LoopError(
    'not-trusted',
    [
      `${oneLine(path)} is not trusted yet, or has changed since. ` +
        `Read it, then allow it: loopctl trust ${shellWord(path)}`,
      ...(damage === undefined ? [] : [damage]),
      'It:',
      ...powers.map((power) => `- ${power}`),
    ].join('\n'),
    { details: { preview: { file: path, digest, powers } } },
  )
}

const shellWord = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${oneLine(path).replaceAll("'", "'\\''")}'`
