/** The gate at the end of the cycle: to the synthesis, back into the cycle, or a fresh comparison with the baseline first. */

import { passGate } from '../gates.ts'
import { runCases, toScores } from '../measure/run-cases.ts'
import { note } from '../report/note.ts'
import { interval, points } from '../report/numbers.ts'
import { estimateSuite, intervalOf } from '../statistics/estimate.ts'
import { confidenceOf, criticalZ, proofAlpha } from '../statistics/rule.ts'
import type { TuneSession } from '../tune-session.ts'
import type { ExitReason, Looping } from '../tune-state.ts'
import { suiteCases, type Version } from '../workload/workload.ts'

const comparisonsMax = 3
const repeats = 2
const repeatsFrom = 60_000

/** True: the cycle goes on after all. */
export async function leaveCycle(
  session: TuneSession,
  looping: Looping,
  { iteration, exit }: { readonly iteration: number; readonly exit: ExitReason },
): Promise<boolean> {
  const mayContinue = exit === 'plateau' || exit === 'net-negative' || exit === 'regression'
  const happened: string[] = [`The cycle ends: ${exit}.`]
  for (let comparison = 0; ; comparison++) {
    const gate = await passGate(session, {
      from: 'iteration',
      name: comparison === 0 ? 'gate iteration' : `gate iteration ${comparison + 1}`,
      text: `The iteration loop is complete (${exit}). How to proceed?`,
      choices: [
        { label: 'proceed to synthesis', to: 'synthesis' },
        ...(comparison < comparisonsMax
          ? [{ label: 're-run baseline comparison', to: 'iteration' as const }]
          : []),
        ...(mayContinue ? [{ label: 'continue iterating', to: 'iteration' as const }] : []),
      ],
      happened,
    })
    if (gate.to !== 'iteration') return false
    if (gate.choice === 'continue iterating') return true
    happened.push(await compare(session, looping, iteration, comparison))
  }
}

/** Fresh runs of both sides. It is shown and logged, and no claim: that is what the proof is for. */
async function compare(
  session: TuneSession,
  { workload, incumbent }: Looping,
  iteration: number,
  comparison: number,
): Promise<string> {
  const measure = async (version: Version, side: number) => {
    const runs = Array.from({ length: repeats }, (_, at) =>
      suiteCases(workload).map((one) => ({
        case: one,
        repeat: repeatsFrom + 100 * iteration + 10 * comparison + repeats * side + at,
      })),
    ).flat()
    return toScores(await runCases(session.it, workload, runs, { version, reuse: false }))
  }
  const before = await measure(workload.original, 0)
  const after = await measure(incumbent.version, 1)
  const estimate = estimateSuite(before, after)
  const alpha = proofAlpha(1)
  const range = estimate && intervalOf(estimate, criticalZ(alpha))
  const text =
    estimate === undefined || range === undefined
      ? 'Fresh comparison with the baseline: too few runs were scored.'
      : `Fresh comparison with the baseline: ${points(estimate.delta)} (${interval(range)}, ${Math.round(100 * confidenceOf(alpha))} %), no claim before the proof.`
  await note(session.it, [{ type: 'insight', iteration, text }])
  return text
}
