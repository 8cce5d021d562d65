/** What doctor says about schedules. */

import type { Command } from 'commander'
import type { ScheduleList } from '../../protocol/api/index.ts'
import { plural } from '../display/amounts.ts'
import type { Finding } from '../display/findings.ts'
import { hasStateFolder } from '../session.ts'
import { withSchedules } from './with-schedules.ts'

export interface ScheduleReport {
  readonly count: number
  /** A daemon runs, so that they are due. */
  readonly driven: boolean
  readonly paused: boolean
  readonly alerts: readonly {
    readonly name: string
    readonly health: string
    readonly alert: string
  }[]
}

/** Undefined: there are none. */
export async function scheduleReport(program: Command): Promise<ScheduleReport | undefined> {
  if (!(await hasStateFolder(program))) return undefined
  let listed: ScheduleList | undefined
  await withSchedules(program, async ({ client }) => {
    listed = await client.schedules.list()
  })
  if (listed === undefined || listed.items.length === 0) return undefined
  const { items, driven, paused } = listed
  const alerts = items.flatMap(({ name, health, alert }) =>
    alert === undefined ? [] : [{ name, health, alert }],
  )
  return { count: items.length, driven, paused: paused !== undefined, alerts }
}

export function scheduleFindings(report: ScheduleReport): readonly Finding[] {
  const { count, driven, paused, alerts } = report
  const state: Finding = driven
    ? {
        mark: paused ? 'warning' : 'good',
        text: `${plural(count, 'schedule')}${paused ? ', all paused' : ''}`,
      }
    : {
        mark: 'warning',
        text: `${plural(count, 'schedule')}, and no daemon that drives them`,
        more: ['Start one: loopctl daemon start'],
      }
  const wrong = alerts.map(({ name, health, alert }): Finding => {
    return { mark: 'bad', text: `${name}: ${health}`, more: [alert] }
  })
  return [state, ...wrong]
}
