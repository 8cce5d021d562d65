/** Operations for pages: the panels of a run, all of it as one file, and the merge queue. */

import { createRunMask } from '../../history/postmortem/create-run-mask.ts'
import { readReport, renderReport, reportPolicy } from '../../history/report/index.ts'
import { viewMerges } from '../../history/views/view-merges.ts'
import { viewPanels } from '../../history/views/view-panels.ts'
import type { Host } from '../../host/host.ts'
import { mergeLinesSchema, type PanelMaker, runPanelsSchema } from '../../protocol/api/index.ts'
import { defaultLoopType } from '../../protocol/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'
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

export const panelOperations: readonly Operation[] = [panels, report, merges]
