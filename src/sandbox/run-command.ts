/**
 * Runs one command until all processes it started have ended, with or without a sandbox.
 *
 * 1. Memory does not grow with the output: only the end of each stream is kept, and the command is paused
 *    while the disk is behind with the file of the whole output.
 * 2. It ends at the latest at its time limit plus a tenth of it, whatever the command does; at a resource
 *    limit it ends at once.
 */

import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Command, CommandResult } from '../engine/index.ts'
import { defined, FaultError, type Signal, toFault } from '../loop/index.ts'
import { createOutputTail, type OutputTail } from './output-tail.ts'
import { createSpillFile, type SpillFile } from './spill-file.ts'

export type Ending = Pick<CommandResult, 'ended' | 'exitCode'>
export type Exceeded = NonNullable<CommandResult['exceeded']>

/** A started command, and how to stop it. */
export interface Launched {
  readonly child: ChildProcess
  /** Sends SIGTERM, so that it can clean up. */
  stop(): void
  /** Kills all its processes. Resolves with those that are still alive. */
  kill(): Promise<readonly number[]>
  /** Pauses all its processes, or kills them if that fails. Absent: pausing is not supported. */
  pause?(): Promise<void>
  resume?(): void
  /** Resolves when it exceeds a limit. Absent: there are no limits. */
  readonly exceeded?: Promise<Exceeded>
  /** Called with the total output so far. False: stop reading. */
  acceptOutput?(outputBytes: number): boolean
  /** Called after its end and its last output. Throws if the command never started. */
  conclude?(ending: Ending, stderr: string): Pick<CommandResult, 'exceeded'>
}

/** Throws if the command cannot be started. */
export type Launch = (command: Command) => Launched

const defaultTimeoutMs = 10 * 60_000
const defaultOutputBytesMax = 64 * 1024
/** Between SIGTERM and the kill; at a time limit, at most a twentieth of the limit. */
const graceMs = 2000
/** A surviving process may hold the other end of a pipe open. */
const drainMs = 500
/** Node fires a longer timer at once. */
const timerMsMax = 2 ** 31 - 1

const noOutput = { stdout: '', stderr: '', outputBytes: 0, durationMs: 0 }

export async function runCommand(
  launch: Launch,
  command: Command,
  signal: Signal,
): Promise<CommandResult> {
  if (signal.aborted) return { ...noOutput, ended: 'aborted' }
  const startedAt = performance.now()
  const launched = start(launch, command)
  const { child } = launched
  const exited = waitForExit(child, command)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const { stdout, stderr, spill } = follow(launched, command)
  // A program may exit without reading all its input.
  child.stdin?.on('error', () => {}).end(command.input)

  const ending = await waitForEnd(exited, launched, command, signal)
  const alive = child.pid === undefined ? [] : await launched.kill()
  spill?.release()
  await settledWithin(closed, drainMs)
  for (const stream of child.stdio) stream?.destroy()
  const spilled = await spill?.close()
  if (alive.length > 0) throw stillAlive(command, alive)
  const concluded = launched.conclude?.(ending, stderr.text())
  // A disk limit that was found exceeded only after the end is a failure too.
  const isTooLarge = concluded?.exceeded === 'disk' && ending.ended === 'exited'
  return {
    ...concluded,
    ...(isTooLarge ? { ended: 'signal' as const } : ending),
    stdout: stdout.text(),
    stderr: stderr.text(),
    outputBytes: stdout.bytes + stderr.bytes,
    ...defined({ spilled }),
    durationMs: Math.round(performance.now() - startedAt),
  }
}

function start(launch: Launch, command: Command): Launched {
  try {
    return launch(command)
  } catch (error) {
    throw cannotStart(command, error)
  }
}

/** Rejects if the command could not be started. */
function waitForExit(child: ChildProcess, command: Command): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      resolve(code === null ? { ended: 'signal' } : { ended: 'exited', exitCode: code }),
    )
    child.on('error', (error) => {
      if (child.pid === undefined) reject(cannotStart(command, error))
    })
  })
}

