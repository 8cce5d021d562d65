/** Generates the OpenAPI 3.1 document from the operations. */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { problemSchema } from '../../protocol/api/index.ts'
import { published } from '../../protocol/index.ts'
import { readPackageVersion } from '../../system/package-version.ts'
import { loadSchema, type Operation, type ResponseShape } from './operation.ts'
import type { Parameters } from './parameter.ts'
import { problemType } from './problem-answer.ts'

type Fields = Readonly<Record<string, unknown>>

const tags: Readonly<Record<string, string>> = {
  runs: 'List, create, get and remove runs.',
  control: 'Control runs: pause, resume, stop, limits, answers, guidance, retries, forks.',
  journal: 'Read the journal: steps, iterations, events, output.',
  work: 'The work of runs: diffs, merges, pull requests, discarding.',
  files: 'Checkpoints, certificates, artifacts, postmortems.',
  worktrees: 'The git worktrees of runs.',
  loops: 'Find and preview loop files, plan runs, the catalog.',
  levels: 'What loops may do without a person, and why.',
  memory: 'What loops remember.',
  schedules: 'What starts runs at a time or after an event.',
  'loop types': 'Operations that one loop type declares.',
  daemon: 'The daemon itself.',
}

/** Problems that any request can get from the guard, the parser or the store. */
const always = [400, 401, 403, 421, 500, 503]
const whenChanging = [411, 413, 415]

const reasons: Readonly<Record<number, string>> = {
  400: 'The request does not match this document; `errors` names the fields.',
  401: 'The token is missing or wrong.',
  403: 'The token is read-only, the request is from another origin, or the loop file is not trusted.',
  404: 'No such run, file, question, checkpoint or schedule.',
  409: 'Not possible in this state (`possible` lists what is), or the name is ambiguous (`candidates` lists the runs).',
  411: 'The body has no length.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  421: 'The Host header does not name this daemon.',
  422: 'The request cannot be carried out: its key was used for another request, or something is not configured.',
  500: 'Internal error. See the log of the daemon.',
  501: 'Not available on this machine.',
  503: 'Not available now: the daemon is shutting down, the store fails, or a program is missing.',
}

export async function openApi(operations: readonly Operation[]): Promise<Fields> {
  const schemas = createSchemas()
  const problem = schemas.refer(problemSchema, 'output')
  const paths: Record<string, Record<string, Fields>> = {}
  for (const one of operations) {
    paths[one.path] = { ...paths[one.path], [one.method]: await describe(one, schemas, problem) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'loopd',
      version: readPackageVersion(),
      summary: 'Create, watch and control runs of loops.',
      description: 'Times are in milliseconds since 1970, costs in millionths of a dollar.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:7700', description: 'The daemon on this machine.' }],
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

async function describe(one: Operation, schemas: Schemas, problem: Fields): Promise<Fields> {
  const { id, tag, summary, description, params = {}, query = {}, headers = {}, body } = one
  const isRead = one.method === 'get'
  const statuses = [...always, ...(isRead ? [] : whenChanging), ...(one.problems ?? [])]
  const problems = statuses
    .filter((status) => one.responses[status] === undefined)
    .map((status) => [String(status), problemAnswer(status, problem)] as const)
  const responses = await Promise.all(
    Object.entries(one.responses).map(
      async ([status, answer]) => [status, await describeAnswer(answer, schemas, one)] as const,
    ),
  )
  const isTagged = isRead && one.isLive !== true && hasJson(one.responses[200])
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
                schema: schemas.refer(await loadSchema(body.schema), 'input'),
                example: body.example,
              },
            },
          },
        }),
    responses: Object.fromEntries([...responses, ...unchanged, ...problems].toSorted(byStatus)),
  }
}

const byStatus = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  Number(a) - Number(b)

const hasJson = (answer: ResponseShape | undefined): boolean =>
  answer?.content?.['application/json'] !== undefined

const ifNoneMatch: Fields = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier response; 304 if it has not changed.',
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

async function describeAnswer(
  answer: ResponseShape,
  schemas: Schemas,
  one: Operation,
): Promise<Fields> {
  const { description, content = {}, headers = {} } = answer
  const isTagged = one.method === 'get' && one.isLive !== true && hasJson(answer)
  const sent = isTagged ? { ...headers, etag: 'Changes when the response does.' } : headers
  return {
    description,
    ...(Object.keys(sent).length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(sent).map(([name, text]) => [
              headerName(name),
              { description: text, schema: { type: 'string' } },
            ]),
          ),
        }),
    content: Object.fromEntries(
      await Promise.all(
        Object.entries(content).map(async ([type, schema]) => [
          type,
          schema === undefined ? {} : { schema: schemas.refer(await loadSchema(schema), 'output') },
        ]),
      ),
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

const schemaPath = '#/components/schemas/'

/** Each named schema is defined once and referenced elsewhere. */
function createSchemas(): Schemas {
  const named = new Map<string, Fields>()
  const keep = (name: string, schema: Fields): void => {
    const known = named.get(name)
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`Two schemas are named ${name}.`)
    }
    named.set(name, schema)
  }
  return {
    refer(schema, io) {
      const made = z.toJSONSchema(schema, { target: 'draft-2020-12', io, metadata: published })
      const { $schema: _, $defs = {}, ...shape } = withLocalReferences(made)
      for (const [name, one] of Object.entries($defs as Readonly<Record<string, Fields>>)) {
        keep(name, one)
      }
      return shape
    },
    all: () => Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const withLocalReferences = (schema: object): Fields =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${schemaPath}`)) as Fields
