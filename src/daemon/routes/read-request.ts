/** Parses requests and reports every invalid part. All sizes are limited. */

import type { Context } from 'hono'
import type { z } from 'zod'
import { LoopError } from '../../loop/index.ts'
import type { FieldProblem } from '../../protocol/api/index.ts'
import { loadSchema, type Operation, type OperationRequest } from './operation.ts'
import type { Parameters, Values } from './parameter.ts'

export const bodyBytesMax: number = 8 * 1024 * 1024
const namesMax = 32
const shownMax = 20
const shownCharsMax = 200

/** A request that does not match the OpenAPI document. */
export class RequestError extends LoopError {
  readonly errors: readonly FieldProblem[]
  constructor(errors: readonly FieldProblem[]) {
    const shown = errors.slice(0, shownMax).map(({ field, reason }) => ({
      field: shortened(field),
      reason: shortened(reason),
    }))
    const listed = shown.map(({ field, reason }) => `${field}: ${reason}`).join('; ')
    super('bad-request', `${listed}. See: GET /openapi.json`)
    this.errors = shown
  }
}

type AnyAsked = OperationRequest<Parameters, Parameters, Parameters, unknown>

export async function readRequest(
  { params = {}, query = {}, headers = {}, body }: Operation,
  context: Context,
): Promise<AnyAsked> {
  const request = context.req.raw
  const problems: FieldProblem[] = []
  const asked = {
    params: readValues('path', params, new Map(Object.entries(context.req.param())), problems),
    query: readValues('query', query, readQuery(request.url, query, problems), problems),
    headers: readValues('header', headers, readHeaders(request, headers), problems),
    signal: request.signal,
    isHead: request.method === 'HEAD',
    context,
  }
  const sent =
    body === undefined
      ? {}
      : await readBody(request, await loadSchema(body.schema), problems, body.replaced)
  if (problems.length > 0) throw new RequestError(problems)
  return { ...asked, body: sent }
}

function readValues(
  place: string,
  parameters: Parameters,
  given: ReadonlyMap<string, string>,
  problems: FieldProblem[],
): Values<Parameters> {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    values[name] = parameter.absent
    const text = given.get(name)
    const field = `${place}.${name}`
    if (text === undefined) {
      if (parameter.required) problems.push({ field, reason: 'it is missing' })
      continue
    }
    const read = parameter.read(text)
    if ('reason' in read) problems.push({ field, reason: read.reason })
    else values[name] = read.value
  }
  return values
}

/** Unknown names are refused, since a misspelled filter would not filter. */
function readQuery(
  url: string,
  known: Parameters,
  problems: FieldProblem[],
): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  const start = url.indexOf('?')
  if (start === -1) return given
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const field = `query.${name}`
    if (!Object.hasOwn(known, name)) problems.push({ field, reason: unknownName(known) })
    else if (given.has(name)) problems.push({ field, reason: 'it is repeated' })
    given.set(name, value)
    if (problems.length >= namesMax) break
  }
  return given
}

function unknownName(known: Parameters): string {
  const names = Object.keys(known)
  return names.length === 0 ? 'this operation takes none' : `known parameters: ${names.join(', ')}`
}

function readHeaders(request: Request, known: Parameters): ReadonlyMap<string, string> {
  const given = Object.keys(known).flatMap((name) => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return new Map(given)
}

async function readBody(
  request: Request,
  schema: z.ZodType,
  problems: FieldProblem[],
  replaced: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const value = parsed(await readBytes(request))
  if (value === undefined) {
    problems.push({ field: 'body', reason: 'it is not JSON in UTF-8' })
    return {}
  }
  const read = schema.safeParse(value.json)
  if (read.success) return read.data
  const issues = read.error.issues.slice(0, shownMax)
  problems.push(...issues.flatMap((issue) => issueProblems(issue, replaced)))
  return {}
}

/** Never holds more than the limit. */
async function readBytes({ body }: Request): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    length += piece.length
    if (length <= bodyBytesMax) continue
    throw new LoopError('too-large', `The body is longer than ${bodyBytesMax} bytes. Send less.`)
  }
  return Buffer.concat(pieces)
}

function parsed(bytes: Uint8Array): { readonly json: unknown } | undefined {
  if (bytes.byteLength === 0) return { json: {} }
  try {
    return { json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown }
  } catch {
    return undefined
  }
}

function issueProblems(
  issue: z.core.$ZodIssue,
  replaced: Readonly<Record<string, string>>,
): readonly FieldProblem[] {
  const field = ['body', ...issue.path.map(String)].join('.')
  if (issue.code === 'unrecognized_keys') {
    const adviceOn = (key: string): string | undefined =>
      issue.path.length === 0 && Object.hasOwn(replaced, key) ? replaced[key] : undefined
    return issue.keys
      .slice(0, shownMax)
      .map((key) => ({ field: `${field}.${key}`, reason: adviceOn(key) ?? 'unknown field' }))
  }
  return [{ field, reason: issue.message }]
}

const shortened = (text: string): string =>
  text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
