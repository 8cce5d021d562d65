/** Files of runs: checkpoints, certificates, artifacts, postmortems. */

import { Readable } from 'node:stream'
import { pageCertificates, readSigned } from '../../history/certificates/index.ts'
import { listArtifacts, readArtifact } from '../../history/run-folder/artifacts.ts'
import { analyzeRun, readPostmortem } from '../../host/analyze-run.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  artifactSchema,
  certificateEntrySchema,
  checkpointPositionSchema,
  pageSchema,
  postmortemRequestSchema,
  postmortemSchema,
} from '../../protocol/api/index.ts'
import { checkpointFileSchema, signedCertificateSchema } from '../../protocol/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { flag, required, text, whole } from './parameter.ts'
import { inRun, numberIn, paged, pageOf } from './run-parameters.ts'

const tag = 'files'
const problems = [404, 409]

const checkpoints = operation({
  id: 'listCheckpoints',
  method: 'get',
  path: '/runs/{run}/checkpoints',
  tag,
  summary: 'List the checkpoints of a run, which can be forked, exported and resumed from.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of them, oldest first.', pageSchema(checkpointPositionSchema)) },
  problems,
  async handle({ host }, { params, query }) {
    const { id } = await host.journal.findRun(params.run)
    return ok(pageOf(await host.journal.checkpoints(id), query))
  },
})

const checkpoint = operation({
  id: 'getCheckpoint',
  method: 'get',
  path: '/runs/{run}/checkpoints/{n}',
  tag,
  summary: 'Export the checkpoint after an iteration, in its published format.',
  params: {
    ...inRun,
    n: required(whole({ description: 'The iteration.', example: 3, max: 1_000_000 }), 0),
  },
  query: {
    files: flag('Include the files of the workspace, so that it can be restored elsewhere.'),
  },
  responses: { 200: json('The checkpoint.', checkpointFileSchema) },
  problems: [...problems, 501],
  async handle({ host }, { params: { run, n }, query }) {
    const file = await host.exportCheckpoint(run, { iteration: n, files: query.files })
    return new Response(file, { headers: { 'content-type': 'application/json' } })
  },
})

const certificatesOfRun = operation({
  id: 'listRunCertificates',
  method: 'get',
  path: '/runs/{run}/certificates',
  tag,
  summary: 'List the certificates of a run, newest first.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of them.', pageSchema(certificateEntrySchema)) },
  problems,
  async handle({ host }, { params, query }) {
    return ok(await certificatePage(host.folder, query, await host.journal.findRun(params.run)))
  },
})

const certificates = operation({
  id: 'listCertificates',
  method: 'get',
  path: '/certificates',
  tag,
  summary: 'List all certificates, newest first.',
  query: paged,
  responses: { 200: json('A page of them.', pageSchema(certificateEntrySchema)) },
  async handle({ host }, { query }) {
    return ok(await certificatePage(host.folder, query))
  },
})

interface PageQuery {
  readonly limit: number
  readonly cursor: string | undefined
}

async function certificatePage(
  folder: string,
  { limit, cursor }: PageQuery,
  run?: { readonly id: string; readonly createdAtMs: number },
): Promise<object> {
  const before = numberIn(cursor)
  const { items, next } = await pageCertificates(folder, {
    limit,
    ...defined({ before, run }),
  })
  return { items, ...(next === undefined ? {} : { next: String(next) }) }
}

const certificate = operation({
  id: 'getCertificate',
  method: 'get',
  path: '/certificates/{id}',
  tag,
  summary: 'Get a certificate with its signature. Verify it with `loopctl verify`.',
  params: {
    id: required(
      text({
        description: 'Its id, or at least the first 8 digits of it.',
        example: '5f2b8d10',
        max: 64,
        pattern: /^[0-9a-f]{8,64}$/,
      }),
      '',
    ),
  },
  responses: { 200: json('The certificate.', signedCertificateSchema) },
  problems: [404],
  async handle({ host }, { params }) {
    return ok(await readSigned(params.id, host.folder))
  },
})

const artifacts = operation({
  id: 'listArtifacts',
  method: 'get',
  path: '/runs/{run}/artifacts',
  tag,
  summary: 'List the files in the folder of a run: reports, prompts, outputs, logs.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of them.', pageSchema(artifactSchema)) },
  problems,
  async handle({ host }, { params, query }) {
    return ok(pageOf(await listArtifacts(host, params.run), query))
  },
})

const artifact = operation({
  id: 'getArtifact',
  method: 'get',
  path: '/runs/{run}/artifacts/{path}',
  tag,
  summary: 'Get a file from the folder of a run.',
  params: {
    ...inRun,
    path: required(
      text({
        description: 'Its path as in the list; `/` need not be encoded.',
        example: 'summary.json',
        max: 1024,
      }),
      '',
    ),
  },
  responses: {
    200: { description: 'The file, as a download.', content: { '*/*': undefined } },
  },
  problems,
  async handle({ host }, { params, isHead }) {
    const { content, bytes, mediaType } = await readArtifact(host, params.run, params.path)
    if (isHead) content.destroy()
    return new Response(isHead ? null : (Readable.toWeb(content) as ReadableStream), {
      headers: {
        'content-type': mediaType,
        'content-length': String(bytes),
        'content-disposition': 'attachment',
      },
    })
  },
})

const postmortem = operation({
  id: 'getPostmortem',
  method: 'get',
  path: '/runs/{run}/postmortem',
  tag,
  summary: 'Get the newest postmortem of a run.',
  params: inRun,
  responses: { 200: json('The postmortem.', postmortemSchema) },
  problems,
  async handle({ host }, { params }) {
    const found = await readPostmortem(host, params.run)
    if (found !== undefined) return ok(found)
    const { name } = await host.journal.findRun(params.run)
    const message = `Run "${name}" has no postmortem yet. After it ended: loopctl analyze ${name}`
    throw new LoopError('unknown-artifact', message)
  },
})

const analyze = operation({
  id: 'analyzeRun',
  method: 'post',
  path: '/runs/{run}/postmortem',
  tag,
  summary: 'Write a postmortem of an ended run: what happened, why, and whether it did the task.',
  description: 'From the journal alone, or by the named model. Does not change the run.',
  params: inRun,
  body: { schema: postmortemRequestSchema, example: { promptOnly: true } },
  responses: { 200: json('The postmortem.', postmortemSchema) },
  problems: [...problems, 422, 501],
  async handle({ host }, { params, body, signal }) {
    return ok(await analyzeRun(host, params.run, { ...body, signal }))
  },
})

export const fileOperations: readonly Operation[] = [
  checkpoints,
  checkpoint,
  certificatesOfRun,
  certificates,
  certificate,
  artifacts,
  artifact,
  postmortem,
  analyze,
]
