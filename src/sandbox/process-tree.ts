/** The descendants of a process, and what the kernel reports about them. */

import { readdirSync, readFileSync } from 'node:fs'

/** Stops counting here; the process limit is far lower. */
export const processesMax = 4096

/**
 * For the first process of a namespace, these are all processes of the namespace: an orphan becomes a child
 * of the first process.
 */
export function listDescendants(top: number): readonly number[] {
  const found = [top]
  for (let index = 0; index < found.length && found.length < processesMax; index++) {
    const pid = found[index] ?? 0
    for (const thread of listThreads(pid)) {
      const children = readProc(pid, `task/${thread}/children`)
      found.push(...children.split(' ').filter(Boolean).map(Number))
    }
  }
  return found
}

export function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // the process has ended
  }
}

/** Empty for a process that has ended. */
export function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** The bytes that the descendants have written to disk so far, including those of ended children. */
export function writtenBytes(top: number): number {
  return listDescendants(top).reduce((sum, pid) => sum + parseWritten(readProc(pid, 'io')), 0)
}

/** Excludes data that was deleted before it reached the disk. */
const parseWritten = (io: string): number =>
  matchNumber(io, /^write_bytes: (\d+)/m) - matchNumber(io, /^cancelled_write_bytes: (\d+)/m)

const matchNumber = (text: string, line: RegExp): number => Number(line.exec(text)?.[1] ?? 0)
