/** What a calibration found, for people. */

import type { CalibrationReport } from '../../launch/calibrate/index.ts'
import { describeShare } from '../../loop/index.ts'
import { plural, renderMoney, renderSpan } from './amounts.ts'
import { renderTable, visible } from './render.ts'

const survivorsMax = 50

export function renderCalibration(report: CalibrationReport): string {
  const { checks, together, survivors, turnedAway } = report
  const rows = checks.map(({ check, kind, falseAccepts, falseRejects }) => [
    check,
    kind,
    describeShare(falseAccepts),
    describeShare(falseRejects),
  ])
  const all = [
    'all',
    '',
    describeShare(together.falseAccepts),
    describeShare(together.falseRejects),
  ]
  const head = ['CHECK', 'KIND', 'FALSE ACCEPTS, AT MOST', 'FALSE REJECTS']
  return [
    summary(report),
    '',
    renderTable([head, ...rows, ...(checks.length > 1 ? [all] : [])]),
    ...section('Noticed by no check:', survivors.map(survivorLine)),
    ...section(
      'Good work that was turned away:',
      turnedAway.map(
        ({ what, checks: by }) => `${visible(what)}  by ${by.map(visible).join(', ')}`,
      ),
    ),
    '',
    'Intervals are of 95 %. A planted change may do no harm, which nobody can tell from one that was',
    'missed: hence "at most".',
  ].join('\n')
}

function summary(report: CalibrationReport): string {
  const { loop, tree, commit, planted, revertedFixes, good, durationMs, seed, costMicros } = report
  const bad = [
    plural(planted, 'planted defect'),
    ...(revertedFixes === 0
      ? []
      : [`${revertedFixes} reverted ${revertedFixes === 1 ? 'fix' : 'fixes'}`]),
  ]
  const where = commit === undefined ? tree.slice(0, 16) : commit.slice(0, 8)
  const cost = costMicros === 0 ? '' : `, ${renderMoney(costMicros)}`
  const shown = `${bad.join(' and ')}, ${good} times good work`
  return `${visible(loop)} at ${visible(where)}: ${shown}, in ${renderSpan(durationMs)}${cost}, seed ${seed}${ended(report)}`
}

/** Why there was less of it than was asked for. */
const endings: Readonly<Record<NonNullable<CalibrationReport['stopped']>, string>> = {
  time: '\nThe time was over before all were shown: --time gives it more.',
  cost: '\nThe money was spent before all were shown: --cost gives it more.',
  defects: '\nThere was nothing more to plant.',
}

const ended = ({ stopped }: CalibrationReport): string =>
  stopped === undefined ? '' : endings[stopped]

const survivorLine = ({
  file,
  line,
  description,
}: CalibrationReport['survivors'][number]): string => visible(`${file}:${line}  ${description}`)

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const shown = lines.slice(0, survivorsMax).map((line) => `  ${line}`)
  const more = lines.length > survivorsMax ? [`  and ${lines.length - survivorsMax} more`] : []
  return ['', title, ...shown, ...more]
}
