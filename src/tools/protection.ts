/**
 * What file tools neither show nor change in the workspace, as walls do for commands.
 *
 * 1. A path counts as it was walked to: without links, from the workspace.
 * 2. What is there counts by what it is as well: another name for it (a hard link, other letters on a
 *    disk that ignores case) does not get round.
 */

import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

/** Files and folders, by whole paths or from the workspace. Those outside of it do not matter. */
export interface ProtectedPaths {
  /** Nothing of these is shown, found or changed. */
  readonly hidden: readonly string[]
  /** Nothing in these is changed. */
  readonly readOnly: readonly string[]
}

/** What file tools must not show, and what they must not change. */
export interface Protection {
  readonly hidden: ProtectedSet
  readonly readOnly: ProtectedSet
}

/** Paths from the workspace, and what is there. */
interface ProtectedSet {
  readonly paths: ReadonlySet<string>
  readonly ids: ReadonlySet<string>
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>

const none: ProtectedSet = { paths: new Set(), ids: new Set() }
export const noProtection: Protection = { hidden: none, readOnly: none }

/** As it is now. */
export async function findProtection(
  workspace: string,
  { hidden, readOnly }: ProtectedPaths,
): Promise<Protection> {
  // Where there is none, the walk says so.
  const root = await realpath(workspace).catch(() => workspace)
  return { hidden: await setOf(root, hidden), readOnly: await setOf(root, readOnly) }
}

async function setOf(root: string, given: readonly string[]): Promise<ProtectedSet> {
  const paths = new Set<string>()
  const ids = new Set<string>()
  for (const path of given) {
    const whole = posix.resolve(root, path)
    // What is not there yet is protected when it comes.
    const real = await realpath(whole).catch(() => whole)
    const inner = posix.relative(root, real)
    if (inner === '..' || inner.startsWith('../')) continue
    paths.add(inner)
    const found = await stat(real, { bigint: true }).catch(() => undefined)
    if (found !== undefined) ids.add(idOf(found))
  }
  return { paths, ids }
}

const idOf = ({ dev, ino }: Identity): string => `${dev}:${ino}`

/** The folders on the way to it were asked for before. */
export function isHidden({ hidden }: Protection, path: string, found?: Identity): boolean {
  return isIn(hidden, path, found)
}

/** Rejects with `hidden`. */
export function requireShown(protection: Protection, path: string, found?: Identity): void {
  if (!isHidden(protection, path, found)) return
  const message = `${shown(path)} is hidden from you: nothing in it can be read or changed. Work without it.`
  throw new ToolError('hidden', message)
}

/** Rejects with `hidden` and `protected`. */
export function requireWritable(protection: Protection, path: string, found?: Identity): void {
  requireShown(protection, path, found)
  if (!isIn(protection.readOnly, path, found)) return
  const message = `${shown(path)} is read-only: nothing in it can be changed. Leave it as it is.`
  throw new ToolError('protected', message)
}

function isIn({ paths, ids }: ProtectedSet, path: string, found: Identity | undefined): boolean {
  if (paths.size === 0) return false
  if (found !== undefined && ids.has(idOf(found))) return true
  for (let part = path; part !== '.'; part = posix.dirname(part)) {
    if (paths.has(part)) return true
  }
  // The workspace itself, in which everything is.
  return paths.has('')
}
