/** The real daemon, as a process of its own on a record of its own; it ends with the test. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { daemonPlace, readDaemonFile } from '../../src/host/daemon/index.ts'
import { afterFile } from '../after.ts'

export const loopd: string = new URL('../../dist/daemon/loopd.js', import.meta.url).pathname

export interface StartedDaemon {
  readonly state: string
  /** Such as `http://127.0.0.1:40123`. */
  readonly address: string
  readonly socket: string
  readonly token: string
  readonly readToken: string
  readonly pid: number
  /** SIGTERM; its exit code when it has ended. */
  stop(): Promise<number | null>
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>
  /** A request with the token, JSON in and out. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  json(): unknown
}

export interface StartOptions {
  /** One that is there; a new one unless told. */
  readonly state?: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Resolves when it listens; rejects with what it said when it ended instead. */
export async function startDaemon(options: StartOptions = {}): Promise<StartedDaemon> {
  const state = options.state ?? newState()
  const { child, listening } = spawnDaemon(state, options)
  await listening
  const place = daemonPlace(state)
  const file = readDaemonFile(state)
  if (file === undefined) throw new Error('There is no daemon.json.')
  const { address, socket } = file
  const token = options.env?.['LOOPD_AUTH_TOKEN'] ?? readFileSync(place.token, 'utf8').trim()
  return {
    state,
    address,
    socket,
    token,
    readToken: readFileSync(place.readToken, 'utf8').trim(),
    pid: child.pid ?? 0,
    stop: () => endedBy(child, 'SIGTERM'),
    kill: async () => void (await endedBy(child, 'SIGKILL')),
    ask: (method, path, body) => ask(address, token, { method, path, body }),
  }
}

export function newState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-daemon-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state')
}

interface Spawned {
  readonly child: ChildProcess
  readonly listening: Promise<void>
}

/** On any free port: never on the one that people use. */
export function spawnDaemon(state: string, options: StartOptions = {}): Spawned {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'] ?? '',
    HOME: state,
    USER: 'tester',
    ...options.env,
  }
  const args = [loopd, '--state', state, '--port', '0', ...(options.args ?? [])]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  afterFile(() => endedBy(child, 'SIGKILL'))
  let said = ''
  const listening = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('loopd listens on')) resolve()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-10_000)
    })
    child.on('close', (code) => reject(new Error(`loopd ended with ${code}: ${said}`)))
  })
  return { child, listening }
}

export function endedBy(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

async function ask(address: string, token: string, { method, path, body }: Asked): Promise<Answer> {
  const isLooking = method === 'GET' || method === 'HEAD'
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isLooking ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as unknown,
  }
}
