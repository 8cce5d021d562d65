/** Checks the limit of open files, since with too few the first thing to fail would be blamed instead. */

import { readFileSync } from 'node:fs'
import { LoopError } from '../loop/index.ts'

/** For its modules, the journal, sockets, and a few for each run. */
const filesMin = 256

/** Unknown limits are accepted. */
export function requireOpenFiles(limits: string = readLimits()): void {
  const max = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (max >= filesMin) return
  const message = `The limit of open files is ${max}, and the daemon needs at least ${filesMin}.`
  throw new LoopError('not-available', `${message} Raise it, then start the daemon: ulimit -n 4096`)
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
