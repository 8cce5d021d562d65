/** The real daemon as a process of its own, on a record of its own, for proofs. */

import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endedBy, startProcess } from './daemon-process.ts'

export interface LiveDaemon {
  readonly folder: string
  readonly address: string
  readonly tokens: { readonly write: string; readonly read: string }
  ask(asked: Asked): Promise<Answer>
  /** A request that has to be answered with 2xx, JSON in and out. */
  json(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>
  end(): Promise<void>
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

const streamMs = 100
const endMs = 20_000

export interface LiveOptions {
  /** Makes the folder of all programs that it finds. */
  readonly programs?: (folder: string) => string
}

export async function startLiveDaemon({ programs }: LiveOptions = {}): Promise<LiveDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-api-'))
  const env = { PATH: programs?.(folder) ?? process.env['PATH'] ?? '' }
  const children: ChildProcess[] = []
  const onStarted = (child: ChildProcess): void => void children.push(child)
  const started = await startProcess(join(folder, 'state'), { env, onStarted })
  const { address } = started
  const tokens = { write: started.token, read: started.readToken }
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
    async end() {
      await cancelAll(ask)
      agent.destroy()
      const late = setTimeout(() => void started.kill(), endMs)
      for (const child of children) await endedBy(child, 'SIGTERM')
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What a run started would outlive a daemon that is killed. */
async function cancelAll(ask: LiveDaemon['ask']): Promise<void> {
  const { text } = await ask({ method: 'GET', path: '/queue?limit=1000' })
  const { items } = JSON.parse(text) as { items: readonly { run: string }[] }
  for (const { run } of items)
    await ask({ method: 'POST', path: `/runs/${run}/cancel`, body: '{}' })
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