interface FollowedOutput {
  readonly stdout: OutputTail
  readonly stderr: OutputTail
  readonly spill: SpillFile | undefined
}

function follow(launched: Launched, command: Command): FollowedOutput {
  const { child } = launched
  const { outputBytesMax = defaultOutputBytesMax } = command
  const streams = [child.stdout, child.stderr]
  const producers = {
    pause: () => streams.forEach((stream) => stream?.pause()),
    resume: () => streams.forEach((stream) => stream?.resume()),
  }
  const spill = command.spill && createSpillFile(command.spill, outputBytesMax, producers)
  const notify = safeListener(command)
  let outputBytes = 0
  const keepEnd = (stream: Readable | null, name: 'stdout' | 'stderr'): OutputTail => {
    const tail = createOutputTail(outputBytesMax)
    stream
      ?.on('error', () => {})
      .on('data', (chunk: Buffer) => {
        tail.push(chunk)
        spill?.push(chunk, tail.bytes)
        notify(chunk, name)
        outputBytes += chunk.length
        if (launched.acceptOutput?.(outputBytes) === false) streams.forEach((one) => one?.destroy())
      })
    return tail
  }
  return {
    stdout: keepEnd(child.stdout, 'stdout'),
    stderr: keepEnd(child.stderr, 'stderr'),
    spill,
  }
}

/** Drops a listener that throws, because nothing above would catch the error. */
function safeListener({ onOutput }: Command): NonNullable<Command['onOutput']> {
  let listener = onOutput
  return (chunk, stream) => {
    try {
      listener?.(chunk, stream)
    } catch {
      listener = undefined
    }
  }
}

/** Waits until the command exits, or stops it at the time limit or when the signal aborts. */
async function waitForEnd(
  exited: Promise<Ending>,
  launched: Launched,
  command: Command,
  signal: Signal,
): Promise<Ending & Pick<CommandResult, 'exceeded'>> {
  const { timeoutMs = defaultTimeoutMs } = command
  const stop = await raceToEnd(exited, launched, timeoutMs, signal)
  if (typeof stop === 'object') return stop
  launched.stop()
  await settledWithin(exited, stop === 'timeout' ? Math.min(graceMs, timeoutMs / 20) : graceMs)
  return { ended: stop }
}

async function raceToEnd(
  exited: Promise<Ending>,
  { exceeded }: Launched,
  timeoutMs: number,
  signal: Signal,
): Promise<(Ending & Pick<CommandResult, 'exceeded'>) | 'timeout' | 'aborted'> {
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const stopped = new Promise<'timeout' | 'aborted'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), Math.min(timeoutMs, timerMsMax))
    onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
  })
  const limited = exceeded?.then((limit) => ({ ended: 'signal' as const, exceeded: limit }))
  try {
    return await Promise.race([exited, stopped, ...(limited === undefined ? [] : [limited])])
  } finally {
    clearTimeout(timer)
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}

async function settledWithin(event: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([event.then(() => true), timeout])
  } finally {
    clearTimeout(timer)
  }
}

export function cannotStart(command: Command, cause: unknown): FaultError {
  const { code, message, retryable } = toFault(cause)
  const { cwd, program } = command
  const isCwdMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const reason = isCwdMissing
    ? `the directory ${cwd} does not exist`
    : (reasons[code] ?? withoutPeriod(message))
  const text = `Cannot start ${program}: ${reason}.`
  return new FaultError({ code, message: text, retryable }, { cause })
}

const withoutPeriod = (message: string): string => message.replace(/\.+$/, '')

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'program not found. Install it, or use its absolute path',
  EACCES: 'it is not executable',
}

function stillAlive(command: Command, pids: readonly number[]): FaultError {
  const message = `${command.program} left processes that cannot be killed: ${pids.join(', ')}.`
  return new FaultError({ code: 'still-alive', message, retryable: false })
}
