/**
 * Phase 6: one proof on fresh runs and the sealed holdout, the change of the user's files if their policy or a person allows it,
 * and the debrief. Nothing else in the loop says "improved".
 */

import { plural } from '../../../loop/excerpt/plural.ts'
import { closeLoop } from '../closing/close-loop.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { describeHoldout } from '../report/describe-holdout.ts'
import { describeRegressions } from '../report/describe-regressions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import { tally } from '../report/numbers.ts'
import { describeProof } from '../report/write-debrief.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Ended, Looping, TuneState } from '../tune-state.ts'
import { inFolder, type Version } from '../workload/workload.ts'
import { prove } from './prove.ts'
import { tallyOf } from './trip.ts'

type Found = Pick<Ended, 'proof' | 'regressions' | 'holdout'>

type Synthesizing = Extract<TuneState, { phase: 'synthesis' }>

/** The only action of this loop type. */
export const editArtifacts = 'edit-artifacts'

export async function synthesize(session: TuneSession, state: Synthesizing): Promise<TuneState> {
  const { it } = session
  const { phase: _phase, log, ...looping } = state
  await openPhase(
    it,
    'synthesis',
    `Synthesizing. ${plural(state.trail.length, 'iteration')} completed, ${tally(tallyOf(looping))} cases passing. Proves what was kept, writes LOOP.md.`,
  )
  const isChanged = !isSame(looping.incumbent.version, looping.workload.original)
  const proven = isChanged ? await prove(session, looping) : nothingKept(looping)
  await note(it, describeFindings(proven, looping.trail.length))
  const ended: Ended = {
    ...looping,
    ...proven,
    applied: await apply(session, looping, proven),
  }
  const { tags } = await closeLoop(session, ended, log)
  await leavePhase(it, 'synthesis', {
    debriefFile: 'LOOP.md',
    debriefTags: tags.join(' ') || 'none',
  })
  return { ...ended, phase: 'ended', log }
}

function nothingKept({ workload }: Looping): Found {
  const cases = workload.split.holdout.length
  return {
    regressions: { broken: [], suspect: [], runs: 0 },
    holdout: cases === 0 ? { type: 'none' } : { type: 'sealed', cases, reason: 'nothing-kept' },
  }
}

function describeFindings(
  { proof, regressions, holdout }: Found,
  iteration: number,
): readonly LogEntry[] {
  const { broken, suspect } = regressions
  return [
    { type: 'insight', iteration, text: describeProof(proof) },
    { type: 'insight', iteration, text: describeHoldout(holdout) },
    ...(broken.length + suspect.length === 0
      ? []
      : [describeRegressions(regressions, iteration, 'shown with the proof')]),
  ]
}

/** The user's files change only here, and only by an action that passed its gate. */
async function apply(
  { it, settings }: TuneSession,
  { workload, incumbent }: Looping,
  { proof, regressions: { broken } }: Found,
): Promise<Ended['applied']> {
  const isProven = proof?.type === 'claim' && proof.verdict === 'improved'
  if (proof === undefined || settings.apply === 'never') return 'nothing'
  if (settings.apply === 'proven' && !isProven) return 'nothing'
  const { original, folder, manifest } = workload
  const files = Object.entries(incumbent.version.artifacts)
    .map(([path, to]) => ({
      path: inFolder(folder, path),
      from: original.artifacts[path] ?? '',
      to,
    }))
    .filter(({ from, to }) => from !== to)
  const worse = broken.length === 0 ? '' : `; worse: ${broken.join(', ').slice(0, 200)}`
  const what = `${isProven ? 'improved' : 'kept, not proven'}${worse}`
  const { status } = await it.act({
    kind: editArtifacts,
    summary: `Change ${files.map(({ path }) => path).join(', ')} of ${manifest.workloadId} (${what})`,
    details: { files },
  })
  // The files of the workspace may be those that were changed: from here on the run knows them.
  await it.step('look at files', () => null)
  return status === 'done' ? 'applied' : 'refused'
}

const isSame = (one: Version, other: Version): boolean =>
  Object.entries(one.artifacts).every(([path, text]) => other.artifacts[path] === text)
