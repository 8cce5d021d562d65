/**
 * A command, started inside bubblewrap with its limits.
 *
 * 1. It runs only on our word, which is given when it is inside its control groups and bound to our
 *    life (guard.ts).
 * 2. From then on it dies with this process: bubblewrap has asked the kernel for that, and the first
 *    process of a namespace takes all others with it. A kill -9 before that may leave a bubblewrap that
 *    runs nothing; the next start finds it by its mark.
 * 3. A request to end goes to the command itself: one to bubblewrap would kill everything at once.
 * 4. bubblewrap itself gets an empty environment, and what it is told about files and variables comes
 *    over a pipe: neither shows inside, nor in the list of processes.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '../engine/index.ts'
import { FaultError } from '../loop/index.ts'
import {
  bubblewrapArgs,
  hiddenDescriptor,
  hiddenFiles,
  type PreparedPlace,
  relayProgram,
  relaySocket,
  relaysOf,
  walls,
} from './bubblewrap-args.ts'
import type { Cgroup, Cgroups } from './cgroups.ts'
import { type DiskWatch, watchDisk } from './disk-watch.ts'
import { guardCommand, guardFailure, word, wordDescriptor } from './guard.ts'
import { coverInherited, nothingDescriptor } from './inherited-descriptors.ts'
import {
  isAlive,
  isBusy,
  kill,
  killAll,
  type Mark,
  markVariable,
  newMark,
} from './process-group.ts'
import { removedBytes } from './removed-files.ts'
import { cannotStart, type Exceeded, type Launched } from './run-command.ts'
import type { LimitKind } from './sandbox-type.ts'

/** What this machine has. */
export interface Bubblewrap {
  readonly bwrap: string
  readonly cgroups: Cgroups | undefined
  readonly limits: LimitKind
  /** Our program that relays, and what runs it. */
  readonly relay: string
  readonly node: string
  /** For the kernel; undefined where there is none for this processor. */
  readonly filter: Uint8Array | undefined
}

type Started = Pick<Command, 'program' | 'args' | 'cwd' | 'env' | 'input'> & {
  /** Somebody writes to it while it runs. */
  readonly keepsInput?: boolean
}

const statusDescriptor = 3
const argsDescriptor = 4
const filterDescriptor = 6
const goneMs = 5000

export function launchInBubblewrap(
  machine: Bubblewrap,
  place: PreparedPlace,
  command: Started,
): Launched {
  const mark = newMark()
  const args = bubblewrapArgs(place, { cwd: command.cwd, env: command.env, relay: machine.relay })
  const group = machine.cgroups?.create(mark.own, place.allLimits)
  let child: ChildProcess
  try {
    child = spawnBubblewrap(machine, place, command, mark)
  } catch (error) {
    void group?.remove()
    throw error
  }
  write(child, argsDescriptor, args.map((arg) => `${arg}\0`).join(''))
  if (machine.filter !== undefined) write(child, filterDescriptor, machine.filter)
  const status = followStatus(child, group)
  const watch = watchDisk(place.real, {
    bytesMax: place.allLimits.workspaceBytes,
    removedBytes: async () => {
      const first = status.first()
      return first === undefined ? 0 : removedBytes(place.real, first)
    },
  })
  child.once('error', () => {
    // It could not be started, so nobody will end it.
    watch.close()
    void group?.remove()
  })
  return supervise({ child, command, group, mark, place, status, watch })
}

function spawnBubblewrap(
  machine: Bubblewrap,
  place: PreparedPlace,
  command: Started,
  mark: Mark,
): ChildProcess {
  const options = [
    '--json-status-fd',
    `${statusDescriptor}`,
    '--args',
    `${argsDescriptor}`,
    ...(machine.filter === undefined ? [] : ['--seccomp', `${filterDescriptor}`]),
  ]
  const inner = innerCommand(machine, place, command)
  const hasInput = command.input !== undefined || command.keepsInput === true
  const empty = hiddenFiles(place).map(() => nothingDescriptor())
  const stdio = [
    'pipe',
    'pipe',
    'pipe',
    machine.filter === undefined ? 'ignore' : 'pipe',
    ...empty,
  ] as const
  const covered = coverInherited(hiddenDescriptor + empty.length)
  return spawn(machine.bwrap, [...walls, ...options, '--', ...inner], {
    detached: true,
    cwd: '/',
    env: { [markVariable]: mark.value },
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...stdio, ...covered],
  })
}

/** The command, after what has to be started before it. */
function innerCommand(
  machine: Bubblewrap,
  place: PreparedPlace,
  { program, args }: Started,
): readonly string[] {
  const relays = relaysOf(place).map(({ port }, index) => `${port}=${relaySocket(index)}`)
  const relay = relays.length === 0 ? [] : [machine.node, relayProgram, ...relays, '--']
  return guardCommand(place.allLimits, machine.limits, [...relay, program, ...args])
}

function write(child: ChildProcess, descriptor: number, content: string | Uint8Array): void {
  // It may have ended before it has read anything; its exit says so.
  pipeAt(child, descriptor)
    ?.on('error', () => {})
    .end(content)
}

/** Node types five of them. */
const pipeAt = (child: ChildProcess, descriptor: number): Duplex | undefined =>
  (child.stdio as readonly unknown[])[descriptor] as Duplex | undefined

interface Status {
  /** The first process of the namespace, once it is there. */
  readonly first: () => number | undefined
  /** bubblewrap tells how the command ended only if it had begun. */
  readonly hasBegun: () => boolean
}

