/**
 * The end of the synthesis: checklists, the walk-through, delegations, and the documents. One line is logged for each of its parts, so
 * that nothing is left out silently.
 */

import { askWhich } from '../questions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note, writeDocument } from '../report/note.ts'
import { parseRequest, writeRequest, writeResponse } from '../report/request.ts'
import { writeDebrief } from '../report/write-debrief.ts'
import { writeLog } from '../report/write-log.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Ended } from '../tune-state.ts'
import { type Closing, summarize } from './summarize.ts'
import { walkThrough } from './walk-through.ts'
import { writeClosing } from './write-closing.ts'

/** The documents that it wrote, and the tags of the debrief. */
export async function closeLoop(
  session: TuneSession,
  ended: Ended,
  before: readonly LogEntry[],
): Promise<{ readonly documents: readonly string[]; readonly tags: readonly string[] }> {
  const { it, settings, input } = session
  const iteration = ended.trail.length
  const run = settings.ports?.run ?? settings.name
  const walked = await walkThrough(session, ended)
  const wanted = walked.flatMap(({ id, decision }) => (decision === 'hand over' ? [id] : []))
  const delegated = await approveDispatch(session, wanted)
  const log = [...before, ...session.shown.entries]
  const closing = summarize(ended, log, { run, delegated })
  const documents = ['LOOP_LOG.md', 'LOOP.md']
  if (delegated.length > 0) {
    await writeDocument(it, 'LOOP_REQUEST.md', writeRequest(ended, run, delegated))
    documents.push('LOOP_REQUEST.md')
  }
  const request = input.request === undefined ? undefined : parseRequest(input.request.text)
  if (typeof request === 'object') {
    await writeDocument(it, 'LOOP_RESPONSE.md', writeResponse(request, ended))
    documents.push('LOOP_RESPONSE.md')
  }
  if (ended.plan !== undefined) documents.push('LOOP_PLAN.md')
  await note(it, rollCall(closing, documents, iteration))
  const whole = [...before, ...session.shown.entries]
  await writeDocument(it, 'LOOP_LOG.md', writeLog(whole))
  const debrief = `${writeDebrief(ended)}\n\n${writeClosing(ended, closing, walked, whole)}`
  await writeDocument(it, 'LOOP.md', debrief)
  return { documents, tags: closing.tags }
}

/** Nothing is handed over without a person. */
async function approveDispatch(
  session: TuneSession,
  wanted: readonly string[],
): Promise<readonly string[]> {
  if (wanted.length === 0) return []
  const answer = await askWhich(session, 'dispatch', {
    text: `Hand ${wanted.length} cases over to another loop, with LOOP_REQUEST.md?`,
    options: ['hand over', 'keep'],
    default: 'keep',
    policy: 'keep',
    happened: wanted,
  })
  return answer === 'hand over' ? wanted : []
}

/** Each part, also an empty one. */
function rollCall(
  closing: Closing,
  documents: readonly string[],
  iteration: number,
): readonly LogEntry[] {
  const { checkpoints, directives, delegations, discoveries, alerts, leftover } = closing
  const unmet = checkpoints.filter(({ isMet }) => !isMet).map(({ name }) => name)
  const lines = [
    `Checklists: ${checkpoints.length - unmet.length} of ${checkpoints.length} met${unmet.length === 0 ? '' : `; not met: ${unmet.join(', ')}`}.`,
    `Directives: ${directives.length}.`,
    `Delegations: ${delegations.length}.`,
    `Side discoveries: ${discoveries.length}.`,
    `Alerts: ${alerts.length}.`,
    `Leftover work: ${leftover.length}.`,
    `Artifacts of this loop: ${documents.join(', ')}.`,
    `Summary: ${closing.description} Keywords: ${closing.keywords.join(', ')}.`,
    `Next: ${closing.next.map(({ command }) => command).join('; ')}.`,
  ]
  return lines.map((text): LogEntry => ({ type: 'insight', iteration, text }))
}
