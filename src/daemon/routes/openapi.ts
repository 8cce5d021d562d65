/** The OpenAPI 3.1 document, made from the operations and from nothing else. */

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
  runs: 'Which there are, a new one, one of them.',
  control: 'What people say to runs, and runs that come of runs.',
  record: 'What the record says of runs, as it grows.',
  work: 'What runs made, and what becomes of it.',
  files: 'Checkpoints, certificates, artifacts, postmortems.',
  worktrees: 'The git worktrees of runs.',
  loops: 'Loop files, before anything of them is done.',
  'loop types': 'What only runs of one loop type offer.',
  daemon: 'The daemon itself.',
}

/** What the guard, the reading of a request and the store can say to any request. */
const always = [400, 401, 403, 421, 500, 503]
const whenChanging = [411, 413, 415]

const reasons: Readonly<Record<number, string>> = {
  400: 'The request is not as this document says; `errors` names the fields.',
  401: 'There is no token, or not one of this daemon.',
  403: 'The token may only look, the request is of another origin, or the loop file is not trusted.',
  404: 'There is no such run, file, question or checkpoint.',
  409: 'Not possible as things are: `possible` says what is; several runs fit: `candidates` names them.',
  411: 'The body has no length.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  421: 'The Host is not that of this daemon.',
  422: 'What was asked for cannot be: a key was used for something else, or something is not set up.',
  500: 'An error of the daemon itself; its log has more.',
  501: 'Not available on this machine.',
  503: 'Not now: the daemon is ending, the store cannot be used, or a program is missing.',
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
      summary: 'Runs of loops: created, watched, steered.',
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
            'From the file `daemon/token` of the state folder; `read-token` may only look.',
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
    ? [['304', { description: 'As `If-None-Match` has it.' }] as const]
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
  description: 'The `ETag` of an answer that is known: 304 if it is still the same.',
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
  const told = isTagged ? { ...headers, etag: 'Changes when the answer does.' } : headers
  return {
    description,
    ...(Object.keys(told).length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(told).map(([name, text]) => [
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

/** Each schema that has a name of its own stands in one place. */
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
