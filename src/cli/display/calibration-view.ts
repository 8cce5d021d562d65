/** The report of a calibration, as text. */

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
    ...section('Missed by every check:', survivors.map(survivorLine)),
    ...section(
      'Correct changes that were rejected:',
      turnedAway.map(
        ({ what, checks: by }) => `${visible(what)}  by ${by.map(visible).join(', ')}`,
      ),
    ),
    '',
    'Intervals are 95 %. A planted change may be harmless. It then counts as missed, so the rate',
    'is an upper bound.',
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
  const shown = `${bad.join(' and ')}, ${plural(good, 'correct change')}`
  return `${visible(loop)} at ${visible(where)}: ${shown}, in ${renderSpan(durationMs)}${cost}, seed ${seed}${ended(report)}`
}

/** Why fewer defects were planted than requested. */
const endings: Readonly<Record<NonNullable<CalibrationReport['stopped']>, string>> = {
  time: '\nThe time limit was reached first. Raise it with --time.',
  cost: '\nThe cost limit was reached first. Raise it with --cost.',
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
