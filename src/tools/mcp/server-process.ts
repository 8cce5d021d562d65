/**
 * The process of a server.
 *
 * 1. The starter defines how it is stopped and killed: by default it leads a separate process
 *   group, which is killed when the process ends or must end; with `MarkProcesses`, processes that
 *   left the group are killed too. With `startServer` the sandbox does this.
 * 2. Its environment is PATH, HOME, LANG and TMPDIR, the mark, and the configured variables.
 *   Nothing else.
 */

import { spawn } from 'node:child_process'
import { type OpenProcess, openProcess, type StartProcess } from '../../engine/index.ts'
import { defined, textOf } from '../../loop/index.ts'
import { baseEnvironment } from '../../system/index.ts'
import { McpFailure } from './mcp-failure.ts'

/** For one server: what its environment contains, and how everything it started is killed. */
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
  /** Replaces the plain process; `environment` and `markProcesses` are then not used. */
  readonly startServer?: StartProcess | undefined
}

const markNoProcesses: MarkProcesses = () => ({
  environment: {},
  async killAll(group) {
    signalGroup(group, 'SIGKILL')
    return []
  },
})

/** Rejects if it cannot be started. */
export async function startServerProcess(options: ProcessOptions): Promise<OpenProcess> {
  const { cwd, env, startServer = startPlainProcess(options) } = options
  const [program = '', ...args] = options.command
  const given = defined({ cwd, env })
  try {
    return await openProcess(startServer, { program, args, ...given })
  } catch (error) {
    throw new McpFailure('server-gone', textOf(error), { cause: error })
  }
}

const startPlainProcess =
  ({
    environment,
    markProcesses = markNoProcesses,
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
    // Already gone.
  }
}
