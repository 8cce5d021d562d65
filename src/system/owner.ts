/**
 * Who holds a lease, so that a process that was killed is replaced at once and not after a time-out.
 *
 * A name is `host|pid-namespace@boot|pid|start-time|nonce`. On the same machine and namespace it can be
 * asked whether that very process still lives; a number that was given to another process later has
 * another start time.
 */

import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export function createOwner(): string {
  const nonce = randomBytes(6).toString('hex')
  return [machine(), process.pid, startTime(process.pid) ?? '?', nonce].join('|')
}

/** False only when it is certain that the owner is gone. */
export function mayLive(owner: string): boolean {
  const [host, namespace, pidText, started] = owner.split('|')
  const pid = Number(pidText)
  if (host === hostname() && isOfEarlierBoot(namespace)) return false
  if (`${host}|${namespace}` !== machine() || !Number.isInteger(pid)) return true
  const now = startTime(pid)
  if (now !== undefined) return now === started
  return started === '?' && isRunning(pid)
}

/** What this machine knows about owners; a store that is given it takes over from a dead process at once. */
export const localOwners = {
  isDead: (owner: string): boolean => !mayLive(owner),
  isOfThisBoot: (owner: string): boolean => isOfThisBoot(owner),
  describe: (owner: string): string => `process ${owner.split('|')[2] ?? '?'}`,
} as const

/** Whether its time since boot is ours. */
const isOfThisBoot = (owner: string): boolean => {
  const boot = bootOf(owner.split('|')[1])
  return boot !== undefined && boot === bootOf(machine().split('|')[1])
}

function isOfEarlierBoot(namespace: string | undefined): boolean {
  const [theirs, ours] = [bootOf(namespace), bootOf(machine().split('|')[1])]
  return theirs !== undefined && ours !== undefined && theirs !== ours
}

const bootOf = (namespace: string | undefined): string | undefined => namespace?.split('@')[1]

/** The same as long as the process lives; lists ask for it with every row. */
let place: string | undefined

function machine(): string {
  place ??= `${hostname()}|${namespaceOf()}`
  return place
}

/** Start times count from the boot, so the boot is part of the place. */
function namespaceOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${readlinkSync('/proc/self/ns/pid')}@${boot}`
  } catch {
    return '-'
  }
}

/** Clock ticks since boot at which the process started; undefined where it is gone or not Linux. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything; the fields after the last one may not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie writes no more.
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
