/**
 * An interactive process, and everything that it starts.
 *
 * 1. When it ends or is stopped, its whole process tree is killed.
 * 2. When this process exits, remaining processes are killed. After a kill -9 of this process they see
 *    the end of their input; the caller knows how to find those that ignore it.
 * 3. It cannot be paused after a request to end.
 */

import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { textOf } from '../loop/index.ts'
import { settlesWithin } from '../system/index.ts'
import type { ProcessCommand, StartedProcess, StartProcess } from './ports.ts'

export interface OpenProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves after its last output, if it ends by itself. */
  readonly ended: Promise<ProcessEnd>
  /**
   * `politely`: it may end by itself before it is killed. Resolves when the whole tree is gone, with the
   * processes that could not be killed.
   */
  stop(politely: boolean): Promise<readonly number[]>
  /** Resolves when the whole tree is paused, if it can be paused at all. */
  pause(): Promise<void>
  resume(): void
}

export interface ProcessEnd {
  /** Absent when it was killed. */
  readonly exitCode?: number
  /** In words: "it exited with code 1". */
  readonly how: string
}

/** How long to wait after closing its input, and again after the request to end. */
const politeMs = 500
/** Output may still be in the pipe, but another process may hold the other end open forever. */
const drainMs = 250

/** If it cannot be started, rejects with the reason and what to do about it. */
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
  killAtExit(started)

  let isEnding = false
  const stop = async (politely: boolean): Promise<readonly number[]> => {
    isEnding = true
    if (politely) started.resume?.()
    stdin.end()
    if (politely && !(await settlesWithin(exited, politeMs))) {
      started.stop()
      await settlesWithin(exited, politeMs)
    }
    const alive = await started.kill()
    release(started)
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
    return alive
  }
  const ended = exited.then(async (end) => {
    await settlesWithin(closed, drainMs)
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

/** The caller must start it with pipes. */
function streamsOf({ child, kill }: StartedProcess): {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
} {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) {
    void kill()
    throw new Error('The process was started without pipes. Pass three.')
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

/** Killed when this process exits. */
const running = new Set<StartedProcess>()
const killAll = (): void => {
  for (const started of running) void started.kill().catch(() => {})
}

function killAtExit(started: StartedProcess): void {
  if (running.size === 0) process.once('exit', killAll)
  running.add(started)
}

function release(started: StartedProcess): void {
  running.delete(started)
  if (running.size === 0) process.removeListener('exit', killAll)
}
