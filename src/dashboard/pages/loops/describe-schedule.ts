/** Schedules as text: when they are due, what their last tick did, and what they may use in a day. */

import {
  CalendarClock,
  CircleAlert,
  CirclePause,
  CircleX,
  Clock,
  Flag,
  LoaderCircle,
} from 'lucide-react'
import type { Schedule, ScheduleTick } from '../../../client/browser.ts'
import { money, plural, shortCount } from '../../parts/format.ts'
import type { Shown, Tone } from '../../parts/status.tsx'

export const healthShown: Readonly<Record<Schedule['health'], Shown>> = {
  ok: { word: 'Scheduled', tone: 'good', icon: CalendarClock },
  running: { word: 'Running', tone: 'accent', icon: LoaderCircle },
  paused: { word: 'Paused', tone: 'warn', icon: CirclePause },
  failing: { word: 'Failing', tone: 'bad', icon: CircleX },
  blocked: { word: 'Blocked', tone: 'warn', icon: CircleAlert },
  late: { word: 'Late', tone: 'bad', icon: Clock },
  ended: { word: 'Ended', tone: 'muted', icon: Flag },
  unreadable: { word: 'Unreadable', tone: 'bad', icon: CircleX },
}

export function describeTrigger({ trigger, timeZone, activeHours }: Schedule): string {
  const hours = activeHours === undefined ? '' : `, ${activeHours}`
  switch (trigger.type) {
    case 'time':
      return `${trigger.cadence}${hours} (${timeZone})`
    case 'webhook':
      return `on a signed request${hours}`
    case 'file':
      return `when ${trigger.path} changes${hours}`
    case 'branch':
      return `when ${trigger.branch} changes${hours}`
    case 'run':
      return `after ${trigger.loop}${hours}`
  }
}

export function describeCaps({ caps }: Schedule): string {
  const parts = [
    ...(caps.costMicros === undefined ? [] : [money(caps.costMicros)]),
    ...(caps.tokens === undefined ? [] : [`${shortCount(caps.tokens)} tokens`]),
    ...(caps.runs === undefined ? [] : [plural(caps.runs, 'run')]),
  ]
  return parts.length === 0 ? 'no daily cap' : `${parts.join(', ')} a day`
}

const outcomeTones: Readonly<Record<string, Tone>> = {
  completed: 'good',
  failed: 'bad',
  stuck: 'bad',
  denied: 'bad',
  exhausted: 'warn',
}

/** One or two words, and their tone. */
export function tickResult({ status, outcome, code }: ScheduleTick): readonly [string, Tone] {
  switch (status) {
    case 'started':
      return ['Running', 'accent']
    case 'ended':
      return [outcome ?? 'ended', outcomeTones[outcome ?? ''] ?? 'muted']
    case 'skipped':
      return [code === 'nothing-new' ? 'Nothing new' : 'Skipped', 'muted']
    case 'failed':
      return ['Could not start', 'bad']
    case 'waiting':
      return ['Waits', 'warn']
  }
}

export const tickCost = ({ costMicros, tokens }: ScheduleTick): string =>
  costMicros === undefined ? '' : `${money(costMicros)} · ${shortCount(tokens ?? 0)} tokens`
