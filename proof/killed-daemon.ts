/** The real daemon as a process, on a record of its own, and what a client says to it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../dist/daemon/loopd.js', import.meta.url))
const startMsMax = 180_000

export interface DaemonStart {
  readonly state: string
  readonly args?: readonly string[]
  /** A module that is loaded before the daemon's own. */
  readonly preload?: string
  readonly env?: NodeJS.ProcessEnv
}

export interface DaemonProcess {
  readonly pid: number
  readonly startedAtMs: number
  /** From the start of its process until it listened. */
  readonly readyMs: number
  readonly isAlive: boolean
  /** How it ended: its code, or the signal. */
  readonly ended: Promise<string>
  ask(method: string, path: string, body?: unknown, key?: string): Promise<Answer>
  signal(name: NodeJS.Signals): void
  /** What it said on stderr. */
  said(): string
}

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- what a proof asks for, it knows
  readonly json: any
}

/** Resolves when it listens, or with how it ended instead. */
export async function startDaemon(options: DaemonStart): Promise<DaemonProcess | string> {
  const startedAtMs = Date.now()
  const began = performance.now()
  const child = spawnDaemon(options)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-20_000)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? String(code)))
  })
  const listening = new Promise<'listens'>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('loopd listens on')) resolve('listens')
    })
  })
  const first = await Promise.race([listening, ended, sleep(startMsMax, 'hangs', { ref: false })])
  if (first !== 'listens') {
    child.kill('SIGKILL')
    return `${first}: ${said}`
  }
  const readyMs = performance.now() - began
  const { socket } = JSON.parse(
    readFileSync(join(options.state, 'daemon', 'daemon.json'), 'utf8'),
  ) as { socket: string }
  const token = readFileSync(join(options.state, 'daemon', 'token'), 'utf8').trim()
  return {
    pid: child.pid ?? 0,
    startedAtMs,
    readyMs,
    get isAlive() {
      return child.exitCode === null && child.signalCode === null
    },
    ended,
    ask: (method, path, body, key) => askOn(socket, token, { method, path, body, key }),
    signal: (name) => void child.kill(name),
    said: () => said,
  }
}

/** The same, where nothing else will do. */
export async function requireDaemon(options: DaemonStart): Promise<DaemonProcess> {
  const daemon = await startDaemon(options)
  if (typeof daemon === 'string') throw new Error(`The daemon does not start: ${daemon}`)
  return daemon
}

export function spawnDaemon({ state, args = [], preload, env }: DaemonStart): ChildProcess {
  const loaded = preload === undefined ? [] : ['--import', preload]
  return spawn(process.execPath, [...loaded, program, '--state', state, '--port', '0', ...args], {
    env: { PATH: process.env['PATH'], HOME: state, USER: 'proof', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly key: string | undefined
}

function askOn(socketPath: string, token: string, asked: Asked): Promise<Answer> {
  const { method, path, body, key } = asked
  const content = body === undefined && method === 'GET' ? undefined : JSON.stringify(body ?? {})
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath,
        method,
        path,
        headers: {
          host: 'localhost',
          authorization: `Bearer ${token}`,
          ...(content === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const json: unknown = text === '' ? undefined : JSON.parse(text)
          resolve({ status: response.statusCode ?? 0, json })
        })
      },
    )
    sent.on('error', reject)
    sent.end(content)
  })
}

/** A folder for one case, removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
