/**
 * The process of a server, and everything that it starts.
 *
 * 1. Whoever starts it says how it is asked to end and how all of it is killed: by default it leads a
 *    process group of its own, which is killed when it has ended, or shall; with `MarkProcesses` also
 *    what had left the group. With `startServer` that is the sandbox's business.
 * 2. When this process exits, the servers that are left are killed. After a kill -9 of this process
 *    servers see the end of their input; those that ignore it are found by their mark.
 * 3. Whoever starts it may be able to pause it, with everything that it started. From the request to end
 *    on it is not paused any more.
 * 4. Its environment is PATH, HOME, LANG and TMPDIR, the mark, and what is given. Nothing else.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { baseEnvironment, type StartedProcess, type StartProcess } from '../../engine/index.ts'
import { textOf } from '../../loop/index.ts'
import { McpFailure } from './mcp-failure.ts'
import { within } from './within.ts'

/** For one server: what its environment carries, and how all that it started is killed. */
export type MarkProcesses = () => {
  readonly environment: Readonly<Record<string, string>>
  killAll(group: number): Promise<readonly number[]>
}

export interface ProcessOptions {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly markProcesses?: MarkProcesses | undefined
  /** In place of a plain process; then `environment` and `markProcesses` are not used. */
  readonly startServer?: StartProcess | undefined
}

export interface ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** How it ended by itself, in words, after its last output. */
  readonly ended: Promise<string>
  /** `politely`: it may end by itself before it is killed. Resolves when all of it is gone. */
  stop(politely: boolean): Promise<void>
  /** Resolves when nothing of it runs, if it can be paused at all. */
  pause(): Promise<void>
  resume(): void
}

/** After its input has ended, and again after it was asked to. */
const politeMs = 500
/** Its last words may still be in the pipe. Something else may hold the other end for ever. */
const drainMs = 250

const markNothing: MarkProcesses = () => ({
  environment: {},
  async killAll(group) {
    signalGroup(group, 'SIGKILL')
    return []
  },
})

/** Rejects when it cannot be started. */
export async function startServerProcess(options: ProcessOptions): Promise<ServerProcess> {
  const { program, started } = start(options)
  const { child } = started
  const { stdin, stdout, stderr } = streamsOf(started)
  const exited = exitOf(child)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
  await spawned(child, program, options.cwd)
  keep(started)

  let isEnding = false
  const stop = async (politely: boolean): Promise<void> => {
    isEnding = true
    if (politely) started.resume?.()
    stdin.end()
    if (politely && !(await within(exited, politeMs))) {
      started.stop()
      await within(exited, politeMs)
    }
    await started.kill()
    release(started)
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
  }
  const ended = exited.then(async (how) => {
    await within(closed, drainMs)
    return how
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

function start({ command, cwd, env, ...options }: ProcessOptions): {
  readonly program: string
  readonly started: StartedProcess
} {
  const [program = '', ...args] = command
  const startServer = options.startServer ?? plainStart(options)
  try {
    const given = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    }
    return { program, started: startServer({ program, args, ...given }) }
  } catch (error) {
    throw cannotStart(program, cwd, error)
  }
}

const plainStart =
  ({
    environment,
    markProcesses = markNothing,
  }: Pick<ProcessOptions, 'environment' | 'markProcesses'>): StartProcess =>
  ({ program, args, cwd, env }) => {
    const mark = markProcesses()
    const child = spawn(program, args, {
      detached: true,
      stdio: 'pipe',
      env: { ...baseEnvironment(environment), ...env, ...mark.environment },
      ...(cwd === undefined ? {} : { cwd }),
    })
    const group = child.pid ?? 0
    return {
      child,
      stop: () => signalGroup(group, 'SIGTERM'),
      kill: () => mark.killAll(group),
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
    throw new McpFailure('server-gone', 'It was started without pipes. Give it three.')
  }
  return { stdin, stdout, stderr }
}

function spawned(child: ChildProcess, program: string, cwd: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(program, cwd, error)))
    if (child.pid !== undefined) resolve()
  })
}

const exitOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(code === null ? `it was killed by ${signal}` : `it exited with code ${code}`),
    )
  })

function cannotStart(program: string, cwd: string | undefined, cause: unknown): McpFailure {
  const { code } = cause as { code?: unknown }
  const isPlaceMissing = code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)
  const why = isPlaceMissing
    ? `there is no folder ${cwd}`
    : (reasons[String(code)] ?? textOf(cause))
  return new McpFailure('server-gone', `Cannot start ${program}: ${why}.`, { cause })
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

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    // Zero would be our own group.
    if (group > 0) process.kill(-group, signal)
  } catch {
    // It is gone already.
  }
}
