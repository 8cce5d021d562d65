/**
 * Phase 2: gathers what is known of failures, forms and ranks hypotheses, maps them to experiments, selects cases and sets criteria.
 * The result is `LOOP_PLAN.md`, which a person approves. What the documents of the project say is data.
 */

import { plural } from '../../../loop/excerpt/plural.ts'
import type { CapturedText } from '../captured-text.ts'
import { passGate } from '../gates.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { adjustPlan, planChanges } from '../plan/adjust-plan.ts'
import { applyPlan } from '../plan/apply-plan.ts'
import { makePlan } from '../plan/make-plan.ts'
import type { Plan } from '../plan/plan.ts'
import { readPrior } from '../plan/read-prior.ts'
import { writePlan } from '../plan/write-plan.ts'
import { askText, decideWhich } from '../questions.ts'
import { note, writeDocument } from '../report/note.ts'
import type { TuneSession } from '../tune-session.ts'
import type { TuneState } from '../tune-state.ts'
import { inFolder } from '../workload/workload.ts'
import { requirePlan, withPlan } from './open-setup.ts'

type Planning = Extract<TuneState, { phase: 'planning' }>

const directives = ['TESTING.md', 'PITFALLS.md', 'CONTRIBUTING.md']
const documentChars = 8000
const changesMax = 20

export async function plan(session: TuneSession, state: Planning): Promise<TuneState> {
  const { it } = session
  const { workload, topics, log } = state
  const { manifest, folder } = workload
  await openPhase(
    it,
    'planning',
    `Planning iteration experiments for ${manifest.workloadId} workload. Analyzing failures, ranking hypotheses, designing experiments.`,
  )
  const documents = await readDocuments(session, directives, folder)
  const [debrief] = await readDocuments(session, ['LOOP.md'], folder)
  const { plan: given } = session.input
  // One that was given is used once there is a manifest.
  const first =
    given === undefined
      ? makePlan({
          workload,
          topics,
          documents: documents.map(({ path }) => path),
          ...(debrief === undefined ? {} : { prior: readPrior(debrief.text) }),
        })
      : requirePlan(given)
  const approved = await approvePlan(session, first, state)
  if (approved === undefined) {
    return { phase: 'aborted', reason: 'the plan was not approved; nothing was run', log }
  }
  const { plan: made, by } = approved
  await writeDocument(it, 'LOOP_PLAN.md', writePlan(made))
  await note(it, [{ type: 'plan', plan: made, by }])
  const isCalibrated = state.passes.includes(state.manifestDigest)
  const gate = await passGate(session, {
    from: 'planning',
    text: 'Planning is complete. How to proceed?',
    choices: [
      { label: 'proceed to calibration', to: 'calibration' },
      ...(isCalibrated ? [{ label: 'skip to baseline', to: 'baseline' as const }] : []),
      { label: 'back to interrogation', to: 'interrogation' },
    ],
  })
  if (gate.to === 'interrogation') return { phase: 'interrogation', log }
  await leavePhase(it, 'planning', {
    failureContext: plural(made.failureContext.length, 'finding'),
    hypothesesRanked: `${made.hypotheses.length} hypotheses`,
    experimentsDesigned: `${made.experiments.length} experiments`,
    casesSelected: `${made.focus.length} focus cases, ${made.guards.length} guards, ${made.exclusions.length} exclusions`,
    successCriteria: made.criteria.exits.join('; ') || 'all cases pass',
    planWritten: 'LOOP_PLAN.md',
    approved: by,
  })
  const planned = { ...withPlan(state, made), documents }
  if (gate.to === 'baseline') {
    const [fixture = ''] = planned.workload.split.suite
    return { ...planned, phase: 'baseline', calibration: { case: fixture, attempt: 0 }, log }
  }
  return { ...planned, phase: 'calibration', attempts: [], log }
}

/** At the root of the workspace, and in the folder of the manifest. */
async function readDocuments(
  { it }: TuneSession,
  names: readonly string[],
  folder: string,
): Promise<readonly CapturedText[]> {
  const paths = [...new Set(names.flatMap((name) => [name, inFolder(folder, name)]))]
  return it.step(
    `read ${names.join(', ')}`,
    async () => {
      const found: CapturedText[] = []
      for (const path of paths) {
        const text = await it.workspace?.read(path)
        if (text !== undefined) found.push({ path, text: text.slice(0, documentChars) })
      }
      return found
    },
    { readOnly: true },
  )
}

/** Undefined: it was stopped. */
async function approvePlan(
  session: TuneSession,
  first: Plan,
  { workload }: Planning,
): Promise<{ readonly plan: Plan; readonly by: 'person' | 'policy' } | undefined> {
  let made = first
  let problem = ''
  for (let change = 1; change <= changesMax; change++) {
    const { answer, by } = await decideWhich(session, `plan ${change}`, {
      text: `${problem === '' ? 'Is this plan right?' : `That cannot be done: ${problem}. Is the plan right as it is?`}\n\n${writePlan(made)}`,
      options: ['approve', 'change', 'stop'],
      default: 'approve',
      policy: 'approve',
      happened: made.hypotheses.map(({ statement, prediction }) => `${statement} ${prediction}`),
    })
    if (answer === 'approve') return { plan: made, by }
    if (answer === 'stop') return undefined
    const said = await askText(session, `change plan ${change}`, {
      text: `What should change? ${planChanges}`,
    })
    const adjusted = adjustPlan(made, said ?? '')
    const applied = typeof adjusted === 'string' ? adjusted : applyPlan(workload, adjusted)
    problem = typeof applied === 'string' ? applied : ''
    if (typeof adjusted !== 'string' && typeof applied !== 'string') made = adjusted
  }
  return undefined
}
