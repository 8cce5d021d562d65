/** The processes that come of one, and what the kernel tells of them. */

import { readdirSync, readFileSync } from 'node:fs'

/** Of more than may run at once nobody needs to know more. */
export const processesMax = 4096

/**
 * With the first process of a namespace, all that are in it: whoever loses its parent becomes a child of
 * that one.
 */
export function descendantsOf(top: number): readonly number[] {
  const found = [top]
  for (let index = 0; index < found.length && found.length < processesMax; index++) {
    const pid = found[index] ?? 0
    for (const thread of threadsOf(pid)) {
      const children = readProc(pid, `task/${thread}/children`)
      found.push(...children.split(' ').filter(Boolean).map(Number))
    }
  }
  return found
}

export function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // it has ended
  }
}

/** Empty for one that has ended. */
export function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** What they have written to disks so far, those included that they have outlived. */
export function writtenBytes(top: number): number {
  return descendantsOf(top).reduce((sum, pid) => sum + writtenBy(readProc(pid, 'io')), 0)
}

/** What was removed before it came to the disk was not written. */
const writtenBy = (io: string): number =>
  numberIn(io, /^write_bytes: (\d+)/m) - numberIn(io, /^cancelled_write_bytes: (\d+)/m)

const numberIn = (text: string, line: RegExp): number => Number(line.exec(text)?.[1] ?? 0)
