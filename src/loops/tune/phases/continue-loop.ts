/**
 * `--continue`: goes on at iteration N+1 from the log of an earlier loop alone. What it measured was another machine or another day, so
 * the baseline is measured again, and what it kept is the first thing that is. Its calibration counts for the same manifest.
 */

import { FaultError } from '../../../loop/index.ts'
import type { CapturedText } from '../captured-text.ts'
import { applyEdits, type Option } from '../compose/option.ts'
import { askText } from '../questions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import { parseLog } from '../report/parse-log.ts'
import { toTrail } from '../report/to-trail.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Carried, SetUp, TuneState } from '../tune-state.ts'
import type { Version } from '../workload/workload.ts'
import { leaveSetup, openSetUp, toStarted, withPlan } from './open-setup.ts'

export async function continueLoop(session: TuneSession, log: CapturedText): Promise<TuneState> {
  const { it } = session
  const entries = parseLog(log.text)
  if (typeof entries === 'string') throw badLog(`${log.path}: ${entries}`)
  const manifest = await findManifest(session, entries)
  const opened = await openSetUp(session, manifest, { topics: {}, unsaved: [] })
  const { carried, notes } = carry(entries, opened.workload.original)
  const planned = entries.findLast((entry) => entry.type === 'plan')
  const setUp: SetUp = { ...opened, carried, passes: passesIn(entries) }
  const known = planned?.type === 'plan' ? withPlan(setUp, planned.plan) : setUp
  const iteration = carried.trail.length
  await note(it, [
    ...entries.map(asEarlier),
    toStarted(session, known),
    ...notes.map((text): LogEntry => ({ type: 'insight', iteration, text })),
  ])
  const isCalibrated = known.passes.includes(known.manifestDigest)
  await leaveSetup(
    session,
    manifest.path,
    `${isCalibrated ? 'baseline' : 'calibration'}, then iteration ${iteration + 1}`,
  )
  if (!isCalibrated) return { ...known, phase: 'calibration', attempts: [], log: [] }
  const [fixture = ''] = known.workload.split.suite
  return { ...known, phase: 'baseline', calibration: { case: fixture, attempt: 0 }, log: [] }
}

const earlier = ', in an earlier run'

/** What was answered then does not keep the answers file of this run from answering. */
const asEarlier = (entry: LogEntry): LogEntry =>
  entry.type === 'interaction' && !entry.by.endsWith(earlier)
    ? { ...entry, by: `${entry.by}${earlier}` }
    : entry

/** On another machine it may be elsewhere. */
async function findManifest(
  session: TuneSession,
  entries: readonly LogEntry[],
): Promise<CapturedText> {
  const { it, input } = session
  if (input.manifest.text !== '') return input.manifest
  const started = entries.findLast((entry) => entry.type === 'session-started')
  const known = started?.type === 'session-started' ? started.manifest : 'loop.manifest.json'
  const path = await askText(session, 'manifest', {
    text: `Where is the manifest of this log? It was ${known}.`,
    default: known,
  })
  const text = await it.step(
    'manifest of the log',
    async () => (await it.workspace?.read(path ?? known)) ?? '',
    { readOnly: true },
  )
  if (text !== '') return { path: path ?? known, text }
  throw badLog(`there is no manifest ${path ?? known}; name it with --manifest`)
}

const passesIn = (entries: readonly LogEntry[]): readonly string[] => [
  ...new Set(
    entries.flatMap((entry) => (entry.type === 'calibration-passed' ? [entry.manifestDigest] : [])),
  ),
]

/** The record, and everything that was kept as one change of the files as they are now. */
export function carry(
  entries: readonly LogEntry[],
  original: Version,
): { readonly carried: Carried; readonly notes: readonly string[] } {
  const trail = toTrail(entries)
  const options = new Map<string, Option>()
  for (const entry of entries) {
    if (entry.type === 'edit-applied') options.set(entry.option.id, entry.option)
  }
  const notes = [`This loop continues after iteration ${trail.length} of an earlier one.`]
  let artifacts = original.artifacts
  const applied: Option[] = []
  for (const entry of entries) {
    const option =
      entry.type === 'iteration-result' && entry.kept !== undefined
        ? options.get(entry.kept)
        : undefined
    if (option === undefined) continue
    const next = applyOption(artifacts, option)
    if (next === undefined)
      notes.push(`${option.id} was kept before; its text is not in the files now.`)
    else {
      artifacts = next
      applied.push(option)
    }
  }
  if (applied.length === 0) return { carried: { trail, candidates: [] }, notes }
  const option = joinOptions(applied, trail.length)
  return { carried: { trail, candidates: [{ option, version: { artifacts } }] }, notes }
}

function applyOption(
  artifacts: Version['artifacts'],
  { edits }: Option,
): Version['artifacts'] | undefined {
  const changed = Object.entries(artifacts).map(([file, text]) => {
    const own = edits.filter((edit) => edit.file === file)
    return [file, own.length === 0 ? text : applyEdits(text, own)] as const
  })
  const texts = changed.flatMap(([file, text]) =>
    text === undefined ? [] : [[file, text] as const],
  )
  const isKnown = edits.every(({ file }) => Object.hasOwn(artifacts, file))
  return isKnown && texts.length === changed.length ? Object.fromEntries(texts) : undefined
}

const joinOptions = (options: readonly Option[], iteration: number): Option => ({
  id: `${iteration}.kept`,
  name: `What the earlier loop kept (${options.map(({ id }) => id).join(', ')})`,
  summary: 'Measured again, on this machine.',
  mechanism: options.map(({ mechanism }) => mechanism).join('; '),
  edits: options.flatMap(({ edits }) => edits),
  prediction: { improves: [...new Set(options.flatMap(({ prediction }) => prediction.improves))] },
  isRecommended: true,
})

const badLog = (problem: string): FaultError =>
  new FaultError({
    code: 'bad-log',
    message: `The loop cannot be continued: ${problem}.`,
    retryable: false,
    fatal: true,
  })
