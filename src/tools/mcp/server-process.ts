/**
 * The process of a server, and everything that it starts.
 *
 * 1. It leads a process group of its own. When it has ended, or shall, the whole group is killed,
 *    and with `MarkProcesses` also what had left the group.
 * 2. When this process exits, the groups that are left are killed. After a kill -9 of this process
 *    servers see the end of their input; those that ignore it are found by their mark.
 * 3. Its environment is PATH, HOME, LANG and TMPDIR, the mark, and what is given. Nothing else.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { baseEnvironment } from '../../engine/index.ts'
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
}

export interface ServerProcess {
  readonly child: ChildProcessWithoutNullStreams
  /** How it ended by itself, in words, after its last output. */
  readonly ended: Promise<string>
  /** `politely`: it may end by itself before it is killed. Resolves when all of it is gone. */
  stop(politely: boolean): Promise<void>
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
  const mark = (options.markProcesses ?? markNothing)()
  const [program = '', ...args] = options.command
  const child = spawnChild(program, args, options, mark.environment)
  const exited = exitOf(child)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdin.on('error', () => {})
  child.stdout.on('error', () => {})
  child.stderr.on('error', () => {})
  const group = await spawned(child, program, options.cwd)
  keep(group)

  const stop = async (politely: boolean): Promise<void> => {
    child.stdin.end()
    if (politely && !(await within(exited, politeMs))) {
      signalGroup(group, 'SIGTERM')
      await within(exited, politeMs)
    }
    await mark.killAll(group)
    release(group)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }
  const ended = exited.then(async (how) => {
    await within(closed, drainMs)
    return how
  })
  return { child, ended, stop }
}

function spawnChild(
  program: string,
  args: readonly string[],
  { cwd, env, environment }: ProcessOptions,
  marks: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  try {
    return spawn(program, args, {
      detached: true,
      stdio: 'pipe',
      env: { ...baseEnvironment(environment), ...env, ...marks },
      ...(cwd === undefined ? {} : { cwd }),
    })
  } catch (error) {
    throw cannotStart(program, cwd, error)
  }
}

/** Resolves with its process group. */
function spawned(
  child: ChildProcessWithoutNullStreams,
  program: string,
  cwd: string | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(program, cwd, error)))
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
}

const exitOf = (child: ChildProcessWithoutNullStreams): Promise<string> =>
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

/** Groups that die with this process. */
const groups = new Set<number>()
const killGroups = (): void => {
  for (const group of groups) signalGroup(group, 'SIGKILL')
}

function keep(group: number): void {
  if (groups.size === 0) process.once('exit', killGroups)
  groups.add(group)
}

function release(group: number): void {
  groups.delete(group)
  if (groups.size === 0) process.removeListener('exit', killGroups)
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    // Zero would be our own group.
    if (group > 0) process.kill(-group, signal)
  } catch {
    // It is gone already.
  }
}
