/**
 * Commands as plain processes: no shell, and no walls either. For programs that are trusted, and for
 * machines without a sandbox.
 *
 * 1. A command leads a process group of its own. When it has ended, however it ended, everything in
 *    that group is killed; on Linux also what had left the group, by the mark in its environment.
 *    Only a process that leaves the group and clears its environment gets away.
 * 2. Memory does not grow with the output: of each stream only the end is kept, and a command is held
 *    back while the disk is behind with the file of the whole.
 * 3. It ends at its time limit plus the grace time at the latest, whatever the command does.
 *
 * The environment is what the command gives, over PATH, HOME, LANG and TMPDIR of this process, plus
 * the mark. Nothing else gets in.
 */

import { type ChildProcess, spawn as nodeSpawn, type SpawnOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import {
  baseEnvironment,
  type Command,
  type CommandResult,
  type Commands,
} from '../engine/index.ts'
import { FaultError, type Signal, toFault } from '../loop/index.ts'
import { createOutputTail, type OutputTail } from './output-tail.ts'
import { killAll, type Mark, markVariable, newMark, signalGroup } from './process-group.ts'
import { createSpillFile, type SpillFile } from './spill-file.ts'

export interface PlainCommandsOptions {
  readonly spawn?: Spawn
}

export type Spawn = (
  program: string,
  args: readonly string[],
  options: SpawnOptions,
) => ChildProcess

const defaultTimeoutMs = 10 * 60_000
const defaultOutputBytesMax = 64 * 1024
/** Between the request to end and the kill. */
const graceMs = 2000
/** Something may still hold the other end of a pipe. */
const drainMs = 500
/** A longer timer would fire at once. */
const timerMsMax = 2 ** 31 - 1

export function createPlainCommands({ spawn = nodeSpawn }: PlainCommandsOptions = {}): Commands {
  return { run: (command, signal) => run(spawn, command, signal) }
}

const nothing = { stdout: '', stderr: '', outputBytes: 0, durationMs: 0 }

type Ending = Pick<CommandResult, 'ended' | 'exitCode'>

async function run(spawn: Spawn, command: Command, signal: Signal): Promise<CommandResult> {
  if (signal.aborted) return { ...nothing, ended: 'aborted' }
  const startedAt = performance.now()
  const mark = newMark()
  const child = start(spawn, command, mark)
  const exited = exitOf(child, command)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const { stdout, stderr, spill } = follow(child, command)
  // A program may end without having read all, or anything.
  child.stdin?.on('error', () => {}).end(command.input)

  const ending = await endOf(exited, child.pid, command, signal)
  const alive = child.pid === undefined ? [] : await killAll(child.pid, mark)
  spill?.release()
  await within(closed, drainMs)
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
  const spilled = await spill?.close()
  if (alive.length > 0) throw stillAlive(command, alive)
  const durationMs = Math.round(performance.now() - startedAt)
  const outputBytes = stdout.bytes + stderr.bytes
  return {
    ...ending,
    stdout: stdout.text(),
    stderr: stderr.text(),
    outputBytes,
    ...(spilled === undefined ? {} : { spilled }),
    durationMs,
  }
}

function start(spawn: Spawn, command: Command, mark: Mark): ChildProcess {
  try {
    return spawn(command.program, command.args, {
      detached: true,
      stdio: [command.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: { ...baseEnvironment(), ...command.env, [markVariable]: mark.value },
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    })
  } catch (error) {
    throw cannotStart(command, error)
  }
}

/** Rejects when it could not be started. */
function exitOf(child: ChildProcess, command: Command): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      resolve(code === null ? { ended: 'signal' } : { ended: 'exited', exitCode: code }),
    )
    child.on('error', (error) => {
      if (child.pid === undefined) reject(cannotStart(command, error))
    })
  })
}

interface Followed {
  readonly stdout: OutputTail
  readonly stderr: OutputTail
  readonly spill: SpillFile | undefined
}

function follow(child: ChildProcess, command: Command): Followed {
  const { outputBytesMax = defaultOutputBytesMax } = command
  const streams = [child.stdout, child.stderr]
  const producers = {
    pause: () => streams.forEach((stream) => stream?.pause()),
    resume: () => streams.forEach((stream) => stream?.resume()),
  }
  const spill = command.spill && createSpillFile(command.spill, outputBytesMax, producers)
  const tell = teller(command)
  const keepEnd = (stream: Readable | null): OutputTail => {
    const tail = createOutputTail(outputBytesMax)
    stream
      ?.on('error', () => {})
      .on('data', (chunk: Buffer) => {
        tail.push(chunk)
        spill?.push(chunk, tail.bytes)
        tell(chunk)
      })
    return tail
  }
  return { stdout: keepEnd(child.stdout), stderr: keepEnd(child.stderr), spill }
}

/** Whoever throws is not told again: nothing above would catch it. */
function teller({ onOutput }: Command): (chunk: Uint8Array) => void {
  let listener = onOutput
  return (chunk) => {
    try {
      listener?.(chunk)
    } catch {
      listener = undefined
    }
  }
}

/** Waits for its own end, or asks for it at the time limit or when it is no longer wanted. */
async function endOf(
  exited: Promise<Ending>,
  group: number | undefined,
  command: Command,
  signal: Signal,
): Promise<Ending> {
  const stop = await firstOf(exited, command.timeoutMs ?? defaultTimeoutMs, signal)
  if (stop === 'exited') return exited
  if (group !== undefined) signalGroup(group, 'SIGTERM')
  await within(exited, graceMs)
  return { ended: stop }
}

async function firstOf(
  exited: Promise<Ending>,
  timeoutMs: number,
  signal: Signal,
): Promise<'exited' | 'timeout' | 'aborted'> {
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const stopped = new Promise<'timeout' | 'aborted'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), Math.min(timeoutMs, timerMsMax))
    onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([exited.then(() => 'exited' as const), stopped])
  } finally {
    clearTimeout(timer)
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}

async function within(event: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([event.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function cannotStart(command: Command, cause: unknown): FaultError {
  const { code, message, retryable } = toFault(cause)
  const { cwd, program } = command
  const isPlaceMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const why = isPlaceMissing ? `there is no directory ${cwd}` : (reasons[code] ?? message)
  return new FaultError({ code, message: `Cannot start ${program}: ${why}.`, retryable }, { cause })
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program. Install it, or give its full path',
  EACCES: 'it is not executable',
}

function stillAlive(command: Command, pids: readonly number[]): FaultError {
  const message = `${command.program} left processes that cannot be killed: ${pids.join(', ')}.`
  return new FaultError({ code: 'still-alive', message, retryable: false })
}
