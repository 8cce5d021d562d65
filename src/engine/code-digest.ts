/**
 * Detects whether a loop's code changed since a run was started. Covers the functions of the type and
 * its conditions; code that they call is covered only through the type's `version`.
 */

import { createHash } from 'node:crypto'
import type { AnyLoopType } from './ports.ts'

export function codeDigest(loop: AnyLoopType): string {
  const hash = createHash('sha256')
  const parts = [
    loop.name,
    loop.version ?? '',
    String(loop.createContext),
    String(loop.iterate),
    String(loop.extractProgress),
    JSON.stringify(loop.until ?? [], (_key, value: unknown) =>
      typeof value === 'function' ? String(value) : value,
    ),
  ]
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}
