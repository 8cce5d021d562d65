/**
 * The mark of the child processes of this process, in the form that the sandbox's `killAbandoned` expects: after
 * a kill -9, a git that is still writing to a work tree is found by it and killed.
 */

import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

const variable = 'LOOPWRIGHT_COMMAND'

let mark: string | undefined

export function markVariables(): Readonly<Record<string, string>> {
  mark ??= [pidNamespace(), process.pid, startTime(), randomUUID()].join('.')
  const inherited = process.env[variable]
  return { [variable]: inherited === undefined ? mark : `${inherited} ${mark}` }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return '-'
  }
}

/** In clock ticks since boot. The process name in parentheses may contain any character. */
function startTime(): string {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
