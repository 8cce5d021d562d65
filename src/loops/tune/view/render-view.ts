/** The view of a tuning loop as text for a terminal. Pure. */

import type {
  Flip,
  TuneView,
  ViewedCase,
  ViewedHypothesis,
  ViewedOption,
  ViewedRound,
} from '../../../protocol/index.ts'
import { percent, points, tally } from '../report/numbers.ts'

const rowsShown = 40
const columnsShown = 12

export function renderView(view: TuneView): string {
  const { workload, noise, best, holdout, proof, broken, suspect, exit, applied } = view
  return [
    ...renderHead(view),
    ...(workload === undefined
      ? []
      : [
          `  cases       ${workload.cases.suite} measured, ${workload.cases.sealed} sealed, ${workload.cases.excluded} left out`,
        ]),
    ...(noise === undefined ? [] : [`  noise       ${noise.text}`]),
    ...(best === undefined
      ? []
      : [
          `  best        ${tally(best.passing)} cases pass, mean ${percent(best.mean)}`,
          `              ${best.text}`,
        ]),
    ...(proof === undefined ? [] : [`  proof       ${proof.text}`]),
    `  holdout     ${holdout.text}`,
    ...(broken.length === 0 ? [] : [`  broken      ${broken.join(', ')}`]),
    ...(suspect.length === 0 ? [] : [`  suspect     ${suspect.join(', ')}`]),
    ...(exit === undefined ? [] : [`  ended       ${exit}`]),
    ...(applied === undefined ? [] : [`  files       ${appliedWords[applied]}`]),
    ...renderMatrix(view),
    ...section('Hypotheses', view.hypotheses.slice(-columnsShown).flatMap(renderHypothesis)),
    ...section('Options', view.rounds.slice(-1).flatMap(renderRound)),
  ].join('\n')
}

export const appliedWords: Readonly<Record<NonNullable<TuneView['applied']>, string>> = {
  applied: 'changed',
  refused: 'not changed, because it was not allowed',
  nothing: 'not changed',
}

const renderHead = ({ run, phase, mode, intent, workload }: TuneView): readonly string[] => [
  `${run}: ${workload?.id ?? 'tuning'}${mode === '' ? '' : `, ${mode} mode`}, phase ${phase}`,
  ...(intent === undefined ? [] : [`  now         ${intent}`]),
]

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines]

const marks: Readonly<Record<Flip, string>> = {
  fixed: '+',
  regressed: '!',
  'still-failing': 'x',
  unchanged: '.',
}

function renderMatrix({ matrix }: TuneView): readonly string[] {
  const { iterations, cases, leftOut } = matrix
  if (cases.length === 0) return []
  const rows = cases.slice(0, rowsShown)
  const width = Math.min(50, Math.max(4, ...rows.map(({ id }) => id.length)))
  const columns = iterations.slice(-columnsShown)
  const hidden = cases.length - rows.length + leftOut.cases
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.slice(0, width).padEnd(width)} ${cells.map((cell) => cell.padStart(3)).join(' ')}`
  return section('Cases by iterations (+ fixed, ! regressed, x still failing, . unchanged)', [
    row('', ['0', ...columns.map(String), 'now']),
    ...rows.map((one) => row(nameOf(one), cellsOf(one, columns.length))),
    ...(hidden === 0 ? [] : [`  and ${hidden} more; all of them: --json`]),
  ])
}

const nameOf = ({ id, label }: ViewedCase): string => (label === 'case' ? id : `${label}: ${id}`)

const cellsOf = ({ baseline, flips, now }: ViewedCase, columns: number): readonly string[] => [
  baseline === 'passing' ? 'ok' : baseline === 'failing' ? 'x' : '?',
  ...(columns === 0 ? [] : flips.slice(-columns)).map((flip) =>
    flip === null ? ' ' : marks[flip],
  ),
  now === 'passing' ? 'ok' : 'x',
]

function renderHypothesis({
  iteration,
  statement,
  prediction,
  outcome,
  cases,
}: ViewedHypothesis): readonly string[] {
  const came = cases.slice(0, 8).map(({ id, flip }) => `${id} ${flip ?? 'not measured'}`)
  const more = cases.length > 8 ? `, and ${cases.length - 8} more` : ''
  return [
    `  ${iteration}. ${statement}`,
    `     predicted: ${prediction}`,
    `     ${outcome}${came.length === 0 ? '' : `: ${came.join(', ')}${more}`}`,
  ]
}

function renderRound({ iteration, rootCause, options, decision }: ViewedRound): readonly string[] {
  const chosen =
    decision === undefined
      ? 'not decided yet'
      : `${decision.chosen.join(', ') || 'none'}, by ${decision.by}`
  return [
    `  Iteration ${iteration}: ${rootCause}`,
    ...options.flatMap(renderOption),
    `  chosen: ${chosen}`,
  ]
}

function renderOption({
  id,
  name,
  summary,
  isRecommended,
  diff,
  result,
}: ViewedOption): readonly string[] {
  const came =
    result === undefined
      ? ''
      : ` [${result.type}${result.delta === undefined ? '' : ` ${points(result.delta)}`}]`
  return [
    `  ${id}${isRecommended ? ' (recommended)' : ''}: ${name}${came}`,
    `      ${summary}`,
    ...diff.split('\n').map((line) => `      ${line}`),
  ]
}
