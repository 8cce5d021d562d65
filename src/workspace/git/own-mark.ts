/**
 * The mark of what this process starts, in the form that the sandbox's `killAbandoned` looks for:
 * after a kill -9 a git that is still writing into a work tree is found by it and ended.
 */

import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

const variable = 'LOOPWRIGHT_COMMAND'

let made: string | undefined

export function ownMark(): Readonly<Record<string, string>> {
  made ??= [pidNamespace(), process.pid, startTime(), randomUUID()].join('.')
  const inherited = process.env[variable]
  return { [variable]: inherited === undefined ? made : `${inherited} ${made}` }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return '-'
  }
}

/** In clock ticks since boot. The name before it, in parentheses, may contain anything. */
function startTime(): string {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
