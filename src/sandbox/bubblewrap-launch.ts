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
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '../engine/index.ts'
import { defined, FaultError, LoopError } from '../loop/index.ts'
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
import {
  commandOf,
  followStatus,
  killOuter,
  type Status,
  statusDescriptor,
  write,
} from './bubblewrap-status.ts'
import type { Cgroup, Cgroups } from './cgroups.ts'
import { type DiskWatch, watchDisk } from './disk-watch.ts'
import { freezing } from './freeze-processes.ts'
import { guardCommand, guardFailure } from './guard.ts'
import { coverInherited, nothingDescriptor } from './inherited-descriptors.ts'
import { type MemoryWatch, watchMemory } from './memory-watch.ts'
import { type OverlayTools, overlayStage, upperName } from './overlay-stage.ts'
import { isAlive, kill, killAll, type Mark, markVariable, newMark } from './process-group.ts'
import { writtenBytes } from './process-tree.ts'
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
  /** Of calls to the kernel. */
  readonly filter: Uint8Array
  /** For places with an overlay; absent: there can be none. */
  readonly overlayTools?: OverlayTools | undefined
}

type Started = Pick<Command, 'program' | 'args' | 'cwd' | 'env' | 'input'> & {
  /** Somebody writes to it while it runs. */
  readonly keepsInput?: boolean
}

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
  const group = machine.cgroups?.create(mark.own, place.allLimits, {
    canFreeze: command.keepsInput === true,
  })
  let child: ChildProcess
  try {
    child = spawnBubblewrap(machine, place, command, mark)
  } catch (error) {
    void group?.remove()
    throw error
  }
  write(child, argsDescriptor, args.map((arg) => `${arg}\0`).join(''))
  write(child, filterDescriptor, machine.filter)
  const status = followStatus(child, group)
  const ofAll = <T>(find: (first: number) => T, otherwise: T): T => {
    const first = status.first()
    return first === undefined ? otherwise : find(first)
  }
  const watch = watchDisk(writtenFolder(place), {
    bytesMax: place.allLimits.workspaceBytes,
    writtenBytes: () => ofAll(writtenBytes, 0),
    removedBytes: () => ofAll((first) => removedBytes(place.real, first), Promise.resolve(0)),
  })
  const memory =
    machine.limits === 'cgroup' ? undefined : watchMemory(status.first, place.allLimits.memoryBytes)
  child.once('error', () => {
    // It could not be started, so nobody will end it.
    watch.close()
    memory?.close()
    void group?.remove()
  })
  return supervise({ child, command, group, mark, memory, place, status, watch })
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
    '--seccomp',
    `${filterDescriptor}`,
  ]
  const inner = innerCommand(machine, place, command)
  const hasInput = command.input !== undefined || command.keepsInput === true
  const empty = hiddenFiles(place).map(() => nothingDescriptor())
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe', ...empty] as const
  const covered = coverInherited(hiddenDescriptor + empty.length)
  const [program, ...stage] = startingWith(machine, place)
  return spawn(program, [...stage, ...walls, ...options, '--', ...inner], {
    detached: true,
    cwd: '/',
    env: { [markVariable]: mark.value },
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...stdio, ...covered],
  })
}

/** bubblewrap; with an overlay, what mounts it and then becomes bubblewrap. */
function startingWith(
  { bwrap, overlayTools }: Bubblewrap,
  { overlay: memory, workspaceOverlay, real, allLimits }: PreparedPlace,
): readonly [program: string, ...args: string[]] {
  if (memory === undefined && workspaceOverlay === undefined) return [bwrap]
  if (overlayTools === undefined) {
    throw new LoopError('not-available', 'There are no overlays here. Mount the folders read-only.')
  }
  // In the namespace of the overlay everybody is root; inside they are to be who they are.
  const user = ['--uid', `${process.getuid?.()}`, '--gid', `${process.getgid?.()}`]
  const workspace = workspaceOverlay && { path: real, folder: workspaceOverlay.folder }
  return [...overlayStage(overlayTools, { workspace, memory }, allLimits), bwrap, ...user]
}

/** Where on disk the files are that a command writes to its workspace. */
const writtenFolder = ({ real, workspaceOverlay }: PreparedPlace): string =>
  workspaceOverlay === undefined ? real : join(workspaceOverlay.folder, upperName)

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

interface Supervised {
  readonly child: ChildProcess
  readonly command: Started
  readonly group: Cgroup | undefined
  readonly mark: Mark
  readonly memory: MemoryWatch | undefined
  readonly place: PreparedPlace
  readonly status: Status
  readonly watch: DiskWatch
}

function supervise(supervised: Supervised): Launched {
  const { child, command, group, mark, memory, place, status, watch } = supervised
  let tellTooMuch: (limit: Exceeded) => void = () => {}
  const tooMuchOutput = new Promise<Exceeded>((resolve) => {
    tellTooMuch = resolve
  })
  let met: Exceeded | undefined
  const held = freezing(status.first, group?.freezer)
  const killed = async (): Promise<readonly number[]> => {
    watch.close()
    memory?.close()
    killOuter(child)
    const alive = await gone(child, status.first(), mark)
    met = group?.exceeded()
    // One that lives longer makes no results to look at.
    if (command.keepsInput !== true && (await watch.isTooMuch())) met = 'disk'
    const inGroup = (await group?.remove()) ?? []
    return [...new Set([...alive, ...inGroup])]
  }
  return {
    child,
    exceeded: Promise.race([
      tooMuchOutput,
      watch.exceeded,
      ...(memory === undefined ? [] : [memory.exceeded]),
    ]),
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
    kill: killed,
    async pause() {
      if (!(await held.pause())) await killed()
    },
    resume: () => held.resume(),
    conclude(ending, stderr) {
      if (ending.ended === 'exited' && !status.hasBegun()) throw notBegun(command, stderr)
      const failure = ending.ended === 'exited' ? guardFailure(ending.exitCode, stderr) : undefined
      if (failure === 'not-limited') throw sandboxFailed(command, 'its limits were refused')
      if (failure !== undefined) throw cannotStart(command, { code: failure })
      return defined({ exceeded: met })
    },
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
