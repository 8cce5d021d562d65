/**
 * Starts a command inside bubblewrap, with its limits.
 *
 * 1. The command runs only after this process releases it, which happens once the command is in its control
 *    groups and dies with its parent (guard.ts).
 * 2. From then on it dies with this process: bubblewrap has asked the kernel for that, and when the first
 *    process of a namespace ends, so do all others. A kill -9 before that may leave a bubblewrap behind that
 *    runs nothing; the next start finds it by its mark.
 * 3. A request to stop goes to the command itself: sent to bubblewrap, it would kill everything at once.
 * 4. bubblewrap gets an empty environment, and its arguments for files and variables come over a pipe, so
 *    neither is visible inside the sandbox or in the process list.
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
  isolationArgs,
  listRelays,
  type PreparedSandbox,
  relayProgram,
  relaySocket,
} from './bubblewrap-args.ts'
import {
  findCommandPid,
  followStatus,
  killOuter,
  type Status,
  statusDescriptor,
  write,
} from './bubblewrap-status.ts'
import type { Cgroup, Cgroups } from './cgroups.ts'
import { type DiskWatch, watchDisk } from './disk-watch.ts'
import { guardCommand, guardFailure } from './guard.ts'
import { coverInherited, emptyDescriptor } from './inherited-descriptors.ts'
import { type MemoryWatch, watchMemory } from './memory-watch.ts'
import { type OverlayTools, overlayStage, upperName } from './overlay-stage.ts'
import { createProcessFreezer } from './process-freezer.ts'
import { createMark, isAlive, kill, killAll, type Mark, markVariable } from './process-group.ts'
import { writtenBytes } from './process-tree.ts'
import { removedBytes } from './removed-files.ts'
import { cannotStart, type Exceeded, type Launched } from './run-command.ts'
import type { LimitKind } from './sandbox-type.ts'

/** What this machine offers to run a sandbox. */
export interface Bubblewrap {
  readonly bwrap: string
  readonly cgroups: Cgroups | undefined
  readonly limits: LimitKind
  /** The relay program, and the Node that runs it. */
  readonly relay: string
  readonly node: string
  /** The seccomp filter. */
  readonly filter: Uint8Array
  /** For sandboxes with an overlay; absent if overlays do not work here. */
  readonly overlayTools?: OverlayTools | undefined
}

type LaunchCommand = Pick<Command, 'program' | 'args' | 'cwd' | 'env' | 'input'> & {
  /** Standard input stays open while the command runs. */
  readonly keepsInput?: boolean
}

const argsDescriptor = 4
const filterDescriptor = 6
const killMsMax = 5000

export function launchInBubblewrap(
  machine: Bubblewrap,
  sandbox: PreparedSandbox,
  command: LaunchCommand,
): Launched {
  const mark = createMark()
  const args = bubblewrapArgs(sandbox, { cwd: command.cwd, env: command.env, relay: machine.relay })
  const group = machine.cgroups?.create(mark.own, sandbox.allLimits, {
    canFreeze: command.keepsInput === true,
  })
  let child: ChildProcess
  try {
    child = spawnBubblewrap(machine, sandbox, command, mark)
  } catch (error) {
    void group?.remove()
    throw error
  }
  write(child, argsDescriptor, args.map((arg) => `${arg}\0`).join(''))
  write(child, filterDescriptor, machine.filter)
  const status = followStatus(child, group)
  const measureAll = <T>(measure: (first: number) => T, fallback: T): T => {
    const first = status.first()
    return first === undefined ? fallback : measure(first)
  }
  const watch = watchDisk(writtenFolder(sandbox), {
    bytesMax: sandbox.allLimits.workspaceBytes,
    writtenBytes: () => measureAll(writtenBytes, 0),
    removedBytes: () =>
      measureAll((first) => removedBytes(sandbox.real, first), Promise.resolve(0)),
  })
  const memory =
    machine.limits === 'cgroup'
      ? undefined
      : watchMemory(status.first, sandbox.allLimits.memoryBytes)
  child.once('error', () => {
    // It could not be started, so `kill` will not be called.
    watch.close()
    memory?.close()
    void group?.remove()
  })
  return supervise({ child, command, group, mark, memory, sandbox, status, watch })
}

function spawnBubblewrap(
  machine: Bubblewrap,
  sandbox: PreparedSandbox,
  command: LaunchCommand,
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
  const inner = innerCommand(machine, sandbox, command)
  const hasInput = command.input !== undefined || command.keepsInput === true
  const empty = hiddenFiles(sandbox).map(() => emptyDescriptor())
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe', ...empty] as const
  const covered = coverInherited(hiddenDescriptor + empty.length)
  const [program, ...stage] = firstProgram(machine, sandbox)
  return spawn(program, [...stage, ...isolationArgs, ...options, '--', ...inner], {
    detached: true,
    cwd: '/',
    env: { [markVariable]: mark.value },
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...stdio, ...covered],
  })
}

