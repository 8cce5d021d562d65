/** Operations for the pages of a dashboard: the panels of a run. */

import { viewPanels } from '../../history/views/view-panels.ts'
import { runPanelsSchema } from '../../protocol/api/index.ts'
import { defaultLoopType } from '../../protocol/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { inRun } from './run-parameters.ts'

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
    const types = host.loopTypes ?? (await import('../../loops/registry.ts')).loopTypes
    const findMaker = (type = defaultLoopType) => types.find(({ name }) => name === type)?.panels
    return ok(await viewPanels(host, id, findMaker))
  },
})

export const panelOperations: readonly Operation[] = [panels]
