/**
 * The process of a server.
 *
 * 1. Whoever starts it says how it is asked to end and how all of it is killed: by default it leads a
 *    process group of its own, which is killed when it has ended, or shall; with `MarkProcesses` also
 *    what had left the group. With `startServer` that is the sandbox's business.
 * 2. Its environment is PATH, HOME, LANG and TMPDIR, the mark, and what is given. Nothing else.
 */

import { spawn } from 'node:child_process'
import { type OpenProcess, openProcess, type StartProcess } from '../../engine/index.ts'
import { defined, textOf } from '../../loop/index.ts'
import { baseEnvironment } from '../../system/index.ts'
import { McpFailure } from './mcp-failure.ts'

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

const markNothing: MarkProcesses = () => ({
  environment: {},
  async killAll(group) {
    signalGroup(group, 'SIGKILL')
    return []
  },
})

/** Rejects when it cannot be started. */
export async function startServerProcess(options: ProcessOptions): Promise<OpenProcess> {
  const { cwd, env, startServer = plainStart(options) } = options
  const [program = '', ...args] = options.command
  const given = defined({ cwd, env })
  try {
    return await openProcess(startServer, { program, args, ...given })
  } catch (error) {
    throw new McpFailure('server-gone', textOf(error), { cause: error })
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
      ...defined({ cwd }),
    })
    const group = child.pid ?? 0
    return {
      child,
      stop: () => signalGroup(group, 'SIGTERM'),
      kill: () => mark.killAll(group),
    }
  }

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    // Zero would be our own group.
    if (group > 0) process.kill(-group, signal)
  } catch {
    // It is gone already.
  }
}