/** bubblewrap or, with an overlay, the program that mounts it and then executes bubblewrap. */
function firstProgram(
  { bwrap, overlayTools }: Bubblewrap,
  { overlay: memory, workspaceOverlay, real, allLimits }: PreparedSandbox,
): readonly [program: string, ...args: string[]] {
  if (memory === undefined && workspaceOverlay === undefined) return [bwrap]
  if (overlayTools === undefined) {
    throw new LoopError(
      'not-available',
      'Overlays do not work on this machine. Mount the folders read-only.',
    )
  }
  // In the overlay's user namespace every process is root; inside, it keeps its own user.
  const user = ['--uid', `${process.getuid?.()}`, '--gid', `${process.getgid?.()}`]
  const workspace = workspaceOverlay && { path: real, folder: workspaceOverlay.folder }
  return [...overlayStage(overlayTools, { workspace, memory }, allLimits), bwrap, ...user]
}

/** The folder on disk that holds the files a command writes to its workspace. */
const writtenFolder = ({ real, workspaceOverlay }: PreparedSandbox): string =>
  workspaceOverlay === undefined ? real : join(workspaceOverlay.folder, upperName)

/** The command, preceded by the guard and the relay. */
function innerCommand(
  machine: Bubblewrap,
  sandbox: PreparedSandbox,
  { program, args }: LaunchCommand,
): readonly string[] {
  const relays = listRelays(sandbox).map(({ port }, index) => `${port}=${relaySocket(index)}`)
  const relay = relays.length === 0 ? [] : [machine.node, relayProgram, ...relays, '--']
  return guardCommand(sandbox.allLimits, machine.limits, [...relay, program, ...args])
}

interface Supervised {
  readonly child: ChildProcess
  readonly command: LaunchCommand
  readonly group: Cgroup | undefined
  readonly mark: Mark
  readonly memory: MemoryWatch | undefined
  readonly sandbox: PreparedSandbox
  readonly status: Status
  readonly watch: DiskWatch
}

function supervise(supervised: Supervised): Launched {
  const { child, command, group, mark, memory, sandbox, status, watch } = supervised
  let reportExceeded: (limit: Exceeded) => void = () => {}
  const outputExceeded = new Promise<Exceeded>((resolve) => {
    reportExceeded = resolve
  })
  let exceededAtEnd: Exceeded | undefined
  const freezer = createProcessFreezer(status.first, group?.freezer)
  const killTree = async (): Promise<readonly number[]> => {
    watch.close()
    memory?.close()
    killOuter(child)
    const alive = await killNamespace(child, status.first(), mark)
    exceededAtEnd = group?.exceeded()
    // A long-running process has no result that the disk limit could invalidate.
    if (command.keepsInput !== true && (await watch.isTooMuch())) exceededAtEnd = 'disk'
    const inGroup = (await group?.remove()) ?? []
    return [...new Set([...alive, ...inGroup])]
  }
  return {
    child,
    exceeded: Promise.race([
      outputExceeded,
      watch.exceeded,
      ...(memory === undefined ? [] : [memory.exceeded]),
    ]),
    acceptOutput(outputBytes) {
      const isTooMuch = outputBytes > sandbox.allLimits.outputBytes
      if (isTooMuch) reportExceeded('output')
      return !isTooMuch
    },
    stop() {
      const target = findCommandPid(status.first())
      // Before the command runs there is no process that could clean up.
      if (target === undefined) killOuter(child)
      // It leads a process group, unless it has only just started.
      else if (!kill(-target, 'SIGTERM')) kill(target, 'SIGTERM')
    },
    kill: killTree,
    async pause() {
      if (!(await freezer.pause())) await killTree()
    },
    resume: () => freezer.resume(),
    conclude(ending, stderr) {
      if (ending.ended === 'exited' && !status.hasStarted()) throw notStarted(command, stderr)
      const failure = ending.ended === 'exited' ? guardFailure(ending.exitCode, stderr) : undefined
      if (failure === 'not-limited') throw sandboxFailed(command, 'its limits were refused')
      if (failure !== undefined) throw cannotStart(command, { code: failure })
      return defined({ exceeded: exceededAtEnd })
    },
  }
}

/** When the first process of a namespace ends, the kernel kills all others in it. */
async function killNamespace(
  child: ChildProcess,
  first: number | undefined,
  mark: Mark,
): Promise<readonly number[]> {
  if (first === undefined) return child.pid === undefined ? [] : killAll(child.pid, mark)
  const startedAt = performance.now()
  for (let waitMs = 0.5; isAlive(first); waitMs = Math.min(2 * waitMs, 20)) {
    if (performance.now() - startedAt > killMsMax) return [first]
    kill(first, 'SIGKILL')
    await sleep(waitMs)
  }
  return []
}

/** Derives the fault from the last line that bubblewrap printed. */
function notStarted(command: LaunchCommand, stderr: string): FaultError {
  const lastLine = stderr.trim().split('\n').at(-1) ?? ''
  if (!lastLine.startsWith("bwrap: Can't chdir to ")) {
    return sandboxFailed(command, lastLine === '' ? 'bubblewrap printed nothing' : lastLine)
  }
  const reason = `the directory ${command.cwd} does not exist in the sandbox`
  const message = `Cannot start ${command.program}: ${reason}. Use a directory in the workspace.`
  return new FaultError({ code: 'ENOENT', message, retryable: false })
}

function sandboxFailed({ program }: LaunchCommand, reason: string): FaultError {
  const message = `Cannot start ${program}: creating the sandbox failed: ${reason}.`
  return new FaultError({ code: 'sandbox-failed', message, retryable: false })
}
