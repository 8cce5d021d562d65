/**
 * Lock files that a dead git left behind. git never removes them, and every later change of what
 * they lock fails.
 *
 * 1. Only locks of what is ours are removed: of the refs that are named. All others are reported.
 * 2. Only if nobody has it open and it is older than git ever holds one.
 */

import { lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** git holds the lock of a ref for milliseconds. */
const heldMsMax = 1500
const lookAgainMs = 50

/** True when it is worth trying again: the lock that was complained about is gone. */
export async function removeStaleLock(
  complaint: string,
  commonDir: string,
  refs: readonly string[],
): Promise<boolean> {
  const path = /Unable to create '([^']+\.lock)': File exists/.exec(complaint)?.[1]
  if (path === undefined) return false
  const lock = resolve(commonDir, path)
  if (!refs.some((ref) => lock === join(commonDir, `${ref}.lock`))) return false
  for (;;) {
    const ageMs = ageOf(lock)
    if (ageMs === undefined) return true
    if (ageMs > heldMsMax) break
    await sleep(lookAgainMs)
  }
  if (isOpen(lock)) return false
  try {
    unlinkSync(lock)
  } catch {
    // Somebody was faster.
  }
  return true
}

function ageOf(path: string): number | undefined {
  try {
    const ageMs = Date.now() - lstatSync(path).mtimeMs
    // One from the future is of no use as an age, and is no lock that git holds now.
    return ageMs < 0 ? heldMsMax + 1 : ageMs
  } catch {
    return undefined
  }
}

/** Where that can be seen: on Linux, for processes of the same user. */
function isOpen(path: string): boolean {
  if (process.platform !== 'linux') return false
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.some((pid) => namesIn(`/proc/${pid}/fd`).some((fd) => targetOf(fd) === path))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
