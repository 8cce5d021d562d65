/**
 * One command from its start to the end of all that it started, whoever starts it: with walls or
 * without.
 *
 * 1. Memory does not grow with the output: of each stream only the end is kept, and a command is held
 *    back while the disk is behind with the file of the whole.
 * 2. It ends at its time limit plus a tenth of it at the latest, whatever the command does; at a limit of
 *    its resources it ends at once.
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

/** A command that was started, and the ways to its end. */
export interface Launched {
  readonly child: ChildProcess
  /** Asks it to end; it may clean up. */
  stop(): void
  /** Kills all that it started. Resolves with the processes that would not die. */
  kill(): Promise<readonly number[]>
  /** Holds all that it started, or kills it where it cannot be held. Absent: nobody can. */
  pause?(): Promise<void>
  resume?(): void
  /** Resolves when it has used more than it may. Absent: nobody watches. */
  readonly exceeded?: Promise<Exceeded>
  /** Told of all output, in bytes so far. False: nothing more is to be read. */
  heard?(outputBytes: number): boolean
  /** After its end and its last output. Throws when the command was never started. */
  conclude?(ending: Ending, stderr: string): Pick<CommandResult, 'exceeded'>
}

/** Throws when it cannot be started. */
export type Launch = (command: Command) => Launched

const defaultTimeoutMs = 10 * 60_000
const defaultOutputBytesMax = 64 * 1024
/** Between the request to end and the kill; at a time limit a twentieth of that, if less. */
const graceMs = 2000
/** Something may still hold the other end of a pipe. */
const drainMs = 500
/** A longer timer would fire at once. */
const timerMsMax = 2 ** 31 - 1

const nothing = { stdout: '', stderr: '', outputBytes: 0, durationMs: 0 }

export async function runCommand(
  launch: Launch,
  command: Command,
  signal: Signal,
): Promise<CommandResult> {
  if (signal.aborted) return { ...nothing, ended: 'aborted' }
  const startedAt = performance.now()
  const launched = start(launch, command)
  const { child } = launched
  const exited = exitOf(child, command)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const { stdout, stderr, spill } = follow(launched, command)
  // A program may end without having read all, or anything.
  child.stdin?.on('error', () => {}).end(command.input)

  const ending = await endOf(exited, launched, command, signal)
  const alive = child.pid === undefined ? [] : await launched.kill()
  spill?.release()
  await within(closed, drainMs)
  for (const stream of child.stdio) stream?.destroy()
  const spilled = await spill?.close()
  if (alive.length > 0) throw stillAlive(command, alive)
  const concluded = launched.conclude?.(ending, stderr.text())
  // What was found too large only after its end is no success either.
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

function follow(launched: Launched, command: Command): Followed {
  const { child } = launched
  const { outputBytesMax = defaultOutputBytesMax } = command
  const streams = [child.stdout, child.stderr]
  const producers = {
    pause: () => streams.forEach((stream) => stream?.pause()),
    resume: () => streams.forEach((stream) => stream?.resume()),
  }
  const spill = command.spill && createSpillFile(command.spill, outputBytesMax, producers)
  const tell = teller(command)
  let outputBytes = 0
  const keepEnd = (stream: Readable | null, name: 'stdout' | 'stderr'): OutputTail => {
    const tail = createOutputTail(outputBytesMax)
    stream
      ?.on('error', () => {})
      .on('data', (chunk: Buffer) => {
        tail.push(chunk)
        spill?.push(chunk, tail.bytes)
        tell(chunk, name)
        outputBytes += chunk.length
        if (launched.heard?.(outputBytes) === false) streams.forEach((one) => one?.destroy())
      })
    return tail
  }
  return {
    stdout: keepEnd(child.stdout, 'stdout'),
    stderr: keepEnd(child.stderr, 'stderr'),
    spill,
  }
}

/** Whoever throws is not told again: nothing above would catch it. */
function teller({ onOutput }: Command): NonNullable<Command['onOutput']> {
  let listener = onOutput
  return (chunk, stream) => {
    try {
      listener?.(chunk, stream)
    } catch {
      listener = undefined
    }
  }
}

/** Waits for its own end, or asks for it at the time limit or when it is no longer wanted. */
async function endOf(
  exited: Promise<Ending>,
  launched: Launched,
  command: Command,
  signal: Signal,
): Promise<Ending & Pick<CommandResult, 'exceeded'>> {
  const { timeoutMs = defaultTimeoutMs } = command
  const stop = await firstOf(exited, launched, timeoutMs, signal)
  if (typeof stop === 'object') return stop
  launched.stop()
  await within(exited, stop === 'timeout' ? Math.min(graceMs, timeoutMs / 20) : graceMs)
  return { ended: stop }
}

async function firstOf(
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
  const tooMuch = exceeded?.then((limit) => ({ ended: 'signal' as const, exceeded: limit }))
  try {
    return await Promise.race([exited, stopped, ...(tooMuch === undefined ? [] : [tooMuch])])
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

export function cannotStart(command: Command, cause: unknown): FaultError {
  const { code, message, retryable } = toFault(cause)
  const { cwd, program } = command
  const isPlaceMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const why = isPlaceMissing ? `there is no directory ${cwd}` : (reasons[code] ?? bare(message))
  return new FaultError({ code, message: `Cannot start ${program}: ${why}.`, retryable }, { cause })
}

const bare = (message: string): string => message.replace(/\.+$/, '')

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program. Install it, or give its full path',
  EACCES: 'it is not executable',
}

function stillAlive(command: Command, pids: readonly number[]): FaultError {
  const message = `${command.program} left processes that cannot be killed: ${pids.join(', ')}.`
  return new FaultError({ code: 'still-alive', message, retryable: false })
}
