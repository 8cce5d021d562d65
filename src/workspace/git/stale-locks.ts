/**
 * Removes lock files that a killed git left behind. git never removes them, and every later change of the locked
 * ref fails.
 *
 * 1. Only locks of the given refs, which are ours, are removed. All others are reported.
 * 2. Only if no process has the lock open and it is older than git ever holds one.
 */

import { lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** git holds the lock of a ref for milliseconds. */
const heldMsMax = 1500
const pollMs = 50

/** True if the lock in the error message no longer exists, so that a retry makes sense. */
export async function removeStaleLock(
  errorText: string,
  commonDir: string,
  refs: readonly string[],
): Promise<boolean> {
  const path = /Unable to create '([^']+\.lock)': File exists/.exec(errorText)?.[1]
  if (path === undefined) return false
  const lock = resolve(commonDir, path)
  if (!refs.some((ref) => lock === join(commonDir, `${ref}.lock`))) return false
  for (;;) {
    const ageMs = readAge(lock)
    if (ageMs === undefined) return true
    if (ageMs > heldMsMax) break
    await sleep(pollMs)
  }
  if (isOpen(lock)) return false
  try {
    unlinkSync(lock)
  } catch {
    // Another process removed it first.
  }
  return true
}

function readAge(path: string): number | undefined {
  try {
    const ageMs = Date.now() - lstatSync(path).mtimeMs
    // A time in the future cannot be an age, and git does not hold that lock now.
    return ageMs < 0 ? heldMsMax + 1 : ageMs
  } catch {
    return undefined
  }
}

/** Detectable only on Linux, for processes of the same user. */
function isOpen(path: string): boolean {
  if (process.platform !== 'linux') return false
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.some((pid) => listPaths(`/proc/${pid}/fd`).some((fd) => tryReadlink(fd) === path))
}

function listPaths(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function tryReadlink(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
