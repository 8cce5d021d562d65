/**
 * A process that somebody talks to, and everything that it starts, whoever starts it.
 *
 * 1. When it has ended, or shall, all of it is killed.
 * 2. When this process exits, those that are left are killed. After a kill -9 of this process they see
 *    the end of their input; whoever starts them knows how those that ignore it are found.
 * 3. From the request to end on it is not paused any more.
 */

import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { textOf } from '../loop/index.ts'
import { within } from '../system/index.ts'
import type { ProcessCommand, StartedProcess, StartProcess } from './ports.ts'

export interface OpenProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** How it ended by itself, after its last output. */
  readonly ended: Promise<ProcessEnd>
  /**
   * `politely`: it may end by itself before it is killed. Resolves, when all of it is gone, with those
   * processes that would not die.
   */
  stop(politely: boolean): Promise<readonly number[]>
  /** Resolves when nothing of it runs, if it can be paused at all. */
  pause(): Promise<void>
  resume(): void
}

export interface ProcessEnd {
  /** Absent when it was killed. */
  readonly exitCode?: number
  /** In words: "it exited with code 1". */
  readonly how: string
}

/** After its input has ended, and again after it was asked to. */
const politeMs = 500
/** Its last words may still be in the pipe. Something else may hold the other end for ever. */
const drainMs = 250

/** Rejects, with the reason and what to do about it, when it cannot be started. */
export async function openProcess(
  start: StartProcess,
  command: ProcessCommand,
): Promise<OpenProcess> {
  const started = startOrExplain(start, command)
  const { child } = started
  const { stdin, stdout, stderr } = streamsOf(started)
  const exited = exitOf(child)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
  await spawned(child, command)
  keep(started)

  let isEnding = false
  const stop = async (politely: boolean): Promise<readonly number[]> => {
    isEnding = true
    if (politely) started.resume?.()
    stdin.end()
    if (politely && !(await within(exited, politeMs))) {
      started.stop()
      await within(exited, politeMs)
    }
    const alive = await started.kill()
    release(started)
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
    return alive
  }
  const ended = exited.then(async (end) => {
    await within(closed, drainMs)
    return end
  })
  return {
    stdin,
    stdout,
    stderr,
    ended,
    stop,
    async pause() {
      if (!isEnding) await started.pause?.()
    },
    resume: () => started.resume?.(),
  }
}

function startOrExplain(start: StartProcess, command: ProcessCommand): StartedProcess {
  try {
    return start(command)
  } catch (error) {
    throw cannotStart(command, error)
  }
}

/** Whoever starts it gives it pipes. */
function streamsOf({ child, kill }: StartedProcess): {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
} {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) {
    void kill()
    throw new Error('It was started without pipes. Give it three.')
  }
  return { stdin, stdout, stderr }
}

function spawned(child: ChildProcess, command: ProcessCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(command, error)))
    if (child.pid !== undefined) resolve()
  })
}

const exitOf = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(
        code === null
          ? { how: `it was killed by ${signal}` }
          : { exitCode: code, how: `it exited with code ${code}` },
      ),
    )
  })

function cannotStart({ program, cwd }: ProcessCommand, cause: unknown): Error {
  const { code } = cause as { code?: unknown }
  const isPlaceMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const why = isPlaceMissing
    ? `there is no folder ${cwd}`
    : (reasons[String(code)] ?? textOf(cause))
  return new Error(`Cannot start ${program}: ${why}.`, { cause })
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program. Install it, or give its full path',
  EACCES: 'it is not executable',
}

/** Those that die with this process. */
const kept = new Set<StartedProcess>()
const killKept = (): void => {
  for (const started of kept) void started.kill().catch(() => {})
}

function keep(started: StartedProcess): void {
  if (kept.size === 0) process.once('exit', killKept)
  kept.add(started)
}

function release(started: StartedProcess): void {
  kept.delete(started)
  if (kept.size === 0) process.removeListener('exit', killKept)
}
