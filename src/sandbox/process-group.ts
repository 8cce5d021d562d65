/**
 * Everything that one command started. A process belongs to it by its process group or, on Linux, by
 * a mark in its environment, which children inherit even into groups of their own.
 *
 * A mark is `pid-namespace.pid.start-time.nonce` of the process that started the command. Whoever
 * starts commands and has a mark itself passes it on in front of the new one, so that stopping a
 * Loopwright that runs under Loopwright stops its commands too.
 */

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export const markVariable = 'LOOPWRIGHT_COMMAND'

export interface Mark {
  /** This command alone. */
  readonly own: string
  /** The value for its environment. */
  readonly value: string
}

/** How long what was killed may take to be gone. Only a process stuck in the kernel takes longer. */
const goneMs = 5000
const lookAgainMs = 10

export function newMark(): Mark {
  const own = [pidNamespace(), process.pid, startTime(process.pid), randomUUID()].join('.')
  const inherited = process.env[markVariable]
  return { own, value: inherited === undefined ? own : `${inherited} ${own}` }
}

/** To all processes of a group, if any is left. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  kill(-group, signal)
}

/** Kills all that a command started. Resolves with the processes that would not die. */
export async function killAll(group: number, mark: Mark): Promise<readonly number[]> {
  kill(-group, 'SIGKILL')
  return killWhile(() => membersOf(group, mark))
}

/**
 * Kills the commands of processes that are dead themselves: after a kill -9 of their owner they
 * would go on changing files. Resolves with those that would not die. Linux only.
 */
export async function killAbandoned(
  isMeant: (pid: number) => boolean = () => true,
): Promise<readonly number[]> {
  return killWhile(() =>
    processes()
      .filter(({ pid, marks }) => marks.some(isAbandoned) && isMeant(pid))
      .map(({ pid }) => pid),
  )
}

async function killWhile(find: () => readonly number[]): Promise<readonly number[]> {
  const startedAt = performance.now()
  for (;;) {
    const found = find()
    if (found.length === 0 || performance.now() - startedAt > goneMs) return found
    for (const pid of found) kill(pid, 'SIGKILL')
    await sleep(lookAgainMs)
  }
}

function membersOf(group: number, mark: Mark): readonly number[] {
  if (process.platform !== 'linux') return kill(-group, 0) ? [group] : []
  return processes()
    .filter((one) => one.group === group || one.marks.includes(mark.own))
    .map(({ pid }) => pid)
}

interface Process {
  readonly pid: number
  readonly group: number
  readonly marks: readonly string[]
}

/** Without waiting: these are no real files, and each takes microseconds. */
function processes(): readonly Process[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(readProcess).filter((one) => one !== undefined)
}

/** Undefined for one that is gone, or dead and only not yet taken note of. */
function readProcess(pid: string): Process | undefined {
  const [state, , group] = statFields(readProc(pid, 'stat'))
  if (state === '' || state === 'Z' || state === 'X') return undefined
  const environment = readProc(pid, 'environ').split('\0')
  const marks = environment.find((entry) => entry.startsWith(`${markVariable}=`))
  const values = marks?.slice(markVariable.length + 1).split(' ') ?? []
  return { pid: Number(pid), group: Number(group), marks: values }
}

/** Empty for a process that is gone, or for what another user may not see. */
function readProc(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** Whose owner is dead. Only of owners that could be seen if they lived. */
export function isAbandoned(mark: string): boolean {
  const [namespace, pid, started] = mark.split('.')
  return namespace === pidNamespace() && startTime(Number(pid)) !== started
}

/** It does something, rather than to wait for something or to be dead. */
export const isBusy = (pid: number): boolean => statFields(readProc(pid, 'stat'))[0] === 'R'

/** The file that it runs; undefined if that may not be known. */
export function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

/** False also for one that is dead and only not yet taken note of. */
export function isAlive(pid: number): boolean {
  const [state = ''] = statFields(readProc(pid, 'stat'))
  return !['', 'Z', 'X'].includes(state)
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return '-'
  }
}

/** In clock ticks since boot; a number that was used again has another one. Empty if it is dead. */
function startTime(pid: number): string {
  const fields = statFields(readProc(pid, 'stat'))
  return fields[0] === 'Z' ? '' : (fields[19] ?? '')
}

/** From the state on: the name before it, in parentheses, may contain anything. */
const statFields = (stat: string): readonly string[] =>
  stat.slice(stat.lastIndexOf(')') + 2).split(' ')

/** False when there is no such process, or not ours to kill. */
export function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
