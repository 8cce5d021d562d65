/** What the commands for policies print for people. */

import type { Backtest, BacktestedRun, Saved } from '../../launch/policy/backtest.ts'
import type { PolicyReport } from '../../launch/policy/check-policies.ts'
import type { PolicyContext } from '../../loop/index.ts'
import type { PolicyExplanation } from '../connection/runs.ts'
import { plural } from './amounts.ts'
import { renderTable, visible } from './render.ts'

type Problem = PolicyReport['problems'][number]

const problemLine = ({ file, line, column, reason, suggestion }: Problem): string =>
  `${file}:${line}:${column}: ${reason}${suggestion === undefined ? '' : ` (${suggestion})`}`

export function renderReport({ file, ok, rules, problems, warnings }: PolicyReport): string {
  return [
    ...problems.map(problemLine),
    ...warnings.map((warning) => `warning: ${problemLine(warning)}`),
    ...(ok ? [`${file}: ok, ${plural(rules.length, 'rule')}`] : []),
  ]
    .map(visible)
    .join('\n')
}

export function renderExplanation(explanation: PolicyExplanation): string {
  const { run, policy, rulings, allowedCalls } = explanation
  if (policy === undefined && rulings.length === 0) {
    return visible(`No policy applies to ${run.name}.`)
  }
  const files = policy?.files.map(({ file, mode }) => `${mode} ${file}`) ?? []
  return [
    ...files.map(visible),
    renderTable([['SEQ', 'ITERATION', 'ACTION', 'DECISION', 'RULE', 'WHY'], ...rulings.map(row)]),
    ...allowedCalls.map(({ tool, rules, times }) =>
      visible(`${tool}: ${plural(times, 'call')} allowed by ${rules.join(', ')}`),
    ),
  ].join('\n')
}

function row(ruling: PolicyExplanation['rulings'][number]): readonly string[] {
  const { seq, iteration, action, resource, decision, isMonitored, rules, reason } = ruling
  const about = resource === undefined ? action : `${action} ${resource}`
  const answer = isMonitored === true ? 'monitored' : decision
  const numbers = ruling.context === undefined ? '' : describeNumbers(ruling.context)
  const why = [reason, numbers].filter((part) => part !== undefined && part !== '').join('; ')
  return [String(seq), String(iteration), about, answer, rules.join(', ') || '-', why].map(visible)
}

/** Those that are not zero. */
const describeNumbers = (context: PolicyContext): string =>
  Object.entries(context)
    .filter(([name, value]) => value !== 0 && name !== 'iteration' && name !== 'level')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

export function renderBacktest(result: Backtest): string {
  const { runs, stopped, wronglyBlocked, denied, saved, changed } = result
  const rows = changed.flatMap((run) => (run.stopped === undefined ? [] : [stoppedRow(run)]))
  return [
    ...(rows.length === 0
      ? []
      : [renderTable([['RUN', 'ENDED', 'STOPPED AT', 'RULE', 'SAVED', ''], ...rows]), '']),
    `${plural(runs, 'run')}: ${stopped} would have been stopped, ${wronglyBlocked} of them wrongly (they completed).`,
    `Tool calls and actions that would have been denied: ${denied}.`,
    `Saved: ${describeSaved(saved)}.`,
  ].join('\n')
}

function stoppedRow({ name, outcome, stopped }: BacktestedRun): readonly string[] {
  if (stopped === undefined) return []
  const end = outcome ?? 'not ended'
  const { iteration, rules, saved, isWronglyBlocked } = stopped
  const remark = isWronglyBlocked ? 'WRONGLY BLOCKED' : ''
  const where = `iteration ${iteration}`
  return [name, end, where, rules.join(', '), describeSaved(saved), remark].map(visible)
}

const describeSaved = ({ iterations, tokens, costMicros, activeMs }: Saved): string =>
  `${plural(iterations, 'iteration')}, ${plural(tokens, 'token')}, $${(costMicros / 1_000_000).toFixed(2)}, ${Math.round(activeMs / 1000)} s`
