/**
 * Starts the daemon of a folder, and waits until it answers. Of two that are started at once, one gets
 * the lock and the other ends; whoever started either finds the one that is there.
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
import { errorTable, isLoopError, LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'
import { clientOf, daemonFolder } from './find-daemon.ts'
import { waitForHealth } from './wait-for-health.ts'

export interface StartOptions {
  /** The folder of the record. */
  readonly folder: string
  readonly token?: string | undefined
  /** What loopd is given besides the folder, such as `--port 7701`. */
  readonly args?: readonly string[]
}

export interface StartedDaemon {
  readonly client: Client
  readonly pid: number | undefined
}

/** One that lives may take its time where the machine is busy. */
const startWindowMs = 30_000
const outputBytesMax = 1024 * 1024

/** Where another one has the record, that one. Where either is killed before it answers, one more is started. */
export async function startDaemon(options: StartOptions): Promise<StartedDaemon> {
  const endMs = performance.now() + startWindowMs
  for (;;) {
    const started = await startOne(options, endMs - performance.now())
    if (!('problem' in started)) return started
    if (!started.isPassing || performance.now() >= endMs) throw started.problem
  }
}

interface NotStarted {
  readonly problem: LoopError
  /** The next one may have better luck. */
  readonly isPassing: boolean
}

async function startOne(
  { folder, token, args = [] }: StartOptions,
  windowMs: number,
): Promise<StartedDaemon | NotStarted> {
  const output = join(daemonFolder(folder), 'loopd.out')
  const { child, from } = spawnDaemon(folder, output, args)
  let ended: string | undefined
  let isPassing = false
  child.once('error', ({ message }) => {
    ended = message
  })
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? code}`
    isPassing = signal !== null || code === errorTable['daemon-running'].exitCode
  })
  let lastLooks = 3
  try {
    const client = await waitForHealth(() => clientOf(folder, token), {
      windowMs,
      // Another one may be on its way, which is why ours ended.
      isLost: () => ended !== undefined && lastLooks-- === 0,
    })
    return { client, pid: ended === undefined ? child.pid : undefined }
  } catch (error) {
    if (!isLoopError(error, 'not-available')) throw error
    const problem = notStarted(ended ?? 'it does not answer', output, from, error)
    return { problem, isPassing }
  } finally {
    child.unref()
  }
}

interface Spawned {
  readonly child: ChildProcess
  /** Where in the file of its output its own begins. */
  readonly from: number
}

function spawnDaemon(folder: string, output: string, args: readonly string[]): Spawned {
  const program = fileURLToPath(new URL('../daemon/loopd.js', import.meta.url))
  makeFolder(daemonFolder(folder))
  requireOwn(daemonFolder(folder))
  // What it says before it has its log, and what Node says if it breaks.
  const { file, from } = openOutput(output)
  try {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      detached: true,
      env: { ...process.env, LOOPWRIGHT_STATE: folder },
      stdio: ['ignore', file, file],
    })
    return { child, from }
  } finally {
    closeSync(file)
  }
}

/** With those above it. Node's own way goes round for ever where one is refused as not there (`/proc`). */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Somebody else was faster.
    if (existsSync(path)) return
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `The folder of the record cannot be made: ${why}.`
    throw new LoopError('store-failed', `${message} Name another with --state.`, { cause })
  }
}

/** In another's folder, whatever we write may end up in a file that they chose. */
function requireOwn(folder: string): void {
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw unusable(folder, 'it is no folder, or a link to one')
  if (found.uid !== process.getuid?.()) throw unusable(folder, 'it belongs to another user')
}

/** To go on at its end; one that is long begins anew. */
function openOutput(path: string): { readonly file: number; readonly from: number } {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  let file: number
  try {
    file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (cause) {
    throw unusable(path, cause instanceof Error ? cause.message : String(cause), cause)
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.nlink > 1) throw unusable(path, 'it is no file of its own')
    if (found.size <= outputBytesMax) return { file, from: found.size }
    ftruncateSync(file)
    return { file, from: 0 }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function unusable(path: string, why: string, cause?: unknown): LoopError {
  const message = `${path} cannot be used: ${why}.`
  const advice = 'Put that right, or name another folder with --state.'
  return new LoopError('store-failed', `${message} ${advice}`, { cause })
}

const linesMax = 5

function notStarted(why: string, output: string, from: number, cause: unknown): LoopError {
  const said = lastLines(output, from)
  const words = said === '' ? '' : ` It said: ${said}`
  return new LoopError(
    'not-available',
    `The daemon could not be started: ${why}.${words} All of it is in ${output}. ` +
      'To do without one: --no-daemon.',
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
