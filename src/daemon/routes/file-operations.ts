/** Files of runs: checkpoints, certificates, artifacts, postmortems. */

import { Readable } from 'node:stream'
import { pageCertificates, readSigned } from '../../history/certificates/index.ts'
import { listArtifacts, readArtifact } from '../../history/run-folder/artifacts.ts'
import { analyzeRun, readPostmortem } from '../../host/analyze-run.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  artifactSchema,
  certificateEntrySchema,
  checkpointPlaceSchema,
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
  summary: 'Where iterations ended: what can be forked, exported and gone back to.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of them, oldest first.', pageSchema(checkpointPlaceSchema)) },
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
  summary: 'The checkpoint after an iteration, as a file by its published schema.',
  params: {
    ...inRun,
    n: required(whole({ description: 'The iteration.', example: 3, max: 1_000_000 }), 0),
  },
  query: {
    files: flag('With the content of the workspace, so that it can be restored elsewhere.'),
  },
  answers: { 200: json('The checkpoint.', checkpointFileSchema) },
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
  summary: 'The certificates of a run, newest first.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of them.', pageSchema(certificateEntrySchema)) },
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
  summary: 'The certificates of this installation, newest first.',
  query: paged,
  answers: { 200: json('A page of them.', pageSchema(certificateEntrySchema)) },
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
  summary: 'One certificate with its signature. Whether it holds is for `loopctl verify` to say.',
  params: {
    id: required(
      text({
        description: 'Its id, or the beginning of it from 8 digits on.',
        example: '5f2b8d10',
        max: 64,
        pattern: /^[0-9a-f]{8,64}$/,
      }),
      '',
    ),
  },
  answers: { 200: json('The certificate.', signedCertificateSchema) },
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
  summary: "The files of a run's folder: reports, prompts, outputs, logs.",
  params: inRun,
  query: paged,
  answers: { 200: json('A page of them.', pageSchema(artifactSchema)) },
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
  summary: "One file of a run's folder, as it is.",
  params: {
    ...inRun,
    path: required(
      text({
        description: 'Its path, as the list has it; `/` may stand as it is.',
        example: 'summary.json',
        max: 1024,
      }),
      '',
    ),
  },
  answers: {
    200: { description: 'The file, to be saved and never shown.', content: { '*/*': undefined } },
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
  summary: 'The newest look back at a run.',
  params: inRun,
  answers: { 200: json('What was found.', postmortemSchema) },
  problems,
  async handle({ host }, { params }) {
    const found = await readPostmortem(host, params.run)
    if (found !== undefined) return ok(found)
    const { name } = await host.journal.findRun(params.run)
    const message = `Nobody has looked back at run "${name}" yet. Once it ended: loopctl analyze ${name}`
    throw new LoopError('unknown-artifact', message)
  },
})

const analyze = operation({
  id: 'analyzeRun',
  method: 'post',
  path: '/runs/{run}/postmortem',
  tag,
  summary:
    'Looks back at a run that has ended: what happened, why, and whether it is what was asked for.',
  description: 'From the record alone, or by a model that is named. Nothing of the run changes.',
  params: inRun,
  body: { schema: postmortemRequestSchema, example: { promptOnly: true } },
  answers: { 200: json('What was found.', postmortemSchema) },
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