/** bubblewrap tells what it does. When the first process is there, it is limited and may go on. */
function followStatus(child: ChildProcess, group: Cgroup | undefined): Status {
  let text = ''
  let first: number | undefined
  child.stdio[statusDescriptor]
    ?.on('error', () => {})
    .on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const pid = /"child-pid": (\d+)\b/.exec(text)?.[1]
      if (first !== undefined || pid === undefined) return
      first = Number(pid)
      void letGo(child, group, first)
    })
  return { first: () => first, hasBegun: () => text.includes('"exit-code"') }
}

/**
 * Its groups hold the first process and the guard, so all that comes of them; bubblewrap outside need
 * not be in them. The first process binds its life to bubblewrap's only after it has started the guard,
 * and then waits: so we wait until it waits.
 */
async function letGo(child: ChildProcess, group: Cgroup | undefined, first: number): Promise<void> {
  try {
    const guarded = isGuarded(child)
    await group?.add(first)
    if (!(await guarded)) return
    if (group !== undefined) await addGuard(group, first)
    while (isBusy(first)) await sleep(1)
    write(child, wordDescriptor, word)
  } catch {
    // Without its limits it must not run.
    killOuter(child)
  }
}

/** It is in them already, unless it was started before its parent was moved. */
async function addGuard(group: Cgroup, first: number): Promise<void> {
  const guard = commandOf(first)
  if (guard === undefined) throw new Error('There is no guard.')
  if (group.has(guard)) return
  await group.add(guard)
  if (!group.has(guard)) throw new Error('The guard is not in its groups.')
}

/** The guard is there. False when everything ended before. */
function isGuarded(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const pipe = pipeAt(child, wordDescriptor)?.on('error', () => {})
    pipe?.once('data', () => resolve(true)).once('close', () => resolve(false))
  })
}

interface Supervised {
  readonly child: ChildProcess
  readonly command: Started
  readonly group: Cgroup | undefined
  readonly mark: Mark
  readonly place: PreparedPlace
  readonly status: Status
  readonly watch: DiskWatch
}

function supervise({ child, command, group, mark, place, status, watch }: Supervised): Launched {
  let tellTooMuch: (limit: Exceeded) => void = () => {}
  const tooMuchOutput = new Promise<Exceeded>((resolve) => {
    tellTooMuch = resolve
  })
  let met: Exceeded | undefined
  return {
    child,
    exceeded: Promise.race([tooMuchOutput, watch.exceeded]),
    heard(outputBytes) {
      const isTooMuch = outputBytes > place.allLimits.outputBytes
      if (isTooMuch) tellTooMuch('output')
      return !isTooMuch
    },
    stop() {
      const target = commandOf(status.first())
      // Before the command runs there is nobody who could clean up.
      if (target === undefined) killOuter(child)
      // It leads a group. A moment earlier it does not yet.
      else if (!kill(-target, 'SIGTERM')) kill(target, 'SIGTERM')
    },
    async kill() {
      watch.close()
      killOuter(child)
      const alive = await gone(child, status.first(), mark)
      met = group?.exceeded()
      const inGroup = (await group?.remove()) ?? []
      return [...new Set([...alive, ...inGroup])]
    },
    conclude(ending, stderr) {
      if (ending.ended === 'exited' && !status.hasBegun()) throw notBegun(command, stderr)
      const failure = ending.ended === 'exited' ? guardFailure(ending.exitCode, stderr) : undefined
      if (failure === 'not-limited') throw sandboxFailed(command, 'its limits were refused')
      if (failure !== undefined) throw cannotStart(command, { code: failure })
      return met === undefined ? {} : { exceeded: met }
    },
  }
}

/** With the group: the first process of the namespace is in it too. */
function killOuter({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid, 'SIGKILL')
}

/** The only child that is there from the beginning. */
function commandOf(first: number | undefined): number | undefined {
  if (first === undefined) return undefined
  try {
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'latin1')
    const [child] = children.split(' ')
    return child === undefined || child === '' ? undefined : Number(child)
  } catch {
    return undefined
  }
}

/** When the first process of a namespace is gone, so are all others. */
async function gone(
  child: ChildProcess,
  first: number | undefined,
  mark: Mark,
): Promise<readonly number[]> {
  if (first === undefined) return child.pid === undefined ? [] : killAll(child.pid, mark)
  const startedAt = performance.now()
  for (let waitMs = 0.5; isAlive(first); waitMs = Math.min(2 * waitMs, 20)) {
    if (performance.now() - startedAt > goneMs) return [first]
    kill(first, 'SIGKILL')
    await sleep(waitMs)
  }
  return []
}

/** From what bubblewrap said last. */
function notBegun(command: Started, stderr: string): FaultError {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  if (!said.startsWith("bwrap: Can't chdir to ")) {
    return sandboxFailed(command, said === '' ? 'bubblewrap said nothing' : said)
  }
  const why = `there is no directory ${command.cwd} in the sandbox. Work below the workspace`
  const message = `Cannot start ${command.program}: ${why}.`
  return new FaultError({ code: 'ENOENT', message, retryable: false })
}

function sandboxFailed({ program }: Started, why: string): FaultError {
  const message = `Cannot start ${program}: the sandbox could not be made: ${why}.`
  return new FaultError({ code: 'sandbox-failed', message, retryable: false })
}
