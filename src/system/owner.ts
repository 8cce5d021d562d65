/**
 * Identifies the process that holds a lease, so that a killed process is replaced at once and not after a
 * timeout.
 *
 * An owner id is `host|pid-namespace@boot|pid|start-time|nonce`. On the same machine and in the same
 * namespace it tells whether that process is still alive: if its pid was reused, the start time differs.
 */

import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export function createOwnerId(): string {
  const nonce = randomBytes(6).toString('hex')
  return [machine(), process.pid, startTime(process.pid) ?? '?', nonce].join('|')
}

/** False only if the owner has certainly exited. */
export function mayBeAlive(owner: string): boolean {
  const [host, namespace, pidText, started] = owner.split('|')
  const pid = Number(pidText)
  if (host === hostname() && isFromEarlierBoot(namespace)) return false
  if (`${host}|${namespace}` !== machine() || !Number.isInteger(pid)) return true
  const now = startTime(pid)
  if (now !== undefined) return now === started
  return started === '?' && isRunning(pid)
}

/** What this machine knows about owners, so that a store can take over from an ended process at once. */
export const localOwners = {
  isDead: (owner: string): boolean => !mayBeAlive(owner),
  isOfThisBoot: (owner: string): boolean => isOfThisBoot(owner),
  describe: (owner: string): string => `process ${owner.split('|')[2] ?? '?'}`,
} as const

/** Whether the owner's start time counts from the current boot of this machine. */
const isOfThisBoot = (owner: string): boolean => {
  const boot = bootOf(owner.split('|')[1])
  return boot !== undefined && boot === bootOf(machine().split('|')[1])
}

function isFromEarlierBoot(namespace: string | undefined): boolean {
  const [theirs, ours] = [bootOf(namespace), bootOf(machine().split('|')[1])]
  return theirs !== undefined && ours !== undefined && theirs !== ours
}

const bootOf = (namespace: string | undefined): string | undefined => namespace?.split('@')[1]

/** Cached because lists check the owner of every row. */
let machineId: string | undefined

function machine(): string {
  machineId ??= `${hostname()}|${readNamespace()}`
  return machineId
}

/** Start times count from boot, so the boot id is part of the namespace. */
function readNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${readlinkSync('/proc/self/ns/pid')}@${boot}`
  } catch {
    return '-'
  }
}

/** Clock ticks since boot at which the process started; undefined if it has exited or this is not Linux. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process name in parentheses may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has exited and writes nothing more.
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
