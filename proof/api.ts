/**
 * Thousands of requests that were made from the OpenAPI document itself, allowed and not, to a live daemon
 * with runs: it never answers 500, never keeps anybody waiting, and whatever it answers is in the document.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import * as fc from 'fast-check'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type ApiRequest, anyRequest } from './api-requests.ts'
import type { Document, Known } from './api-values.ts'
import { type Answer, type LiveDaemon, startLiveDaemon, trustedLoop } from './live-daemon.ts'

const requestsWanted = 10_000
const atOnce = 8

export const apiRequests: Suite = {
  area: 'daemon',
  title: 'random requests from the OpenAPI document are answered as it says',
  async run(options) {
    const { requests, accepted, operations, slowestMs, seed, failures } = await askAnything(options)
    const detail =
      `${requests} requests to ${operations} operations, ${accepted} answered with 2xx, the slowest took ` +
      `${Math.round(slowestMs)} ms, seed ${seed}`
    const shown = failures[0] === undefined ? detail : `${detail}; ${failures[0]}`
    return [
      atMost('daemon.api-failures', failures.length, 0, 'failures', shown),
      atLeast('daemon.api-accepted', accepted / requests, 0.1, 'share', detail),
    ]
  },
}

export interface ApiReport {
  readonly requests: number
  readonly accepted: number
  readonly operations: number
  readonly slowestMs: number
  readonly seed: number
  readonly failures: readonly string[]
}

export interface ApiOptions extends Pick<SuiteOptions, 'scale'> {
  readonly seed?: number | undefined
  /** Another answer than that of the daemon: to show that the proof would notice. */
  readonly sabotage?: (answer: Answer) => Answer
}

export async function askAnything(options: ApiOptions): Promise<ApiReport> {
  const { scale, seed = Math.floor(Math.random() * 2 ** 31), sabotage = (one) => one } = options
  const daemon = await startLiveDaemon()
  try {
    const document = (await daemon.json('GET', '/openapi.json')) as unknown as Document
    const known = await prepare(daemon)
    const judge = createJudge(document)
    const seen = new Set<string>()
    let [requests, accepted, slowestMs] = [0, 0, 0]
    const one = async (asked: ApiRequest): Promise<string | undefined> => {
      requests++
      seen.add(asked.operation)
      const startMs = performance.now()
      const answer = await daemon.ask(asked).catch((error: unknown) => String(error))
      slowestMs = Math.max(slowestMs, performance.now() - startMs)
      if (typeof answer === 'string') return `${shown(asked)}: ${answer}`
      if (answer.status < 300) accepted++
      const problem = judge(asked, sabotage(answer))
      return problem === undefined ? undefined : `${shown(asked)}: ${problem}`
    }
    const batch = fc.array(anyRequest({ document, known, spoiltOnly: ['stopDaemon'] }), {
      minLength: atOnce,
      maxLength: atOnce,
    })
    const failures: string[] = []
    const wanted = Math.max(1, Math.round((requestsWanted * scale) / atOnce))
    for (const asked of fc.sample(batch, { seed, numRuns: wanted })) {
      const problems = await Promise.all(asked.map(one))
      failures.push(...problems.filter((problem) => problem !== undefined))
    }
    if (existsSync(join(daemon.folder, 'pwned'))) failures.push('something was run')
    const operations = seen.size
    return { requests, accepted, operations, slowestMs, seed, failures: failures.slice(0, 100) }
  } finally {
    await daemon.end()
  }
}

