/** Whether enough files may be open here. With too few, whatever fails first would be blamed instead. */

import { readFileSync } from 'node:fs'
import { LoopError } from '../loop/index.ts'

/** Its own modules, the record, sockets, and a few for each run. */
const filesMin = 256

/** As the kernel tells; where it does not, nothing is refused. */
export function requireOpenFiles(limits: string = readLimits()): void {
  const max = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (max >= filesMin) return
  const message = `Only ${max} files may be open here, and a daemon needs ${filesMin} at least.`
  throw new LoopError('not-available', `${message} Allow more, then start it: ulimit -n 4096`)
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
