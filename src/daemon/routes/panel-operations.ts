/** Operations for pages: the panels of a run, its exchanges, all of it as one file, and the merge queue. */

import { createRunMask } from '../../history/postmortem/create-run-mask.ts'
import { readReport, renderReport, reportPolicy } from '../../history/report/index.ts'
import { viewExchange } from '../../history/views/view-exchange.ts'
import { viewMerges } from '../../history/views/view-merges.ts'
import { viewPanels } from '../../history/views/view-panels.ts'
import type { Host } from '../../host/host.ts'
import {
  exchangeViewSchema,
  mergeLinesSchema,
  type PanelMaker,
  runPanelsSchema,
} from '../../protocol/api/index.ts'
import { defaultLoopType } from '../../protocol/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { required, whole } from './parameter.ts'
import { inRun } from './run-parameters.ts'

/** Finds how a loop type makes its panels. */
async function readMakers({
  loopTypes,
}: Host): Promise<(loopType: string | undefined) => PanelMaker | undefined> {
  const types = loopTypes ?? (await import('../../loops/registry.ts')).loopTypes
  return (wanted = defaultLoopType) => types.find(({ name }) => name === wanted)?.panels
}

const panels = operation({
  id: 'getPanels',
  method: 'get',
  path: '/runs/{run}/panels',
  tag: 'journal',
  summary: 'Get what the loop type of a run shows of it, as data.',
  description: 'Tables, series, diffs, matrices and text: all of it is text.',
  params: inRun,
  responses: { 200: json('Its panels.', runPanelsSchema) },
  problems: [404, 409],
  async handle({ host }, { params }) {
    const { id } = await host.journal.findRun(params.run)
    return ok(await viewPanels(host, id, await readMakers(host)))
  },
})

const report = operation({
  id: 'getReport',
  method: 'get',
  path: '/runs/{run}/report',
  tag: 'files',
  summary: 'Get one HTML file that shows a run: no scripts, secrets masked.',
  description: 'At most about 8 MB. It says what it leaves out.',
  params: inRun,
  isLive: true,
  responses: {
    200: { description: 'The file.', content: { 'text/html': undefined } },
  },
  problems: [404, 409],
  async handle({ host }, { params }) {
    const run = await host.journal.findRun(params.run)
    const read = await readReport(host, run.id, {
      nowMs: Date.now(),
      mask: await createRunMask(host, run),
      findMaker: await readMakers(host),
    })
    return new Response(renderReport(read), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        // It is a file to keep, and not a page of this origin.
        'content-disposition': 'attachment; filename="report.html"',
        'content-security-policy': `${reportPolicy}; sandbox; frame-ancestors 'none'`,
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

const exchange = operation({
  id: 'getExchange',
  method: 'get',
  path: '/runs/{run}/exchanges/{seq}',
  tag: 'journal',
  summary: 'Get what was sent to a model and what came back, by the event that recorded it.',
  description: 'Of a note of the type `exchanged` or `prompted`. Without secrets, shortened.',
  params: {
    ...inRun,
    seq: required(
      whole({ description: 'The seq of the event.', example: 12, max: Number.MAX_SAFE_INTEGER }),
      0,
    ),
  },
  responses: { 200: json('The exchange.', exchangeViewSchema) },
  problems: [404, 409],
  async handle({ host }, { params }) {
    const { id } = await host.journal.findRun(params.run)
    return ok(await viewExchange(host, id, params.seq))
  },
})

const merges = operation({
  id: 'listMerges',
  method: 'get',
  path: '/merges',
  tag: 'work',
  summary:
    'List the merge queue: one line for each branch, with what became of the newest requests.',
  description: 'Those that wait come first, in their order.',
  responses: { 200: json('The lines.', mergeLinesSchema) },
  async handle({ host }) {
    return ok(await viewMerges(host))
  },
})

export const panelOperations: readonly Operation[] = [panels, exchange, report, merges]
