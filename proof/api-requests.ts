/** Requests for every operation of an OpenAPI document: such as it allows, and such as it does not. */

import * as fc from 'fast-check'
import {
  type Document,
  hostileText,
  type Known,
  type OperationObject,
  type ParameterObject,
  spoiltBody,
  validFor,
} from './api-values.ts'

export interface ApiRequest {
  readonly operation: string
  readonly method: string
  /** With what comes after the `?`, as it is sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly token: 'write' | 'read' | 'none'
}

export interface RequestOptions {
  readonly document: Document
  /** Values for fields and parameters by their name, or by that of the operation and theirs. */
  readonly known: Known
  /** Operations that are never asked for what they do. */
  readonly spoiltOnly: readonly string[]
}

/** Any of them. */
export function anyRequest(options: RequestOptions): fc.Arbitrary<ApiRequest> {
  const all = Object.entries(options.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => requestFor(path, method, one, options)),
  )
  return fc.oneof(...all)
}

function requestFor(
  path: string,
  method: string,
  operation: OperationObject,
  { document, known, spoiltOnly }: RequestOptions,
): fc.Arbitrary<ApiRequest> {
  const { operationId, parameters, requestBody } = operation
  const inPath = parameters.filter((one) => one.in === 'path')
  const inQuery = parameters.filter((one) => one.in === 'query')
  const inHeader = parameters.filter((one) => one.in === 'header')
  const schema = requestBody?.content['application/json']?.schema
  const isOnlySpoilt = spoiltOnly.includes(operationId)
  return fc
    .record({
      places: fc.tuple(
        ...inPath.map((one) => {
          const own = known[`${operationId}.${one.name}`]
          return parameterValue(one, document, own === undefined ? known : { [one.name]: own })
        }),
      ),
      query: queryFor(inQuery, document, known),
      headers: headersFor(inHeader, document, known),
      body: schema === undefined ? noBody(method) : bodyFor(schema, document, known, isOnlySpoilt),
      token: isOnlySpoilt ? fc.constantFrom('read' as const, 'none' as const) : token,
    })
    .map(({ places, query, headers, body, token: by }) => ({
      operation: operationId,
      method: method.toUpperCase(),
      path: `${fill(path, inPath, places)}${query === '' ? '' : `?${query}`}`,
      headers,
      ...(body === undefined ? {} : { body }),
      token: by,
    }))
}

const token: fc.Arbitrary<ApiRequest['token']> = fc.oneof(
  { weight: 30, arbitrary: fc.constant('write' as const) },
  { weight: 2, arbitrary: fc.constant('read' as const) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
)

function parameterValue(
  { name, schema, example }: ParameterObject,
  document: Document,
  known: Known,
): fc.Arbitrary<string> {
  const valid = (known[name] ?? validFor(schema, document)).map(String)
  return fc.oneof(
    { weight: 6, arbitrary: valid },
    { weight: 2, arbitrary: hostileText },
    { weight: 1, arbitrary: fc.constant(String(example)) },
  )
}

/** Some of them, now and then with one that is not known, and one twice. */
function queryFor(
  parameters: readonly ParameterObject[],
  document: Document,
  known: Known,
): fc.Arbitrary<string> {
  const parts = parameters.map((one) =>
    fc.option(
      parameterValue(one, document, known).map((value) => `${one.name}=${encoded(value)}`),
      { nil: undefined, freq: 3 },
    ),
  )
  const extra = fc.oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    fc.tuple(hostileText, hostileText).map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
    fc.constantFrom('limit=1&limit=2', '%zz=%zz', '=', '&&&', '__proto__=1', 'a'.repeat(4000)),
  )
  return fc
    .tuple(...parts, extra)
    .map((given) => given.filter((part) => part !== undefined).join('&'))
}

function headersFor(
  parameters: readonly ParameterObject[],
  document: Document,
  known: Known,
): fc.Arbitrary<Readonly<Record<string, string>>> {
  const parts = parameters.map((one) =>
    fc.option(
      parameterValue(one, document, known).map((value) => [one.name, headerText(value)] as const),
      { nil: undefined, freq: 2 },
    ),
  )
  const accept = fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc
      .constantFrom('application/json', 'text/event-stream', 'text/html', '*/*', ';;;')
      .map((value) => ['Accept', value] as const),
  )
  return fc
    .tuple(accept, ...parts)
    .map((given) => Object.fromEntries(given.filter((part) => part !== undefined)))
}

const bodyFor = (
  schema: Parameters<typeof validFor>[0],
  document: Document,
  known: Known,
  isOnlySpoilt: boolean,
): fc.Arbitrary<string | undefined> => {
  const valid = validFor(schema, document, known)
  if (isOnlySpoilt) return spoiltBody(valid)
  return fc.oneof(
    { weight: 4, arbitrary: valid.map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: spoiltBody(valid) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

const noBody = (method: string): fc.Arbitrary<string | undefined> =>
  method === 'get'
    ? fc.constant(undefined)
    : fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom('{}', '[', 'null'))

const fill = (
  path: string,
  parameters: readonly ParameterObject[],
  values: readonly string[],
): string =>
  parameters.reduce(
    (filled, { name }, index) => filled.replace(`{${name}}`, () => encoded(values[index] ?? '')),
    path,
  )

/** As a client would, and some as no client should. Paths cannot say `.` and `..`: they mean another. */
function encoded(text: string): string {
  if (/^(%zz|%00|%|%%|\.\.%2f.*)$/.test(text)) return text
  return encodeURIComponent(/^\.\.?$/.test(text) ? '...' : wellFormed(text))
}

/** Only what HTTP can carry. */
const headerText = (text: string): string =>
  text
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 2000)
    .trim()

/** Half of a pair cannot be written in UTF-8. */
const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
