/** The real daemon as a process of its own, on a record of its own, for proofs. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface LiveDaemon {
  readonly folder: string
  readonly address: string
  readonly tokens: { readonly write: string; readonly read: string }
  ask(asked: Asked): Promise<Answer>
  /** A request that has to be answered with 2xx, JSON in and out. */
  json(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>
  /** What it wrote to its log. */
  log(): string
  end(): Promise<number | null>
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly token?: 'write' | 'read' | 'none'
  readonly timeoutMs?: number
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of a stream: its beginning. */
  readonly text: string
}

const program = fileURLToPath(new URL('../../dist/daemon/loopd.js', import.meta.url))
const startMs = 20_000
const streamMs = 100

export async function startLiveDaemon(args: readonly string[] = []): Promise<LiveDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-api-'))
  const state = join(folder, 'state')
  mkdirSync(join(folder, 'home'))
  const child = spawn(process.execPath, [program, '--state', state, '--port', '0', ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), USER: 'tester' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await listening(child)
  const place = join(state, 'daemon')
  const read = (name: string): string => readFileSync(join(place, name), 'utf8').trim()
  const { address } = JSON.parse(read('daemon.json')) as { address: string }
  const tokens = { write: read('token'), read: read('read-token') }
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const ask = (asked: Asked): Promise<Answer> => send({ address, tokens, agent }, asked)
  return {
    folder,
    address,
    tokens,
    ask,
    async json(method, path, body) {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const { status, text } = await ask({ method, path, body: sent, timeoutMs: 60_000 })
      if (status >= 200 && status < 300) return JSON.parse(text) as Record<string, unknown>
      throw new Error(`${method} ${path}: ${status} ${text}`)
    },
    log: () => read('loopd.log'),
    async end() {
      agent.destroy()
      const code = await ended(child)
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

function listening(child: ChildProcess): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`loopd says nothing: ${said}`)), startMs)
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (!said.includes('loopd listens on')) return
      clearTimeout(late)
      resolve()
    })
    child.on('close', (code) => reject(new Error(`loopd ended with ${code}: ${said}`)))
  })
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
    child.once('exit', (code) => {
      clearTimeout(late)
      resolve(code)
    })
    child.kill('SIGTERM')
  })
}

interface Way extends Pick<LiveDaemon, 'address' | 'tokens'> {
  readonly agent: Agent
}

/** As it is: what `fetch` would put right is sent too. */
function send({ address, tokens, agent }: Way, asked: Asked): Promise<Answer> {
  const { method, path, headers = {}, body, token = 'write', timeoutMs = 10_000 } = asked
  const isLooking = method === 'GET' || method === 'HEAD'
  const sent = {
    ...(token === 'none' ? {} : { authorization: `Bearer ${tokens[token]}` }),
    ...(isLooking ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      made.destroy(new Error(`no answer within ${timeoutMs} ms`))
    }, timeoutMs)
    const made = request(address, { method, path, headers: sent, agent }, (response) => {
      const chunks: Buffer[] = []
      const done = (): void => {
        clearTimeout(late)
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      }
      const isStream = String(response.headers['content-type']).startsWith('text/event-stream')
      const enough = isStream ? setTimeout(() => response.destroy(), streamMs) : undefined
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => undefined)
      response.on('close', () => {
        clearTimeout(enough)
        done()
      })
    })
    made.on('error', (error) => {
      clearTimeout(late)
      reject(error)
    })
    made.end(body)
  })
}

/** A loop file in a folder of its own, trusted. */
export async function trustedLoop(
  { folder, json }: LiveDaemon,
  name: string,
  text: string,
): Promise<{ readonly file: string; readonly trust: string }> {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, text)
  const { digest } = await json('POST', '/loops/preview', { file })
  return { file, trust: String(digest) }
}
