/**
 * Detects whether a loop's code changed since a run was started. Covers the type's conditions and its
 * functions: their source text, or their revision where the type has one. Code that they call is
 * covered only through the type's `version`.
 */

import { createHash } from 'node:crypto'
import type { Source } from '../loop/index.ts'
import type { AnyLoopType } from './ports.ts'

export function codeDigest(loop: AnyLoopType): string {
  const hash = createHash('sha256')
  const parts = [
    loop.name,
    loop.version ?? '',
    ...functionsOf(loop),
    JSON.stringify(loop.until ?? [], (_key, value: unknown) =>
      typeof value === 'function' ? String(value) : value,
    ),
  ]
  for (const part of parts) hash.update(part).update('\0')
  return `${revisionPrefix(loop)}${hash.digest('hex')}`
}

/** Whether an iteration that began with the code of this digest can continue with this loop. */
export function continuesCode(
  loop: AnyLoopType,
  recorded: string,
  source: Source | undefined,
): boolean {
  if (recorded === codeDigest(loop)) return true
  // Versions without revisions recorded a digest of the source text of the first revision.
  const isFirst = loop.revision === 1 && !recorded.includes(':')
  return isFirst && source !== undefined && loop.version === versionOf(source)
}

/** The version of a loop that was loaded from a file: its digest, and what overrides its values. */
export function versionOf({ digest, changes = {} }: Pick<Source, 'digest' | 'changes'>): string {
  if (Object.keys(changes).length === 0) return digest
  return createHash('sha256')
    .update(`${digest}\0${JSON.stringify(changes)}`)
    .digest('hex')
}

const functionsOf = (loop: AnyLoopType): readonly string[] =>
  loop.revision === undefined
    ? [String(loop.createContext), String(loop.iterate), String(loop.extractProgress)]
    : []

const revisionPrefix = ({ revision }: AnyLoopType): string =>
  revision === undefined ? '' : `${revision}:`
