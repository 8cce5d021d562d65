/**
 * Thousands of requests that were made from the OpenAPI document itself, allowed and not, to a live daemon
 * with runs: it never answers 500, never keeps anybody waiting, and whatever it answers is in the document.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import * as fc from 'fast-check'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type ApiRequest, anyRequest } from './api-requests.ts'
import { prepareScene } from './api-scene.ts'
import type { Document } from './api-values.ts'
import { type Answer, startLiveDaemon } from './live-daemon.ts'

const requestsWanted = 10_000
const atOnce = 8
/** Requests remove runs too. So many batches later there are all of them again. */
const refreshEach = 40
/** `gh` is not there, and the daemon is needed. */
const neverAsked = ['createPullRequest', 'stopDaemon']

export const apiRequests: Suite = {
  area: 'daemon',
  title: 'random requests from the OpenAPI document are answered as it says',
  share: 0.05,
  async run(options) {
    const { requests, accepted, never, slowestMs, seed, failures } = await askAnything(options)
    const detail =
      `${requests} requests, ${accepted} answered with 2xx, the slowest took ${Math.round(slowestMs)} ms, ` +
      `never done: ${never.join(', ')}; seed ${seed}`
    const shown = failures[0] === undefined ? detail : `${detail}; ${failures[0]}`
    return [
      atMost('daemon.api-failures', failures.length, 0, 'failures', shown),
      atLeast('daemon.api-requests', requests, wantedOf(options.scale), 'requests', detail),
      atMost(
        'daemon.api-never-done',
        options.scale < 1 ? 0 : never.filter((id) => !neverAsked.includes(id)).length,
        0,
        'operations',
      ),
    ]
  },
}

const wantedOf = (scale: number): number =>
  Math.max(1, Math.round((requestsWanted * scale) / atOnce)) * atOnce

export interface ApiReport {
  readonly requests: number
  readonly accepted: number
  /** Operations that never were asked for what they could do. */
  readonly never: readonly string[]
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
    const { known, refresh } = await prepareScene(daemon)
    const judge = createJudge(document)
    const done = new Set<string>()
    let [requests, accepted, slowestMs] = [0, 0, 0]
    const one = async (asked: ApiRequest): Promise<string | undefined> => {
      requests++
      const startMs = performance.now()
      const answer = await daemon.ask(asked).catch((error: unknown) => String(error))
      slowestMs = Math.max(slowestMs, performance.now() - startMs)
      if (typeof answer === 'string') return `${shown(asked)}: ${answer}`
      if (answer.status < 300) {
        accepted++
        done.add(asked.operation)
      }
      const problem = judge(asked, sabotage(answer))
      return problem === undefined ? undefined : `${shown(asked)}: ${problem}`
    }
    const batch = fc.array(anyRequest({ document, known, spoiltOnly: ['stopDaemon'] }), {
      minLength: atOnce,
      maxLength: atOnce,
    })
    const failures: string[] = []
    const wanted = wantedOf(scale) / atOnce
    for (const [index, asked] of fc.sample(batch, { seed, numRuns: wanted }).entries()) {
      if (index % refreshEach === refreshEach - 1) await refresh()
      const problems = await Promise.all(asked.map(one))
      failures.push(...problems.filter((problem) => problem !== undefined))
    }
    if (existsSync(join(daemon.folder, 'pwned'))) failures.push('something was run')
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const never = all.map(({ operationId }) => operationId).filter((id) => !done.has(id))
    return { requests, accepted, never, slowestMs, seed, failures: failures.slice(0, 100) }
  } finally {
    await daemon.end()
  }
}

const shown = ({ method, path, headers, body, token }: ApiRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${token} ${(body ?? '').slice(0, 300)}`

type Judge = (asked: ApiRequest, answer: Answer) => string | undefined

/** What is wrong with an answer, by the document. */
export function createJudge(document: Document): Judge {
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
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
