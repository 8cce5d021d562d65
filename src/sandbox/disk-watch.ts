/**
 * Notices when the files that a command changes exceed the disk limit. Quotas are not available, so this polls:
 * first the free space on the disk and the bytes the command has written, which is cheap, and more often the
 * closer they are to the limit; only at the limit does it scan the files that were changed since, and those
 * that were deleted but are still open. Data that is written and deleted between two scans is not noticed.
 *
 * A sparse file counts with its full length, because copying it takes that much space. Sparse files take no
 * space on the disk, so polling does not notice them; when the command has ended, all files are scanned.
 *
 * The command may try to hinder the scan: nothing is opened, no symlink is followed, and a folder that was
 * made unreadable meanwhile counts as exceeding the limit.
 */

import { lstatSync, type Stats } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DiskWatch {
  /** Resolves when the limit is exceeded; otherwise never. */
  readonly exceeded: Promise<'disk'>
  /** After the command ended: whether the lengths of the files exceed the limit. False if the scan times out. */
  isTooMuch(): Promise<boolean>
  close(): void
}

export interface DiskLimits {
  readonly bytesMax: number
  /** New files; default: a million. */
  readonly filesMax?: number
  /** Bytes the command has written so far. Without it, space that other processes free would hide growth. */
  readonly writtenBytes?: () => number
  /** The space of deleted files that are still open. */
  readonly removedBytes?: () => Promise<number>
}

const defaultFilesMax = 1_000_000
const pollMsMax = 200
const pollMsMin = 2
/** Faster than disks are, so that the next poll comes before the limit is reached. */
const bytesPerMs = 4 * 1024 ** 2
const filesPerMs = 1000
/** Tolerance for clocks that differ. */
const graceMs = 1000
/** The clock of file timestamps advances in steps of ten milliseconds at most. */
const clockStepMs = 20
/** For the scan after the end, which starts with recently changed folders. */
const finalScanMs = 2000
/** Files to stat before yielding to the event loop: about a millisecond. */
const filesPerTurn = 200

export function watchDisk(folder: string, limits: DiskLimits): DiskWatch {
  const stop = new AbortController()
  const startTime = startClock()
  const exceeded = new Promise<'disk'>((resolve) => {
    void poll(folder, limits, startTime, stop.signal).then((isTooMuch) => {
      if (isTooMuch) resolve('disk')
    })
  })
  return {
    exceeded,
    async isTooMuch() {
      const { bytesMax, filesMax = defaultFilesMax } = limits
      const timeout = AbortSignal.timeout(finalScanMs)
      // Without a grace period: files created just before the start, such as the workspace, do not count.
      const since = startTime() - clockStepMs
      const { bytes, files } = await measureGrowth(folder, { bytesMax, filesMax }, since, timeout)
      return bytes > bytesMax || files > filesMax
    },
    close: () => stop.abort(),
  }
}

/** True if the limit was exceeded, false if the watch was closed. */
async function poll(
  folder: string,
  limits: DiskLimits,
  startTime: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  const { bytesMax, filesMax = defaultFilesMax } = limits
  let before = await readFreeSpace(folder)
  let writtenBefore = 0
  for (let waitMs = pollMsMin; before !== undefined; ) {
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return false
    const now = await readFreeSpace(folder)
    if (now === undefined) continue
    const written = (limits.writtenBytes?.() ?? 0) - writtenBefore
    const bytesLeft = bytesMax - Math.max(before.bytes - now.bytes, written)
    const filesLeft = filesMax - (before.files - now.files)
    waitMs = clamp(pollMsMin, Math.min(bytesLeft / bytesPerMs, filesLeft / filesPerMs), pollMsMax)
    if (bytesLeft >= 0 && filesLeft >= 0) continue
    const since = startTime() - graceMs
    const grown = await measureGrowth(folder, { bytesMax, filesMax }, since, signal)
    const removed = grown.bytes > bytesMax ? 0 : ((await limits.removedBytes?.()) ?? 0)
    if (grown.bytes + removed > bytesMax || grown.files > filesMax) return true
    // Other processes wrote the rest: count from here.
    before = { bytes: now.bytes + grown.bytes + removed, files: now.files + grown.files }
    writtenBefore += written - grown.bytes - removed
  }
  return false
}

const clamp = (min: number, value: number, max: number): number =>
  Math.max(min, Math.min(value, max))

/** The start time by the clock of file timestamps, which may have been set back since. */
function startClock(): () => number {
  const startedAtMs = Date.now()
  const offsetMs = startedAtMs - performance.now()
  return () => startedAtMs + Math.min(0, Date.now() - performance.now() - offsetMs)
}

interface Size {
  readonly bytes: number
  readonly files: number
}

async function readFreeSpace(folder: string): Promise<Size | undefined> {
  try {
    const { bfree, bsize, ffree } = await statfs(folder)
    return { bytes: bfree * bsize, files: ffree }
  } catch {
    return undefined
  }
}

const unlimited: Size = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }

/** The number and size of files changed since a time; stops at the limit. */
async function measureGrowth(
  folder: string,
  { bytesMax, filesMax }: { readonly bytesMax: number; readonly filesMax: number },
  sinceMs: number,
  signal: AbortSignal,
): Promise<Size> {
  // Recently changed folders first: growth is most likely there.
  const recent = [folder]
  const others: string[] = []
  let bytes = 0
  let files = 0
  let scanned = 0
  for (let next = recent.pop(); next !== undefined; next = recent.pop() ?? others.pop()) {
    const entries = await listEntries(next, sinceMs)
    if (entries === undefined) return unlimited
    for (const entry of entries) {
      // Synchronous stat is ten times as fast, and the files keep growing meanwhile.
      if (scanned++ % filesPerTurn === 0) {
        await new Promise((resolve) => setImmediate(resolve))
        if (signal.aborted) return { bytes, files }
      }
      const path = join(next, entry.name)
      const stat = tryLstat(path)
      const isNew = stat !== undefined && isChanged(stat, sinceMs)
      if (entry.isDirectory()) (isNew ? recent : others).push(path)
      if (!isNew) continue
      bytes += fileBytes(stat)
      files += 1
      if (bytes > bytesMax || files > filesMax) return { bytes, files }
    }
  }
  return { bytes, files }
}

const fileBytes = (stat: Stats): number =>
  Math.max(stat.blocks * 512, stat.isFile() ? stat.size : 0)

/** Undefined for a folder that became unreadable since the start. */
async function listEntries(
  folder: string,
  sinceMs: number,
): Promise<Awaited<ReturnType<typeof readEntries>> | undefined> {
  try {
    return await readEntries(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The folders are nested too deep for the system.
    if (code === 'ENAMETOOLONG') return undefined
    if (code !== 'EACCES') return [] // it was deleted or replaced meanwhile
    const stat = tryLstat(folder)
    return stat !== undefined && isChanged(stat, sinceMs) ? undefined : []
  }
}

function tryLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const readEntries = (folder: string) => readdir(folder, { withFileTypes: true })

/** Some file systems store timestamps in whole seconds. */
const isChanged = ({ ctimeMs }: Stats, sinceMs: number): boolean =>
  ctimeMs + (ctimeMs % 1000 === 0 ? 999 : 0) >= sinceMs
