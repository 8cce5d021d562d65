/**
 * Notices when all processes of a command together exceed its memory limit. For machines without control
 * groups: limits per process cover neither the sum nor shared memory.
 *
 * Adds up the resident memory first, which the kernel reports at once, and only if that exceeds the limit, the
 * proportional share, in which shared memory counts once. Memory that no process has mapped is not counted.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { listDescendants, readProc } from './process-tree.ts'

export interface MemoryWatch {
  /** Resolves when the limit is exceeded; otherwise never. */
  readonly exceeded: Promise<'memory'>
  close(): void
}

const pollMsMax = 200
const pollMsMin = 5
/** Faster than one or two processes can fill memory. */
const bytesPerMs = 4 * 1024 ** 2

/** `first` returns the pid of the common ancestor, once it exists. */
export function watchMemory(first: () => number | undefined, bytesMax: number): MemoryWatch {
  const stop = new AbortController()
  const exceeded = new Promise<'memory'>((resolve) => {
    void poll(first, bytesMax, stop.signal).then((isTooMuch) => {
      if (isTooMuch) resolve('memory')
    })
  })
  return { exceeded, close: () => stop.abort() }
}

async function poll(
  first: () => number | undefined,
  bytesMax: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let waitMs = pollMsMin; ; ) {
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return false
    const top = first()
    if (top === undefined) continue
    const pids = listDescendants(top)
    const left = bytesMax - sumBytes(pids, residentBytes)
    waitMs = Math.max(pollMsMin, Math.min(left / bytesPerMs, pollMsMax))
    if (left >= 0) continue
    if (sumBytes(pids, proportionalBytes) > bytesMax) return true
    waitMs = pollMsMax
  }
}

const sumBytes = (pids: readonly number[], measure: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + measure(pid), 0)

const residentBytes = (pid: number): number =>
  parseKibibytes(readProc(pid, 'status'), /^Rss(?:Anon|Shmem):\s*(\d+)/gm)

/** Shared memory is divided among its users. Before Linux 5.9 this includes mapped files. */
function proportionalBytes(pid: number): number {
  const text = readProc(pid, 'smaps_rollup')
  const lines = text.includes('Pss_Anon:') ? /^Pss_(?:Anon|Shmem):\s*(\d+)/gm : /^Pss:\s*(\d+)/gm
  return parseKibibytes(text, lines)
}

const parseKibibytes = (text: string, lines: RegExp): number =>
  [...text.matchAll(lines)].reduce((sum, [, kibibytes]) => sum + 1024 * Number(kibibytes), 0)
