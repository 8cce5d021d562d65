/**
 * The difference between two canonical values, so that storing a long history costs only what was
 * added to it.
 *
 * P1. `applyPatch(previous, diff(previous, next))` equals `next`.
 * P2. The cost of `diff` depends on the number of members, not on their size: shared parts of
 *     canonical values are compared by identity.
 */

import type { Json } from './json.ts'

export type Patch =
  | { readonly keep: true }
  | { readonly set: Json }
  /** An array that lost `drop` items at the front and gained some at the end. */
  | { readonly push: readonly Json[]; readonly drop?: number }
  | { readonly at: { readonly [key: string]: Patch }; readonly del?: readonly string[] }

type JsonRecord = { readonly [key: string]: Json }

const isRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

export function diff(previous: Json | undefined, next: Json): Patch {
  if (previous === next) return { keep: true }
  if (isArray(previous) && isArray(next)) return diffArray(previous, next)
  if (isRecord(previous) && isRecord(next)) return diffRecord(previous, next)
  return { set: next }
}

export function applyPatch(previous: Json | undefined, patch: Patch): Json {
  if ('set' in patch) return patch.set
  if (previous === undefined) throw new Error('a patch needs a value to apply to')
  if ('keep' in patch) return previous
  if ('push' in patch) {
    if (!isArray(previous)) throw new Error('a push patch needs an array')
    return [...previous.slice(patch.drop ?? 0), ...patch.push]
  }
  if (!isRecord(previous)) throw new Error('an at patch needs an object')
  const gone = new Set(patch.del)
  const kept = Object.entries(previous).filter(([key]) => !gone.has(key))
  const changed = Object.entries(patch.at).map(([key, part]): [string, Json] => [
    key,
    applyPatch(Object.hasOwn(previous, key) ? previous[key] : undefined, part),
  ])
  return Object.fromEntries([...kept, ...changed])
}

/** The same, but changes the value instead of copying it: only the caller may reference it. */
export function applyPatchInPlace(previous: Json | undefined, patch: Patch): Json {
  if ('set' in patch) return patch.set
  if (previous === undefined) throw new Error('a patch needs a value to apply to')
  if ('keep' in patch) return previous
  if ('push' in patch) {
    if (!isArray(previous)) throw new Error('a push patch needs an array')
    const items = previous as Json[]
    if (patch.drop !== undefined) items.splice(0, patch.drop)
    for (const item of patch.push) items.push(item)
    return items
  }
  if (!isRecord(previous)) throw new Error('an at patch needs an object')
  const record = previous as Record<string, Json>
  for (const key of patch.del ?? []) delete record[key]
  for (const [key, part] of Object.entries(patch.at)) {
    const value = applyPatchInPlace(Object.hasOwn(record, key) ? record[key] : undefined, part)
    Object.defineProperty(record, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return record
}

/** Whether the patch changes nothing. */
export const isUnchanged = (patch: Patch): boolean => 'keep' in patch

function diffArray(previous: readonly Json[], next: readonly Json[]): Patch {
  const first = next[0]
  const drop = previous.length === 0 || first === undefined ? -1 : previous.indexOf(first)
  if (drop < 0) return previous.length === 0 && next.length === 0 ? { keep: true } : { set: next }
  const shared = previous.length - drop
  if (shared > next.length) return { set: next }
  for (let index = 0; index < shared; index++) {
    if (previous[drop + index] !== next[index]) return { set: next }
  }
  const push = next.slice(shared)
  if (drop === 0) return push.length === 0 ? { keep: true } : { push }
  return { push, drop }
}

function diffRecord(previous: JsonRecord, next: JsonRecord): Patch {
  const at: [string, Patch][] = []
  for (const [key, item] of Object.entries(next)) {
    const part = diff(Object.hasOwn(previous, key) ? previous[key] : undefined, item)
    if (!isUnchanged(part)) at.push([key, part])
  }
  const del = Object.keys(previous).filter((key) => !Object.hasOwn(next, key))
  if (at.length === 0 && del.length === 0) return { keep: true }
  return del.length === 0 ? { at: Object.fromEntries(at) } : { at: Object.fromEntries(at), del }
}
