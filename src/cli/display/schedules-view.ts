/** Schedules and their ticks, as text. */

import type {
  AddedSchedule,
  Schedule,
  ScheduleList,
  ScheduleTick,
  ScheduleTrigger,
} from '../../protocol/api/index.ts'
import type { Terminal } from '../terminal.ts'
import { plural, renderMoney } from './amounts.ts'
import { renderTable, renderTime, visible } from './render.ts'
import { wrapped } from './wrap.ts'

export function renderSchedules(
  { items, paused, driven }: ScheduleList,
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string {
  if (items.length === 0) return 'No schedules. Add one: loopctl schedule add <file> "daily 09:00"'
  const rows = items.map((one) => [
    one.name,
    describeTrigger(one),
    one.nextAtMs === undefined ? '-' : renderTime(one.nextAtMs),
    one.health,
    describeTick(one.last),
  ])
  const table = renderTable([['NAME', 'DUE', 'NEXT', 'STATE', 'LAST'], ...rows])
  const isNarrow = live && table.split('\n').some((line) => line.length > width())
  const alerts = items.flatMap(({ name, alert }) =>
    alert === undefined ? [] : [visible(`${name}: ${alert}`)],
  )
  return [
    ...(paused === undefined
      ? []
      : [
          visible(
            `All schedules are paused by ${paused.by}. Resume them: loopctl schedule resume --all`,
          ),
        ]),
    isNarrow ? rows.map((row) => inLines(row, width())).join('\n') : table,
    ...alerts,
    ...(driven ? [] : [notDriven]),
  ].join('\n')
}

const notDriven = 'No daemon runs, so nothing is due. Start one: loopctl daemon start'

function inLines(row: readonly string[], width: number): string {
  const [name = '', due = '', next = '', state = '', last = ''] = row.map(visible)
  const lines = [`${due}, next ${next}`, last].flatMap((line) => wrapped(line, width - 2))
  return [`${name}  ${state}`, ...lines.map((line) => `  ${line.trim()}`)].join('\n')
}

const describeTrigger = ({ trigger, timeZone }: Pick<Schedule, 'trigger' | 'timeZone'>): string =>
  trigger.type === 'time' ? `${trigger.cadence} (${timeZone})` : describeEvent(trigger)

function describeEvent(trigger: Exclude<ScheduleTrigger, { type: 'time' }>): string {
  switch (trigger.type) {
    case 'webhook':
      return 'after a signed request'
    case 'file':
      return `when ${trigger.path} changes`
    case 'branch':
      return `when ${trigger.branch} moves`
    case 'run': {
      const how = trigger.outcomes.length === 0 ? '' : ` (${trigger.outcomes.join(', ')})`
      return `when a run of ${trigger.loop} ends${how}`
    }
  }
}

/** One line. */
export function describeTick(tick: ScheduleTick | undefined): string {
  if (tick === undefined) return 'never due yet'
  const { status, name, outcome, reason, costMicros, missed, times } = tick
  const more = [
    ...(missed === undefined ? [] : [`${missed} missed`]),
    ...(times === undefined ? [] : [`${times} times`]),
    ...(costMicros === undefined || costMicros === 0 ? [] : [renderMoney(costMicros)]),
  ]
  const tail = more.length === 0 ? '' : ` (${more.join(', ')})`
  const what =
    status === 'started' || status === 'ended'
      ? `${outcome ?? 'started'} ${name ?? ''}`
      : `${status}: ${reason ?? ''}`
  return visible(`${what}${tail}`)
}

export function renderSchedule(schedule: Schedule): string {
  const { name, loop, file, workspace, health, alert, paused, nextAtMs, ticks = [] } = schedule
  const { activeHours, running, caps, failures, always, by, createdAtMs } = schedule
  const lines = [
    ['State', health],
    ...(alert === undefined ? [] : [['Alert', alert]]),
    ...(paused === undefined
      ? []
      : [
          [
            'Paused',
            `by ${paused.by} at ${renderTime(paused.atMs)}${paused.reason === undefined ? '' : `: ${paused.reason}`}`,
          ],
        ]),
    ['Due', describeTrigger(schedule)],
    ...(activeHours === undefined ? [] : [['Hours', activeHours]]),
    ['Next', nextAtMs === undefined ? '-' : renderTime(nextAtMs)],
    ...(running === undefined
      ? []
      : [['Running', `${running.name}, since ${renderTime(running.atMs)}`]]),
    ['Loop', `${loop} (${file})`],
    ...(workspace === undefined ? [] : [['Folder', workspace]]),
    ['Daily caps', describeCaps(caps)],
    ...(always ? [['Always', 'starts a run even if nothing is new']] : []),
    ...(failures === 0 ? [] : [['Failures', `${plural(failures, 'failure')} in a row`]]),
    ['Added', `by ${by} at ${renderTime(createdAtMs)}`],
  ]
  const known = ticks.map((tick) => [renderTime(tick.atMs), describeTick(tick)])
  return [
    visible(name),
    ...lines.map(([label = '', text = '']) => `  ${label.padEnd(11)} ${visible(text)}`),
    ...(known.length === 0 ? ['No ticks yet.'] : [renderTable([['TICK', 'RESULT'], ...known])]),
  ].join('\n')
}

function describeCaps({ runs, tokens, costMicros }: Schedule['caps']): string {
  const caps = [
    ...(runs === undefined ? [] : [plural(runs, 'run')]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(costMicros === undefined ? [] : [renderMoney(costMicros)]),
  ]
  return caps.length === 0 ? 'none' : caps.join(', ')
}

export function renderAdded({ schedule, warnings, secret, driven }: AddedSchedule): string {
  const { name, nextAtMs } = schedule
  const next =
    nextAtMs === undefined
      ? 'due after its event'
      : nextAtMs <= Date.now()
        ? 'due now'
        : `due next at ${renderTime(nextAtMs)}`
  return [
    visible(`added ${name}: ${describeTrigger(schedule)}, ${next}`),
    ...(secret === undefined
      ? []
      : [`Its secret, shown only once: ${secret}`, `Address: POST /hooks/${name}`]),
    ...warnings.map((warning) => visible(`warning: ${warning}`)),
    driven ? `See what it does: loopctl schedule show ${name}` : notDriven,
  ].join('\n')
}
