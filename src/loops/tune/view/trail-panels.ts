/** Panels about what a tuning loop tried: scores with intervals, what each option did, cases by iterations, hypotheses. Pure. */

import type { Panel, PanelCell, PanelTone } from '../../../protocol/api/index.ts'
import type { Flip, TuneView, ViewedCase } from '../../../protocol/index.ts'
import { percent, points, tally } from '../report/numbers.ts'

const rowsMax = 300
const pointsMax = 500
const textCharsMax = 600

/** The gain of the best version over the baseline, iteration by iteration, with the interval that a proof of it would have. */
export function panelsOfScores({ history, best }: TuneView): readonly Panel[] {
  if (history.length === 0) return []
  const confidence = history.findLast(({ gain }) => gain !== undefined)?.gain?.confidence
  const interval =
    confidence === undefined ? '' : ` The band is the ${percent(confidence)} interval.`
  return [
    {
      type: 'series',
      title: 'Best so far',
      text: `How much better the best version is than the baseline, as measured.${interval} ${best?.text ?? ''}`,
      x: 'iteration',
      y: 'gain of the mean score',
      isShare: true,
      lines: [
        {
          name: 'Best version',
          points: history.slice(-pointsMax).map(({ iteration, gain, passing, mean }) => ({
            x: iteration,
            y: gain?.delta ?? 0,
            ...(gain === undefined ? {} : { low: gain.low, high: gain.high }),
            text: `${tally(passing)} cases pass, mean score ${percent(mean)}`,
          })),
        },
      ],
      marks: [{ name: 'baseline', y: 0 }],
    },
  ]
}

/** What each option did, once it was decided about. */
export function panelsOfChanges({ rounds }: TuneView): readonly Panel[] {
  const rows = rounds.flatMap(({ iteration, options, decision }) =>
    options.flatMap(({ id, name, result }): readonly (readonly PanelCell[])[] => {
      const isChosen = decision?.chosen.includes(id) === true
      if (decision === undefined || (!isChosen && result === undefined)) return []
      return [
        [
          { text: id, iteration: iteration + 1 },
          name.slice(0, textCharsMax),
          decision.by,
          result === undefined ? { text: 'being measured', tone: 'muted' } : resultCell(result),
          result?.delta === undefined ? '' : points(result.delta),
        ],
      ]
    }),
  )
  if (rows.length === 0) return []
  return [
    {
      type: 'table',
      title: 'Changes that were measured',
      text: 'Kept leniently: only the proof at the end claims something.',
      columns: ['Option', 'Change', 'Picked by', 'Result', 'Difference'],
      rows: rows.slice(-rowsMax),
      ...(rows.length > rowsMax ? { leftOut: `${rows.length - rowsMax} earlier ones` } : {}),
    },
  ]
}

const resultCell = ({
  type,
  reason = '',
}: NonNullable<TuneView['rounds'][number]['options'][number]['result']>): PanelCell =>
  type === 'kept'
    ? { text: 'kept', tone: 'good' }
    : { text: `dropped${reason === '' ? '' : `: ${reason}`}`.slice(0, textCharsMax), tone: 'bad' }

type MatrixCell = Extract<Panel, { type: 'matrix' }>['rows'][number]['cells'][number]

const flipCells: Readonly<Record<Flip, MatrixCell>> = {
  fixed: { text: 'fixed', tone: 'good', flip: 'better' },
  regressed: { text: 'worse', tone: 'bad', flip: 'worse' },
  'still-failing': { text: 'fails', tone: 'bad' },
  unchanged: { text: 'same', tone: 'muted' },
}

const baseCells: Readonly<Record<ViewedCase['baseline'], MatrixCell>> = {
  passing: { text: 'pass', tone: 'good' },
  failing: { text: 'fail', tone: 'bad' },
  unscored: null,
}

/** E12. What turned worse stands near the top and is marked. */
export function panelsOfCases({ matrix }: TuneView): readonly Panel[] {
  const { iterations, cases, leftOut } = matrix
  if (cases.length === 0) return []
  const rows = cases.slice(0, rowsMax).map((one) => ({
    name: nameOf(one),
    cells: [
      baseCells[one.baseline],
      ...one.flips.map((flip): MatrixCell => (flip === null ? null : flipCells[flip])),
      one.now === 'passing'
        ? ({ text: 'pass', tone: 'good' } as const)
        : ({ text: 'fail', tone: 'bad' } as const),
    ],
  }))
  const changed = cases.filter(({ flips }) => flips.some(isChange)).length
  const left = [
    ...(cases.length + leftOut.cases > rows.length
      ? [`${cases.length + leftOut.cases - rows.length} more cases`]
      : []),
    ...(leftOut.iterations > 0 ? [`${leftOut.iterations} earlier iterations`] : []),
  ]
  return [
    {
      type: 'matrix',
      title: 'Cases by iteration',
      text: `What the measured version of each iteration did to each case. ${changed} of ${cases.length} cases flipped.`,
      row: 'case',
      columns: ['base', ...iterations.map(String), 'now'],
      rows,
      ...(left.length === 0 ? {} : { leftOut: left.join(', ') }),
    },
  ]
}

const isChange = (flip: Flip | null): boolean => flip === 'fixed' || flip === 'regressed'

const nameOf = ({ id, label, isFlaky }: ViewedCase): string =>
  `${id.slice(0, 180)}${label === 'case' ? '' : ` (${label})`}${isFlaky ? ' (flaky)' : ''}`

const outcomeTones: Readonly<Record<TuneView['hypotheses'][number]['outcome'], PanelTone>> = {
  untested: 'muted',
  confirmed: 'good',
  'partially-confirmed': 'warn',
  rejected: 'bad',
}

/** What was expected of each change before it ran, and what came of it. */
export function panelsOfHypotheses({ hypotheses }: TuneView): readonly Panel[] {
  if (hypotheses.length === 0) return []
  const shown = hypotheses.slice(-rowsMax)
  return [
    {
      type: 'table',
      title: 'Hypotheses',
      text: 'Each was on disk before it was measured.',
      columns: ['Iteration', 'Hypothesis', 'Prediction', 'Outcome', 'Cases'],
      rows: shown.map(
        ({ iteration, statement, prediction, outcome, cases }): readonly PanelCell[] => [
          { text: String(iteration), iteration },
          statement.slice(0, textCharsMax),
          prediction.slice(0, textCharsMax),
          { text: outcome.replace('-', ' '), tone: outcomeTones[outcome] },
          casesCell(cases),
        ],
      ),
      ...(hypotheses.length > rowsMax
        ? { leftOut: `${hypotheses.length - rowsMax} earlier ones` }
        : {}),
    },
  ]
}

function casesCell(cases: TuneView['hypotheses'][number]['cases']): PanelCell {
  if (cases.length === 0) return ''
  const fixed = cases.filter(({ flip }) => flip === 'fixed').length
  const hint = cases.map(({ id, flip }) => `${id}: ${flip ?? 'not measured'}`).join('\n')
  return { text: `${fixed} of ${cases.length} fixed`, hint: hint.slice(0, 2000) }
}
