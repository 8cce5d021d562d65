/** The operations of `tune`. */

import { z } from 'zod'
import { loadRun } from '../../../engine/index.ts'
import { isJsonObject, tuneViewSchema } from '../../../protocol/index.ts'
import {
  type LoopOperation,
  loopOperation,
  type OperationParts,
  type OperationRequest,
} from '../../loop-operation.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { logRole } from '../report/note.ts'
import { writeLog } from '../report/write-log.ts'
import { emptyState, type TuneState } from '../tune-state.ts'
import { renderView } from './render-view.ts'
import { toView, type ViewSource } from './to-view.ts'

const logSchema = z.strictObject({ text: z.string() })

export const showTuning: LoopOperation = loopOperation({
  name: 'show',
  method: 'get',
  about: 'run',
  summary: 'Everything that a tuning loop knows: best so far, cases, options, claims.',
  answer: { schema: tuneViewSchema, description: 'The view of the run.' },
  render: renderView,
  async handle(parts, { run }) {
    if (run === undefined) throw new Error('This operation is about a run.')
    return toView({ run: run.name, ...(await readTuning(parts, run)) })
  },
})

export const logOfTuning: LoopOperation = loopOperation({
  name: 'log',
  method: 'get',
  about: 'run',
  summary: 'The log of a tuning loop so far: LOOP_LOG.md.',
  answer: { schema: logSchema, description: 'The log as Markdown; it can be continued.' },
  render: ({ text }) => text.trimEnd(),
  async handle(parts, { run }) {
    if (run === undefined) throw new Error('This operation is about a run.')
    const { state, open } = await readTuning(parts, run)
    return { text: writeLog([...state.log, ...open]) }
  },
})

type FoundRun = NonNullable<OperationRequest<unknown>['run']>

export type Tuning = Omit<ViewSource, 'run'>

/** What the open iteration has noted so far is only in its steps. */
export async function readTuning(
  { journal, blobs }: OperationParts,
  { id }: FoundRun,
): Promise<Tuning> {
  const { state, openEvents } = await loadRun(journal, id)
  const open: LogEntry[] = []
  let intent: string | undefined
  for (const { event } of openEvents) {
    if (event.type !== 'step-finished' || event.result === undefined) continue
    if (event.role !== logRole && event.role !== 'intent') continue
    const { result } = event
    const value: unknown =
      'value' in result
        ? result.value
        : (JSON.parse((await blobs.get(result.blob)).toString('utf8')) as unknown)
    if (event.role === 'intent') intent = String(value)
    else open.push(...(value as readonly LogEntry[]))
  }
  const { progress } = state
  const known = isJsonObject(progress) ? (progress as unknown as TuneState) : emptyState
  return { state: known, open, ...(intent === undefined ? {} : { intent }) }
}
