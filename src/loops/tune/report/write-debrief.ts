/** Writes `LOOP.md`: what was tried, predicted and learned, and what may be claimed. Pure. */

import { plural } from '../../../loop/excerpt/plural.ts'
import { failingNow } from '../compose/search-composer.ts'
import { gainOf } from '../phases/trip.ts'
import type { ProofDecision } from '../statistics/proof.ts'
import type { Ended } from '../tune-state.ts'
import { describeNoise, describeVerdict } from './describe.ts'

import { describeHoldout } from './describe-holdout.ts'

import { diffOf } from './diff-of.ts'

import { interval, percent, points, tally } from './numbers.ts'

export function writeDebrief(ended: Ended): string {
  const { workload, baseline, trail, exit } = ended
  const { manifest, manifestPath, split } = workload
  const before = { passing: baseline.passing.length, of: split.suite.length }
  return [
    `# Loop: ${manifest.workloadId}`,
    '## Executive summary',
    [
      `- Status: ${statusOf(ended)}`,
      `- ${describeProof(ended.proof)}`,
      `- ${describeHoldout(ended.holdout)}`,
      ...describeWorse(ended),
      `- Baseline: ${tally(before)} cases passed; now ${tally({ ...before, passing: ended.incumbent.passing.length })}, as measured (${points(gainOf(ended))}).`,
      `- ${describeNoise(baseline)}`,
      `- Ended after ${plural(trail.length, 'iteration')}: ${exit}. The files: ${appliedWords[ended.applied]}.`,
    ].join('\n'),
    '## Manifest',
    `\`${manifestPath}\`: ${plural(workload.cases.length, 'case')}, ${split.holdout.length} sealed, ${split.excluded.length} left out.`,
    '## Hypothesis audit trail',
    table(
      ['Iter', 'Hypothesis', 'Prediction', 'Outcome'],
      trail.map(({ iteration, hypothesis: { statement, prediction, outcome } }) => [
        `${iteration}`,
        statement,
        prediction,
        outcome,
      ]),
    ),
    '## Iteration history',
    table(
      ['Iter', 'Passing', 'Fixed', 'Regressed', 'Verdict'],
      trail.map(({ iteration, passing, measured }) => [
        `${iteration}`,
        tally(passing),
        measured?.flips.fixed.join(', ') ?? '',
        measured?.flips.regressed.join(', ') ?? '',
        measured === undefined ? 'nothing to measure' : describeVerdict(measured),
      ]),
    ),
    '## Key edits',
    describeEdits(ended),
    '## Failing cases',
    describeFailing(ended),
  ].join('\n\n')
}

function describeWorse({ regressions: { broken, suspect } }: Ended): readonly string[] {
  const list = (ids: readonly string[]): string => ids.map(inline).join(', ')
  return [
    ...(broken.length === 0 ? [] : [`- Broken by the changes: ${list(broken)}.`]),
    ...(suspect.length === 0 ? [] : [`- Maybe worse, reruns did not decide it: ${list(suspect)}.`]),
  ]
}

const appliedWords: Readonly<Record<Ended['applied'], string>> = {
  applied: 'changed',
  refused: 'not changed, because it was not allowed',
  nothing: 'not changed',
}

function statusOf({ proof, exit }: Ended): string {
  if (proof?.type === 'claim' && proof.verdict === 'improved') {
    return exit === 'converged' ? 'Converged' : 'Improved'
  }
  return 'Inconclusive'
}

export function describeProof(proof: ProofDecision | undefined): string {
  if (proof === undefined) return 'Nothing was kept, so there is nothing to prove.'
  if (proof.type === 'no-claim') {
    return `No claim: ${proof.reason} (${plural(proof.cases, 'case')}, ${proof.needed} needed).`
  }
  const { verdict, estimate, confidence } = proof
  const words = {
    improved: 'Improved on this suite',
    regressed: 'Regressed on this suite',
    inconclusive: 'Kept, not proven',
  }
  return `${words[verdict]}: ${points(estimate.delta)} (${percent(confidence)} interval ${interval(proof.interval)}; fresh runs of ${plural(estimate.cases, 'case')} on both sides).`
}

function describeEdits({ trail }: Ended): string {
  const kept = trail.flatMap(({ measured }) =>
    (measured?.options ?? []).filter(({ result }) => result.type === 'kept'),
  )
  if (kept.length === 0) return 'None was kept.'
  return kept
    .map(({ option }) => {
      return `### ${option.id}: ${option.name}\n\n${fence(diffOf(option.edits))}`
    })
    .join('\n\n')
}

function describeFailing(ended: Ended): string {
  const texts = new Map(ended.incumbent.critiques.map(({ id, text }) => [id, text]))
  const failing = failingNow(ended)
  if (failing.length === 0) return 'None.'
  return failing
    .map((id) => `- ${inline(id)}: ${inline(texts.get(id) || 'no reason given')}`)
    .join('\n')
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(inline))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

/** Texts of cases, judges and files are data: none of them may start a table, a list or a block. */
const inline = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('`', "'").slice(0, 300)

/** Longer than any fence inside. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}diff\n${text}\n${ticks}`
}
