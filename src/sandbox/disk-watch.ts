/**
 * Notices when the files that a command changes take up more than they may. There is no quota to be had, so
 * it looks: first at what is free on the disk and at what the command has written, which costs little, and
 * the more often the nearer it comes to the limit; only when that is the limit, at the files that were
 * changed since, and at those that were removed but are still open. What is written and removed again
 * between two looks is not seen.
 *
 * A file counts with its length, also where nothing was written: whoever copies it has all of that. Such
 * files are not on the disk, so nothing tells of them while the command runs; when it has ended, all are
 * looked at.
 *
 * The files belong to somebody who may want to be hard to look at: nothing is opened, no link is followed,
 * and a folder that was made unreadable meanwhile counts as too much.
 */

import { lstatSync, type Stats } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DiskWatch {
  /** Resolves when it grew too much; never, if it does not. */
  readonly exceeded: Promise<'disk'>
  /** After the end: whether the files are too much by their length. False if that takes too long. */
  isTooMuch(): Promise<boolean>
  close(): void
}

export interface DiskLimits {
  readonly bytesMax: number
  /** New ones; a million by default. */
  readonly filesMax?: number
  /** What the command has written so far. Without it, what others free on the disk hides growth. */
  readonly writtenBytes?: () => number
  /** What files take up that are removed but still in use. */
  readonly removedBytes?: () => Promise<number>
}

const defaultFilesMax = 1_000_000
const lookMsMax = 200
const lookMsMin = 2
/** Faster than disks are, so that the next look comes before the limit. */
const bytesEachMs = 4 * 1024 ** 2
const filesEachMs = 1000
/** For clocks that differ. */
const graceMs = 1000
/** The clock that files are dated with goes in steps, of ten milliseconds at most. */
const clockStepMs = 20
/** For the look after the end: what was changed comes first. */
const lastLookMs = 2000
/** About a millisecond's worth. */
const looksInOne = 200

export function watchDisk(folder: string, limits: DiskLimits): DiskWatch {
  const stop = new AbortController()
  const began = startClock()
  const exceeded = new Promise<'disk'>((resolve) => {
    void look(folder, limits, began, stop.signal).then((isTooMuch) => {
      if (isTooMuch) resolve('disk')
    })
  })
  return {
    exceeded,
    async isTooMuch() {
      const { bytesMax, filesMax = defaultFilesMax } = limits
      const late = AbortSignal.timeout(lastLookMs)
      // What was made just before it began, such as the workspace itself, is not its own.
      const since = began() - clockStepMs
      const { bytes, files } = await growthOf(folder, { bytesMax, filesMax }, since, late)
      return bytes > bytesMax || files > filesMax
    },
    close: () => stop.abort(),
  }
}

/** True when it is too much, false when nobody wants to know any more. */
async function look(
  folder: string,
  limits: DiskLimits,
  began: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  const { bytesMax, filesMax = defaultFilesMax } = limits
  let before = await freeOn(folder)
  let writtenBefore = 0
  for (let waitMs = lookMsMin; before !== undefined; ) {
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return false
    const now = await freeOn(folder)
    if (now === undefined) continue
    const written = (limits.writtenBytes?.() ?? 0) - writtenBefore
    const bytesLeft = bytesMax - Math.max(before.bytes - now.bytes, written)
    const filesLeft = filesMax - (before.files - now.files)
    waitMs = between(
      lookMsMin,
      Math.min(bytesLeft / bytesEachMs, filesLeft / filesEachMs),
      lookMsMax,
    )
    if (bytesLeft >= 0 && filesLeft >= 0) continue
    const grown = await growthOf(folder, { bytesMax, filesMax }, began() - graceMs, signal)
    const removed = grown.bytes > bytesMax ? 0 : ((await limits.removedBytes?.()) ?? 0)
    if (grown.bytes + removed > bytesMax || grown.files > filesMax) return true
    // The rest was somebody else: what is left is counted from here.
    before = { bytes: now.bytes + grown.bytes + removed, files: now.files + grown.files }
    writtenBefore += written - grown.bytes - removed
  }
  return false
}

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(value, most))

/** When it began, by the clock that files are dated with, which may have been set back since. */
function startClock(): () => number {
  const startedAtMs = Date.now()
  const offsetMs = startedAtMs - performance.now()
  return () => startedAtMs + Math.min(0, Date.now() - performance.now() - offsetMs)
}

interface Size {
  readonly bytes: number
  readonly files: number
}

async function freeOn(folder: string): Promise<Size | undefined> {
  try {
    const { bfree, bsize, ffree } = await statfs(folder)
    return { bytes: bfree * bsize, files: ffree }
  } catch {
    return undefined
  }
}

const tooMuch: Size = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }

/** How many files were changed since then, and what they take up; no further than to the limit. */
async function growthOf(
  folder: string,
  { bytesMax, filesMax }: { readonly bytesMax: number; readonly filesMax: number },
  sinceMs: number,
  signal: AbortSignal,
): Promise<Size> {
  // Those that something was put into come first: there it is soon found.
  const recent = [folder]
  const others: string[] = []
  let bytes = 0
  let files = 0
  let looked = 0
  for (let next = recent.pop(); next !== undefined; next = recent.pop() ?? others.pop()) {
    const entries = await entriesOf(next, sinceMs)
    if (entries === undefined) return tooMuch
    for (const entry of entries) {
      // Without waiting: that is ten times as fast, and meanwhile it grows.
      if (looked++ % looksInOne === 0) {
        await new Promise((go) => setImmediate(go))
        if (signal.aborted) return { bytes, files }
      }
      const path = join(next, entry.name)
      const stat = statOf(path)
      const isNew = stat !== undefined && isChanged(stat, sinceMs)
      if (entry.isDirectory()) (isNew ? recent : others).push(path)
      if (!isNew) continue
      bytes += sizeOf(stat)
      files += 1
      if (bytes > bytesMax || files > filesMax) return { bytes, files }
    }
  }
  return { bytes, files }
}

const sizeOf = (stat: Stats): number => Math.max(stat.blocks * 512, stat.isFile() ? stat.size : 0)

/** Undefined for one that cannot be looked into, and could be at the beginning. */
async function entriesOf(
  folder: string,
  sinceMs: number,
): Promise<Awaited<ReturnType<typeof readEntries>> | undefined> {
  try {
    return await readEntries(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // So deep that the path has become too long for the system.
    if (code === 'ENAMETOOLONG') return undefined
    if (code !== 'EACCES') return [] // it is gone, or another thing now
    const stat = statOf(folder)
    return stat !== undefined && isChanged(stat, sinceMs) ? undefined : []
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const readEntries = (folder: string) => readdir(folder, { withFileTypes: true })

/** Some file systems date files in seconds. */
const isChanged = ({ ctimeMs }: Stats, sinceMs: number): boolean =>
  ctimeMs + (ctimeMs % 1000 === 0 ? 999 : 0) >= sinceMs
