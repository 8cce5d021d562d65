/** What all loops did in a period, as text for a terminal. */

import { basename } from 'node:path'
import { levelNames } from '../../loop/index.ts'
import type { CappedLevel, Digest, LoopDigest } from '../../protocol/api/index.ts'
import { plural, renderCount, renderMoney } from './amounts.ts'
import { renderTable, renderTime, visible } from './render.ts'

export function renderDigest(digest: Digest): string {
  const { sinceMs, untilMs, loops, escalations, escalated, levels, capped } = digest
  const { schedules, undelivered } = digest
  const period = `${shortTime(sinceMs)} to ${shortTime(untilMs)} (UTC)`
  const parts = [
    section('', loops.length === 0 ? [`No loop ran, ${period}.`] : [period, renderLoops(loops)]),
    section(
      `Waiting for a person (${escalations.length}):`,
      escalations.map(({ run, loop, text }) => visible(`  ${run} (${loop}): ${text}`)),
    ),
    section(
      `Escalated, without a question (${escalated.length}):`,
      escalated.map(({ run, loop, reason }) => visible(`  ${run} (${loop}): ${reason}`)),
    ),
    section('Levels:', [...levels.map(renderChange), ...capped.map(renderCap)]),
    section(
      'Schedules that need attention:',
      schedules.map(({ name, loop, health, failures, alert }) =>
        visible(
          `  ${name} (${loop}): ${health}, ${plural(failures, 'failure')}${alert === undefined ? '' : `: ${alert}`}`,
        ),
      ),
    ),
    section(
      'Reports that were not delivered:',
      undelivered.map(({ run, sink, status, tries, error }) =>
        visible(`  ${run} (${sink}): ${status} after ${plural(tries, 'try', 'tries')}: ${error}`),
      ),
    ),
    ...(digest.isPartial ? ['There were more runs; pass a shorter period with --since.'] : []),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function renderChange({
  loop,
  kind,
  cause,
  from,
  level,
  reason,
}: Digest['levels'][number]): string {
  const what = from === level ? cause : `${levelNames[from]} became ${levelNames[level]}`
  return visible(`  ${loop}, ${kind}: ${what}: ${reason}`)
}

const renderCap = ({ loop, kind, granted, ceiling }: CappedLevel): string =>
  visible(
    `  ${loop}, ${kind}: runs at ${levelNames[ceiling]}, because its loop file allows no more; it has ${levelNames[granted]}`,
  )

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [...(title === '' ? [] : [title]), ...lines].join('\n')

const shortTime = (ms: number): string => renderTime(ms).slice(0, 16).replace('T', ' ')

function renderLoops(loops: readonly LoopDigest[]): string {
  const rows = loops.map((one) => [
    one.loop,
    one.repository === undefined ? '-' : basename(one.repository),
    renderCount(one.runs),
    Object.entries(one.outcomes)
      .toSorted(([, a], [, b]) => b - a)
      .map(([outcome, times]) => `${times} ${outcome}`)
      .join(', '),
    `${renderCount(one.inputTokens)} / ${renderCount(one.outputTokens)}`,
    renderMoney(one.costMicros),
    `${one.questions} (${Math.round(one.waitedMs / 60_000)} min)`,
  ])
  const head = ['LOOP', 'REPOSITORY', 'RUNS', 'OUTCOMES', 'TOKENS IN / OUT', 'COST', 'QUESTIONS']
  return renderTable([head, ...rows])
}
