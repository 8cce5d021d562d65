/** What the tests of executors share: a context, a server on loopback, and a fake `gh`. */

import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActionContext } from '../src/engine/index.ts'
import type { CertificateId, RunId, TreeId } from '../src/loop/index.ts'
import { afterStory } from './after.ts'

export function actionContext(known: Partial<ActionContext> = {}): ActionContext {
  return {
    run: 'run-1' as RunId,
    signal: new AbortController().signal,
    attempt: 1,
    fence: async () => undefined,
    spend: () => undefined,
    reserve: () => Promise.reject(new Error('no budget')),
    certificate: 'certificate' as CertificateId,
    tree: 'git:none' as TreeId,
    ...known,
  }
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-actions-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Hook {
  readonly url: string
  readonly requests: readonly { readonly key: string | undefined; readonly body: string }[]
}

/** A receiver on loopback. */
export async function openHook(
  answer: (response: ServerResponse, request: IncomingMessage) => void = (response) =>
    void response.writeHead(204).end(),
): Promise<Hook> {
  const requests: { key: string | undefined; body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const key = request.headers['idempotency-key']
      const body = Buffer.concat(chunks).toString()
      requests.push({ key: typeof key === 'string' ? key : undefined, body })
      answer(response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterStory(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, requests }
}

/** An address on loopback where no server listens. */
export async function closedUrl(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}/hook`
}

export interface FakeGh {
  readonly program: string
  /** One entry for each pull request and comment that it created. */
  readonly created: () => readonly string[]
  /** What it does next: `ok`, `refuse`, `lose` (creates and fails), `silent` (lists nothing readable). */
  readonly behave: (mode: 'ok' | 'refuse' | 'lose' | 'silent') => void
}

/** Keeps what it creates in a file, and lists it again. */
export function fakeGh(): FakeGh {
  const folder = newFolder()
  const program = join(folder, 'gh')
  const mode = join(folder, 'mode')
  const created = join(folder, 'created')
  writeFileSync(created, '')
  writeFileSync(mode, 'ok')
  writeFileSync(
    program,
    `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const mode = readFileSync(${JSON.stringify(mode)}, 'utf8')
const [noun, verb] = process.argv.slice(2)
const file = ${JSON.stringify(created)}
const bodies = () => readFileSync(file, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line))
if (verb === 'create' || verb === 'comment') {
  if (mode === 'refuse') { console.error('error: not allowed'); process.exit(1) }
  const body = readFileSync(0, 'utf8')
  const url = 'https://git.test/o/n/' + noun + '/' + (bodies().length + 1)
  appendFileSync(file, JSON.stringify({ body, url, args: process.argv.slice(2) }) + '\\n')
  if (mode === 'lose') { console.error('error: connection reset'); process.exit(1) }
  console.log(url)
} else if (mode === 'silent') { console.error('error: offline'); process.exit(1)
} else console.log(JSON.stringify(verb === 'list' ? bodies() : { comments: bodies() }))
`,
  )
  chmodSync(program, 0o755)
  return {
    program,
    created: () => readFileSync(created, 'utf8').split('\n').filter(Boolean),
    behave: (next) => writeFileSync(mode, next),
  }
}
