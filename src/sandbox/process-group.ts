/**
 * Finds and kills all processes that one command started. A process belongs to a command by its process group
 * or, on Linux, by a mark in its environment, which children inherit even if they leave the group.
 *
 * A mark is `pid-namespace.pid.start-time.nonce` of the process that started the command. A process that has
 * a mark itself puts it in front of the marks it creates, so that stopping a Loopwright that runs under
 * Loopwright stops its commands too.
 */

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export const markVariable = 'LOOPWRIGHT_COMMAND'

export interface Mark {
  /** Identifies this command only. */
  readonly own: string
  /** The value for its environment. */
  readonly value: string
}

/** How long a killed process may take to end. Only a process that is blocked in the kernel takes longer. */
const killMsMax = 5000
const pollMs = 10

export function createMark(): Mark {
  const own = [pidNamespace(), process.pid, startTime(process.pid), randomUUID()].join('.')
  const inherited = process.env[markVariable]
  return { own, value: inherited === undefined ? own : `${inherited} ${own}` }
}

/** Signals all processes of a group, if there are any. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  kill(-group, signal)
}

/** Kills all processes of a command. Resolves with those that are still alive after that. */
export async function killAll(group: number, mark: Mark): Promise<readonly number[]> {
  kill(-group, 'SIGKILL')
  return killUntilNone(() => listMembers(group, mark))
}

/**
 * Kills commands whose owner has ended: after a kill -9 of the owner they would continue to change files.
 * Resolves with those that are still alive after that. Linux only.
 */
export async function killAbandoned(
  filter: (pid: number) => boolean = () => true,
): Promise<readonly number[]> {
  return killUntilNone(() =>
    listPids().flatMap((name) => {
      const pid = Number(name)
      // Most processes have no mark, so their state is not read.
      const isAbandonedOne = readMarks(name).some(isAbandoned) && filter(pid)
      return isAbandonedOne && isAlive(pid) ? [pid] : []
    }),
  )
}

async function killUntilNone(find: () => readonly number[]): Promise<readonly number[]> {
  const startedAt = performance.now()
  for (;;) {
    const found = find()
    if (found.length === 0 || performance.now() - startedAt > killMsMax) return found
    for (const pid of found) kill(pid, 'SIGKILL')
    await sleep(pollMs)
  }
}

function listMembers(group: number, mark: Mark): readonly number[] {
  if (process.platform !== 'linux') return kill(-group, 0) ? [group] : []
  return listProcesses()
    .filter((one) => one.group === group || one.marks.includes(mark.own))
    .map(({ pid }) => pid)
}

interface Process {
  readonly pid: number
  readonly group: number
  readonly marks: readonly string[]
}

/** Synchronous, because reading a file in /proc takes microseconds. */
const listProcesses = (): readonly Process[] =>
  listPids()
    .map(readProcess)
    .filter((one) => one !== undefined)

const listPids = (): readonly string[] =>
  process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []

/** Undefined for a process that has ended or is a zombie. */
function readProcess(pid: string): Process | undefined {
  const [state, , group] = statFields(readProc(pid, 'stat'))
  if (state === '' || state === 'Z' || state === 'X') return undefined
  return { pid: Number(pid), group: Number(group), marks: readMarks(pid) }
}

function readMarks(pid: string): readonly string[] {
  const environment = readProc(pid, 'environ').split('\0')
  const marks = environment.find((entry) => entry.startsWith(`${markVariable}=`))
  return marks?.slice(markVariable.length + 1).split(' ') ?? []
}

/** Empty if the process has ended or belongs to another user. */
function readProc(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** True if the owner has ended. False for owners in another pid namespace, which are not visible here. */
export function isAbandoned(mark: string): boolean {
  const [namespace, pid, started] = mark.split('.')
  return namespace === pidNamespace() && startTime(Number(pid)) !== started
}

/** Running, rather than blocked or dead. */
export const isBusy = (pid: number): boolean => statFields(readProc(pid, 'stat'))[0] === 'R'

/** The executable of a process; undefined if it may not be read. */
export function readExecutable(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

/** False for a zombie too. */
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

/** In clock ticks since boot, which tells apart processes that had the same pid. Empty if it has ended. */
function startTime(pid: number): string {
  const fields = statFields(readProc(pid, 'stat'))
  return fields[0] === 'Z' ? '' : (fields[19] ?? '')
}

/** The fields after the name, which is in parentheses and may contain any character. */
const statFields = (stat: string): readonly string[] =>
  stat.slice(stat.lastIndexOf(')') + 2).split(' ')

/** False if the process does not exist or may not be signaled. */
export function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
