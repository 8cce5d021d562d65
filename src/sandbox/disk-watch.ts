/**
 * Notices when the files of a workspace grow by more than they may. There is no quota to be had, so it
 * looks: first at the free space of the disk, which costs nothing; only when that fell by the limit, at
 * the files that were changed since. What is written and removed again within a look is not seen.
 */

import type { Stats } from 'node:fs'
import { lstat, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DiskWatch {
  /** Resolves when it grew too much; never, if it does not. */
  readonly exceeded: Promise<'disk'>
  close(): void
}

const lookMs = 200
/** A tree with more files than this is not looked through; it has grown too much. */
const filesMax = 1_000_000

export function watchDisk(folder: string, bytesMax: number): DiskWatch {
  const stop = new AbortController()
  const startedAtMs = Date.now()
  const exceeded = new Promise<'disk'>((resolve) => {
    void look(folder, bytesMax, startedAtMs, stop.signal).then((isTooMuch) => {
      if (isTooMuch) resolve('disk')
    })
  })
  return { exceeded, close: () => stop.abort() }
}

/** True when it is too much, false when nobody wants to know any more. */
async function look(
  folder: string,
  bytesMax: number,
  startedAtMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const before = await freeBytes(folder)
  while (!signal.aborted) {
    await sleep(lookMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return false
    const now = await freeBytes(folder)
    if (before === undefined || now === undefined || before - now <= bytesMax) continue
    if ((await changedBytes(folder, startedAtMs, bytesMax, signal)) > bytesMax) return true
  }
  return false
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bfree, bsize } = await statfs(folder)
    return bfree * bsize
  } catch {
    return undefined
  }
}

/** What files that were changed since then take up; no further than to the limit. */
async function changedBytes(
  folder: string,
  sinceMs: number,
  bytesMax: number,
  signal: AbortSignal,
): Promise<number> {
  const folders = [folder]
  let bytes = 0
  let files = 0
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => [])
    files += entries.length
    if (files > filesMax) return Number.POSITIVE_INFINITY
    for (const entry of entries) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else bytes += changedSize(await lstat(path).catch(() => undefined), sinceMs)
    }
    if (bytes > bytesMax || signal.aborted) return bytes
  }
  return bytes
}

function changedSize(stat: Stats | undefined, sinceMs: number): number {
  if (stat === undefined || stat.ctimeMs < sinceMs - 1000) return 0
  return stat.blocks * 512
}
