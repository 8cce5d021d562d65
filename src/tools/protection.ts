/**
 * What file tools neither show nor change in the workspace, as the sandbox does for commands.
 *
 * 1. Paths are compared after resolution: without links, relative to the workspace.
 * 2. Files are also compared by identity: another name (a hard link, or other case on a disk that
 *   ignores case) does not bypass the protection.
 */

import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

/** Files and folders, absolute or relative to the workspace. Those outside of it are ignored. */
export interface ProtectedPaths {
  /** Nothing in these is shown, found or changed. */
  readonly hidden: readonly string[]
  /** Nothing in these is changed. */
  readonly readOnly: readonly string[]
}

/** What file tools must not show, and what they must not change. */
export interface Protection {
  readonly hidden: ProtectedSet
  readonly readOnly: ProtectedSet
}

/** Paths relative to the workspace, and the identities of the files there. */
interface ProtectedSet {
  readonly paths: ReadonlySet<string>
  readonly ids: ReadonlySet<string>
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>

const none: ProtectedSet = { paths: new Set(), ids: new Set() }
export const noProtection: Protection = { hidden: none, readOnly: none }

/** Resolves the paths as they are now. */
export async function findProtection(
  workspace: string,
  { hidden, readOnly }: ProtectedPaths,
): Promise<Protection> {
  // If the workspace is missing, the walk reports it.
  const root = await realpath(workspace).catch(() => workspace)
  return { hidden: await resolveSet(root, hidden), readOnly: await resolveSet(root, readOnly) }
}

async function resolveSet(root: string, configured: readonly string[]): Promise<ProtectedSet> {
  const paths = new Set<string>()
  const ids = new Set<string>()
  for (const path of configured) {
    const absolutePath = posix.resolve(root, path)
    // A path that does not exist yet is protected once it does.
    const real = await realpath(absolutePath).catch(() => absolutePath)
    const relativePath = posix.relative(root, real)
    if (relativePath === '..' || relativePath.startsWith('../')) continue
    paths.add(relativePath)
    const found = await stat(real, { bigint: true }).catch(() => undefined)
    if (found !== undefined) ids.add(toId(found))
  }
  return { paths, ids }
}

const toId = ({ dev, ino }: Identity): string => `${dev}:${ino}`

/** The folders on the way to it must have been checked before. */
export function isHidden({ hidden }: Protection, path: string, found?: Identity): boolean {
  return contains(hidden, path, found)
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
  if (!contains(protection.readOnly, path, found)) return
  const message = `${shown(path)} is read-only: nothing in it can be changed. Leave it as it is.`
  throw new ToolError('protected', message)
}

function contains(
  { paths, ids }: ProtectedSet,
  path: string,
  found: Identity | undefined,
): boolean {
  if (paths.size === 0) return false
  if (found !== undefined && ids.has(toId(found))) return true
  for (let part = path; part !== '.'; part = posix.dirname(part)) {
    if (paths.has(part)) return true
  }
  // The workspace itself, which contains everything.
  return paths.has('')
}
