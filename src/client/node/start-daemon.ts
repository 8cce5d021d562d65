/**
 * Starts the daemon of a state folder, and waits until it answers. If two are started at once, one gets
 * the lock and the other exits; both callers find the one that is running.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorTable, isLoopError, LoopError } from '../../loop/index.ts'
import type { Client } from '../client.ts'
import { waitForHealth } from '../wait-for-health.ts'
import { clientOf, daemonFolder } from './find-daemon.ts'

export interface StartOptions {
  /** The state folder. */
  readonly folder: string
  readonly token?: string | undefined
  /** Further arguments for loopd, such as `--port 7701`. */
  readonly args?: readonly string[]
}

export interface StartedDaemon {
  readonly client: Client
  readonly pid: number | undefined
}

/** Starting may take a while on a busy machine. */
const startWindowMs = 30_000
/** Until it answers, a look costs no more than reading a file. */
const lookMs = { firstMs: 100, longestMs: 200 }
/** Another daemon that is starting has as long to answer. */
const othersLooks = 15
const outputBytesMax = 1024 * 1024

/** Returns a daemon that is already running. Starts another if one is killed before it answers. */
export async function startDaemon(options: StartOptions): Promise<StartedDaemon> {
  const endMs = performance.now() + startWindowMs
  for (;;) {
    const result = await tryStart(options, endMs - performance.now())
    if (!('problem' in result)) return result
    if (!result.isTransient || performance.now() >= endMs) throw result.problem
  }
}

interface StartFailure {
  readonly problem: LoopError
  /** Another attempt may succeed. */
  readonly isTransient: boolean
}

async function tryStart(
  { folder, token, args = [] }: StartOptions,
  windowMs: number,
): Promise<StartedDaemon | StartFailure> {
  const output = join(daemonFolder(folder), 'loopd.out')
  const { child, outputStart } = spawnDaemon(folder, output, args)
  let ended: string | undefined
  let isTransient = false
  child.once('error', ({ message }) => {
    ended = message
  })
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? code}`
    isTransient = signal !== null || code === errorTable['daemon-running'].exitCode
  })
  let attemptsLeft = othersLooks
  try {
    const client = await waitForHealth(() => clientOf(folder, token), {
      ...lookMs,
      windowMs,
      // Ours may have exited because another daemon is starting; after any other end there is nothing to wait for.
      isLost: () => ended !== undefined && (!isTransient || attemptsLeft-- === 0),
    })
    return { client, pid: ended === undefined ? child.pid : undefined }
  } catch (error) {
    if (!isLoopError(error, 'not-available')) throw error
    const problem = startFailed(ended ?? 'it does not answer', output, outputStart, error)
    return { problem, isTransient }
  } finally {
    child.unref()
  }
}

interface SpawnedDaemon {
  readonly child: ChildProcess
  /** The offset in the output file where its output starts. */
  readonly outputStart: number
}

function spawnDaemon(folder: string, output: string, args: readonly string[]): SpawnedDaemon {
  const program = fileURLToPath(new URL('../../daemon/loopd.js', import.meta.url))
  createFolder(daemonFolder(folder))
  requireOwn(daemonFolder(folder))
  // For output before the log is open, and for crashes of Node itself.
  const { file, size: outputStart } = openOutput(output)
  try {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      detached: true,
      env: { ...process.env, LOOPWRIGHT_STATE: folder },
      stdio: ['ignore', file, file],
    })
    return { child, outputStart }
  } finally {
    closeSync(file)
  }
}

/** Creates parents as well. Node's `recursive` loops forever where mkdir reports ENOENT (`/proc`). */
function createFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) createFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Another process created it.
    if (existsSync(path)) return
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot create the state folder: ${why}.`
    throw new LoopError('store-failed', `${message} Choose another with --state.`, { cause })
  }
}

/** In the folder of another user, our output could end up in a file that they chose. */
function requireOwn(folder: string): void {
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw unusable(folder, 'it is not a folder, or it is a link')
  if (found.uid !== process.getuid?.()) throw unusable(folder, 'it belongs to another user')
}

/** Appends to the file; a long one is truncated first. */
function openOutput(path: string): { readonly file: number; readonly size: number } {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (cause) {
    throw unusable(path, cause instanceof Error ? cause.message : String(cause), cause)
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.nlink > 1)
      throw unusable(path, 'it is not a regular file, or it has hard links')
    if (found.size <= outputBytesMax) return { file, size: found.size }
    ftruncateSync(file)
    return { file, size: 0 }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function unusable(path: string, why: string, cause?: unknown): LoopError {
  const message = `Cannot use ${path}: ${why}.`
  const advice = 'Fix that, or choose another state folder with --state.'
  return new LoopError('store-failed', `${message} ${advice}`, { cause })
}

const linesMax = 5

function startFailed(why: string, output: string, from: number, cause: unknown): LoopError {
  const lines = lastLines(output, from)
  const printed = lines === '' ? '' : ` It printed: ${lines}`
  return new LoopError(
    'not-available',
    `Cannot start the daemon: ${why}.${printed} Its full output is in ${output}. ` +
      'To run without a daemon, pass --no-daemon.',
    { cause },
  )
}

function lastLines(path: string, from: number): string {
  try {
    return readFileSync(path)
      .subarray(from)
      .toString('utf8')
      .trim()
      .split('\n')
      .slice(-linesMax)
      .join(' / ')
      .slice(-2000)
  } catch {
    return ''
  }
}