const shown = ({ method, path, headers, body, token }: ApiRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${token} ${(body ?? '').slice(0, 300)}`

/** Runs of every kind: one that completed in a worktree, one that ended badly, one at work, one that waits. */
async function prepare(daemon: LiveDaemon): Promise<Known> {
  const { folder, json } = daemon
  const shop = makeRepository(join(folder, 'shop'))
  const line = loopText('echo line >> lines.txt', 'test -s lines.txt')
  const good = await trustedLoop(daemon, 'good', line)
  const bad = await trustedLoop(daemon, 'bad', loopText('true', 'test -s never.txt'))
  const long = await trustedLoop(daemon, 'long', loopText('sleep 600', 'true'))
  const start = async (loop: object, more: object): Promise<{ id: string; name: string }> => {
    const body = { ...loop, attended: true, ...more }
    const { run } = (await json('POST', '/runs', body)) as { run: { id: string; name: string } }
    return run
  }
  const [w1, w2] = [join(folder, 'w1'), join(folder, 'w2')]
  for (const path of [w1, w2]) mkdirSync(path)
  const done = await start(good, { workspace: shop, worktree: { use: true }, name: 'otter-done' })
  const lost = await start(bad, { workspace: w1, name: 'otter-lost', limits: { iterations: 1 } })
  await untilEnded(daemon, [done.id, lost.id])
  const busy = await start(long, { workspace: w2, name: 'busy-bee' })
  const waiting = await start(long, { workspace: w2, name: 'patient-bee' })
  const certificates = (await json('GET', '/certificates')) as { items: { id: string }[] }
  return {
    ...knownPlaces(folder, [good.file, bad.file]),
    run: fc.constantFrom(
      ...[done, lost, busy, waiting].flatMap(({ id, name }) => [id, name, id.slice(0, 8)]),
      'otter',
      'bee',
    ),
    id: fc.constantFrom(...certificates.items.map(({ id }) => id), '5f2b8d10'),
    trust: fc.constantFrom(good.trust, bad.trust, 'x'),
  }
}

/** Nothing but these is ever worked in. */
function knownPlaces(folder: string, loops: readonly string[]): Known {
  const inside = (name: string): string => join(folder, name)
  const folders = [inside('shop'), inside('w1'), inside('none'), inside('none\0'), 'relative']
  const files = [...loops, inside('none.yaml'), inside('shop/README.md'), inside('shop')]
  return {
    n: fc.constantFrom(0, 1, 2),
    iteration: fc.constantFrom(0, 1, 2, 100),
    path: fc.constantFrom('summary.json', 'report.tsv', 'otter-lost', inside('w1'), '../x'),
    file: fc.constantFrom(...files),
    workspace: fc.constantFrom(...folders),
    here: fc.constantFrom(...folders),
    cursor: fc.constantFrom('1', '2', 'WzFd', 'WzEsMV0', 'W10', 'bm8', '____'),
    name: fc.oneof(fc.stringMatching(/^[a-z]{3,10}-[a-z]{3,10}$/), fc.string({ maxLength: 20 })),
    model: fc.constantFrom('none/none', 'x', '/', 'anthropic/'),
    limits: fc.constantFrom(...limits),
  }
}

const limits = [{}, { iterations: 1 }, { iterations: 0 }, { tokens: 1e15 }, { timeMs: 1 }]

function makeRepository(path: string): string {
  mkdirSync(path)
  writeFileSync(join(path, 'README.md'), 'A shop.\n')
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'one'],
  ]) {
    execFileSync('git', ['-C', path, ...who, ...args], { stdio: 'ignore' })
  }
  return path
}

const loopText = (command: string, check: string): string => `name: lines
prompt: Add a line.
agent: { command: [sh, -c, ${JSON.stringify(command)}] }
checks:
  there: ${JSON.stringify(check)}
certify: { dependencies: none, teeth: false }
limits: { iterations: 2 }
`

async function untilEnded({ json }: LiveDaemon, runs: readonly string[]): Promise<void> {
  for (const run of runs) {
    for (let tries = 0; ; tries++) {
      const { run: row } = (await json('GET', `/runs/${run}`)) as { run: { status: string } }
      if (['completed', 'exhausted', 'stuck', 'failed'].includes(row.status)) break
      if (tries > 600) throw new Error(`Run ${run} does not end: ${row.status}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

type Judge = (asked: ApiRequest, answer: Answer) => string | undefined

/** What is wrong with an answer, by the document. */
export function createJudge(document: Document): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  formats.default(ajv)
  ajv.addSchema(document, 'api')
  const known = new Map<string, ValidateFunction>()
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) => [one.operationId, { path, method, one }] as const,
      ),
    ),
  )
  const validator = (pointer: string): ValidateFunction => {
    const made = known.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` })
    known.set(pointer, made)
    return made
  }
  return ({ operation }, { status, headers, text }) => {
    const found = operations.get(operation)
    if (found === undefined) return 'no such operation'
    if (status === 500) return `500: ${text.slice(0, 500)}`
    const declared = found.one.responses[String(status)]
    if (declared === undefined) return `${status} is not declared: ${text.slice(0, 300)}`
    const content = declared.content ?? {}
    const type = String(headers['content-type'] ?? '').replace(/;.*$/, '')
    if (Object.keys(content).length === 0) return text === '' ? undefined : `${status} has a body`
    const shape = content[type] ?? content['*/*']
    if (shape === undefined) return `${status} is of another type: ${type}`
    if (shape.schema === undefined) return undefined
    const value = parsed(text)
    if (value === undefined) return `${status} is no JSON: ${text.slice(0, 300)}`
    const at = [
      'paths',
      found.path,
      found.method,
      'responses',
      String(status),
      'content',
      type,
      'schema',
    ]
    const validate = validator(`/${at.map(escaped).join('/')}`)
    if (validate(value.json)) return undefined
    return `${status} is not as its schema: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`
  }
}

const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
