/**
 * Notices when all processes of a command together take more memory than it may have. For machines without
 * control groups: limits on each process know nothing of the others, nor of memory that is shared.
 *
 * What is only shared by name is counted once: first what the kernel knows at once, and only if that is too
 * much, what it has to work out. Memory that no process has mapped is not seen.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, readProc } from './process-tree.ts'

export interface MemoryWatch {
  /** Resolves when it was too much; never, if it was not. */
  readonly exceeded: Promise<'memory'>
  close(): void
}

const lookMsMax = 200
const lookMsMin = 5
/** Faster than memory can be filled by a process or two. */
const bytesEachMs = 4 * 1024 ** 2

/** `first` is the one that all others come from, once it is there. */
export function watchMemory(first: () => number | undefined, bytesMax: number): MemoryWatch {
  const stop = new AbortController()
  const exceeded = new Promise<'memory'>((resolve) => {
    void look(first, bytesMax, stop.signal).then((isTooMuch) => {
      if (isTooMuch) resolve('memory')
    })
  })
  return { exceeded, close: () => stop.abort() }
}

async function look(
  first: () => number | undefined,
  bytesMax: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let waitMs = lookMsMin; ; ) {
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return false
    const top = first()
    if (top === undefined) continue
    const pids = descendantsOf(top)
    const left = bytesMax - sumOf(pids, residentBytes)
    waitMs = Math.max(lookMsMin, Math.min(left / bytesEachMs, lookMsMax))
    if (left >= 0) continue
    if (sumOf(pids, ownShare) > bytesMax) return true
    waitMs = lookMsMax
  }
}

const sumOf = (pids: readonly number[], bytesOf: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + bytesOf(pid), 0)

const residentBytes = (pid: number): number =>
  kibibytesIn(readProc(pid, 'status'), /^Rss(?:Anon|Shmem):\s*(\d+)/gm)

/** Of what several have, a part each. Before version 5.9 the kernel does not tell files from the rest. */
function ownShare(pid: number): number {
  const text = readProc(pid, 'smaps_rollup')
  const lines = text.includes('Pss_Anon:') ? /^Pss_(?:Anon|Shmem):\s*(\d+)/gm : /^Pss:\s*(\d+)/gm
  return kibibytesIn(text, lines)
}

const kibibytesIn = (text: string, lines: RegExp): number =>
  [...text.matchAll(lines)].reduce((sum, [, kibibytes]) => sum + 1024 * Number(kibibytes), 0)
