/**
 * Phase 6: one proof on fresh runs, the change of the user's files if their policy or a person allows it, and the debrief. The
 * proof is the only place where the loop says "improved".
 */

import type { Iteration } from '../../../loop/index.ts'
import { runCases, toScores } from '../measure/run-cases.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { tally } from '../report/numbers.ts'
import { writeDebrief } from '../report/write-debrief.ts'
import { writeLog } from '../report/write-log.ts'
import { decideProof, type ProofDecision, planProof } from '../statistics/proof.ts'
import { randomFrom } from '../statistics/random.ts'
import { proofRepeats } from '../statistics/rule.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Ended, Looping, TuneState } from '../tune-state.ts'
import { inFolder, suiteCases, type Version } from '../workload/workload.ts'
import { tallyOf } from './trip.ts'

type Synthesizing = Extract<TuneState, { phase: 'synthesis' }>

const repeatsFrom = 40_000

/** The only action of this loop type. */
export const editArtifacts = 'edit-artifacts'

export async function synthesize(session: TuneSession, state: Synthesizing): Promise<TuneState> {
  const { it } = session
  const { phase: _phase, log, ...looping } = state
  await openPhase(
    it,
    'synthesis',
    `Synthesizing. ${state.trail.length} iterations completed, ${tally(tallyOf(looping))} cases passing. Proves what was kept, writes LOOP.md.`,
  )
  const isChanged = !isSame(looping.incumbent.version, looping.workload.original)
  const proof = isChanged ? await prove(session, looping) : undefined
  const ended: Ended = {
    ...looping,
    applied: await apply(session, looping, proof),
    ...(proof === undefined ? {} : { proof }),
  }
  await writeDocument(it, 'LOOP_LOG.md', writeLog(log))
  await writeDocument(it, 'LOOP.md', writeDebrief(ended))
  await leavePhase(it, 'synthesis', {
    debriefFile: 'LOOP.md',
    debriefTags: looping.workload.manifest.tags.join(' ') || 'none',
  })
  return { ...ended, phase: 'ended', log }
}

async function prove(
  session: TuneSession,
  { workload, incumbent }: Looping,
): Promise<ProofDecision> {
  const cases = new Map(suiteCases(workload).map((one) => [one.id, one]))
  const ids = [...cases.keys()]
  const repeats =
    workload.manifest.repeats.proof ??
    proofRepeats({ cases: ids.length, holdoutCases: workload.split.holdout.length })
  const planned = planProof(ids, repeats, randomFrom(workload.seed + 104_729)).flatMap((one) => {
    const found = cases.get(one.id)
    return found === undefined
      ? []
      : [{ side: one.side, run: { case: found, repeat: repeatsFrom + one.repeat } }]
  })
  const sides = new Map(planned.map(({ run, side }) => [run, side]))
  const results = await runCases(
    session.it,
    workload,
    planned.map(({ run }) => run),
    (run) => ({
      version: sides.get(run) === 'before' ? workload.original : incumbent.version,
      reuse: false,
    }),
  )
  const scoresOf = (side: 'before' | 'after') =>
    toScores(results.filter((_result, at) => planned[at]?.side === side))
  return decideProof({
    cases: ids.length,
    before: scoresOf('before'),
    after: scoresOf('after'),
    attempt: 1,
  })
}

/** The user's files change only here, and only by an action that passed its gate. */
async function apply(
  { it, settings }: TuneSession,
  { workload, incumbent }: Looping,
  proof: ProofDecision | undefined,
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
  const what = isProven ? 'improved' : 'kept, not proven'
  const { status } = await it.act({
    kind: editArtifacts,
    summary: `Change ${files.map(({ path }) => path).join(', ')} of ${manifest.workloadId} (${what})`,
    details: { files },
  })
  // The files of the workspace may be those that were changed: from here on the run knows them.
  await it.step('look at files', () => null)
  return status === 'done' ? 'applied' : 'refused'
}

/** In the run folder. */
const writeDocument = (it: Iteration, file: string, text: string): Promise<unknown> =>
  it.step(file, () => ({ file, text }), { readOnly: true, role: 'document' })

const isSame = (one: Version, other: Version): boolean =>
  Object.entries(one.artifacts).every(([path, text]) => other.artifacts[path] === text)
