/** The OpenAPI 3.1 document, generated only from the operations. */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { problemSchema } from '../../protocol/api/index.ts'
import { published } from '../../protocol/index.ts'
import { packageVersion } from '../../system/package-version.ts'
import type { AnswerShape, Operation } from './operation.ts'
import type { Parameters } from './parameter.ts'
import { problemType } from './problem-answer.ts'

type Fields = Readonly<Record<string, unknown>>

const tags: Readonly<Record<string, string>> = {
  runs: 'List, create, get and remove runs.',
  control: 'Control runs: decisions, answers, retries, forks.',
  record: 'The journal of runs, also as a stream.',
  work: 'The changes that runs made: diffs, merges, pull requests.',
  files: 'Checkpoints, certificates, artifacts, postmortems.',
  worktrees: 'The git worktrees of runs.',
  loops: 'Loop files, before they run.',
  daemon: 'The daemon itself.',
}

/** Problems that any request can get from the guard, the parser or the store. */
const always = [400, 401, 403, 421, 500, 503]
const whenChanging = [411, 413, 415]

const reasons: Readonly<Record<number, string>> = {
  400: 'The request does not match this document; `errors` names the fields.',
  401: 'The token is missing or invalid.',
  403: 'The token is read-only, the request is from another origin, or the loop file is not trusted.',
  404: 'There is no such run, file, question or checkpoint.',
  409: 'Not possible in this state (`possible` lists what is), or ambiguous (`candidates` lists the runs).',
  411: 'The header Content-Length is missing.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  421: 'The header Host does not name this daemon.',
  422: 'Cannot be done: the idempotency key was used for another request, or the configuration is incomplete.',
  500: 'An internal error of the daemon; see its log.',
  501: 'Not available on this machine.',
  503: 'Not available now: the daemon is shutting down, the store fails, or a program is missing.',
}

export function openApi(operations: readonly Operation[]): Fields {
  const schemas = createSchemas()
  const problem = schemas.refer(problemSchema, 'output')
  const paths: Record<string, Record<string, Fields>> = {}
  for (const one of operations) {
    paths[one.path] = { ...paths[one.path], [one.method]: describe(one, schemas, problem) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'loopd',
      version: packageVersion(),
      summary: 'Create, watch and control runs of loops.',
      description: 'Times are in milliseconds since 1970, costs in millionths of a dollar.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:7700', description: 'The daemon of this machine.' }],
    security: [{ token: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'From the file `daemon/token` of the state folder; `read-token` is read-only.',
        },
      },
    },
  }
}

function describe(one: Operation, schemas: Schemas, problem: Fields): Fields {
  const { id, tag, summary, description, params = {}, query = {}, headers = {}, body } = one
  const isLooking = one.method === 'get'
  const statuses = [...always, ...(isLooking ? [] : whenChanging), ...(one.problems ?? [])]
  const problems = statuses
    .filter((status) => one.answers[status] === undefined)
    .map((status) => [String(status), problemAnswer(status, problem)] as const)
  const answers = Object.entries(one.answers).map(
    ([status, answer]) => [status, describeAnswer(answer, schemas, one)] as const,
  )
  const isTagged = isLooking && one.isLive !== true && hasJson(one.answers[200])
  const unchanged = isTagged
    ? [['304', { description: 'Unchanged since `If-None-Match`.' }] as const]
    : []
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...defined({ description }),
    parameters: [
      ...describeParameters('path', params),
      ...describeParameters('query', query),
      ...describeParameters('header', headers),
      ...(isTagged ? [ifNoneMatch] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: summary,
            required: true,
            content: {
              'application/json': {
                schema: schemas.refer(body.schema, 'input'),
                example: body.example,
              },
            },
          },
        }),
    responses: Object.fromEntries([...answers, ...unchanged, ...problems].toSorted(byStatus)),
  }
}

const byStatus = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  Number(a) - Number(b)

const hasJson = (answer: AnswerShape | undefined): boolean =>
  answer?.content?.['application/json'] !== undefined

const ifNoneMatch: Fields = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier response: 304 if it is unchanged.',
  required: false,
  schema: { type: 'string', maxLength: 1024 },
  example: '"pM9Bq1kGx4w0y3xkU2nF8A"',
}

const describeParameters = (place: string, parameters: Parameters): readonly Fields[] =>
  Object.entries(parameters).map(([name, { description, schema, example, required }]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    description,
    required: place === 'path' || required,
    schema,
    example,
  }))

const headerName = (name: string): string =>
  name.replaceAll(/(^|-)[a-z]/g, (at) => at.toUpperCase())

function describeAnswer(answer: AnswerShape, schemas: Schemas, one: Operation): Fields {
  const { description, content = {}, headers = {} } = answer
  const isTagged = one.method === 'get' && one.isLive !== true && hasJson(answer)
  const allHeaders = isTagged ? { ...headers, etag: 'Changes when the answer does.' } : headers
  return {
    description,
    ...(Object.keys(allHeaders).length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(allHeaders).map(([name, text]) => [
              headerName(name),
              { description: text, schema: { type: 'string' } },
            ]),
          ),
        }),
    content: Object.fromEntries(
      Object.entries(content).map(([type, schema]) => [
        type,
        schema === undefined ? {} : { schema: schemas.refer(schema, 'output') },
      ]),
    ),
  }
}

const problemAnswer = (status: number, problem: Fields): Fields => ({
  description: reasons[status] ?? 'A problem.',
  content: { [problemType]: { schema: problem } },
})

interface Schemas {
  refer(schema: z.ZodType, io: 'input' | 'output'): Fields
  all(): Fields
}

const place = '#/components/schemas/'

/** Each named schema is defined once. */
function createSchemas(): Schemas {
  const named = new Map<string, Fields>()
  const keep = (name: string, schema: Fields): void => {
    const there = named.get(name)
    if (there !== undefined && !isDeepStrictEqual(there, schema)) {
      throw new Error(`Two schemas are named ${name}.`)
    }
    named.set(name, schema)
  }
  return {
    refer(schema, io) {
      const made = z.toJSONSchema(schema, { target: 'draft-2020-12', io, metadata: published })
      const { $schema: _, $defs = {}, ...shape } = pointed(made)
      for (const [name, one] of Object.entries($defs as Readonly<Record<string, Fields>>)) {
        keep(name, one)
      }
      return shape
    },
    all: () => Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const pointed = (schema: object): Fields =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${place}`)) as Fields
