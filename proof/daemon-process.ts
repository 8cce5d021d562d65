/** loopd as a process of its own, on a record of its own and any free port. */

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const loopd: string = fileURLToPath(new URL('../../dist/daemon/loopd.js', import.meta.url))

export interface DaemonProcess {
  readonly state: string
  /** Such as `http://127.0.0.1:40123`. */
  readonly address: string
  readonly port: number
  readonly socket: string
  readonly token: string
  readonly readToken: string
  readonly pid: number
  /** SIGTERM; its exit code when it has ended. */
  stop(): Promise<number | null>
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>
}

export interface ProcessOptions {
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Told of the process as soon as it is there, so that it can be ended in any case. */
  readonly onStarted?: (child: ChildProcess) => void
  /** Before the program; `sh -c 'umask 000; exec "$@"'` and the like. */
  readonly launcher?: readonly string[]
}

/** Resolves when it listens; rejects with what it said when it ended instead. */
export async function startProcess(
  state: string,
  options: ProcessOptions = {},
): Promise<DaemonProcess> {
  const child = spawnLoopd(state, options)
  options.onStarted?.(child)
  await listening(child)
  const file = JSON.parse(readFileSync(join(state, 'daemon/daemon.json'), 'utf8')) as {
    readonly address: string
    readonly socket: string
    readonly pid: number
  }
  const tokenOf = (name: string): string => readFileSync(join(state, 'daemon', name), 'utf8').trim()
  return {
    state,
    address: file.address,
    port: Number(new URL(file.address).port),
    socket: file.socket,
    token: options.env?.['LOOPD_AUTH_TOKEN'] ?? tokenOf('token'),
    readToken: tokenOf('read-token'),
    pid: file.pid,
    stop: () => endedBy(child, 'SIGTERM'),
    kill: async () => void (await endedBy(child, 'SIGKILL')),
  }
}

function spawnLoopd(
  state: string,
  { args = [], env, launcher = [] }: ProcessOptions,
): ChildProcess {
  const own = [process.execPath, loopd, '--state', state, '--port', '0', ...args]
  const [program = '', ...words] = [...launcher, ...own]
  return spawn(program, words, {
    env: { PATH: process.env['PATH'] ?? '', HOME: state, USER: 'tester', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function listening(child: ChildProcess): Promise<void> {
  let said = ''
  return new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('loopd listens on')) resolve()
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-10_000)
    })
    child.on('close', (code) => reject(new Error(`loopd ended with ${code}: ${said}`)))
  })
}

export function endedBy(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}
