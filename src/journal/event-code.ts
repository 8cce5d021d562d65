/**
 * Events as rows: the type as a number in a separate column, the rest as JSON. Otherwise the names of
 * the types would be a tenth of the size of a run with small steps.
 */

import type { EventType, RunEvent } from '../loop/index.ts'

/** The index in the list is stored, so only append to it. */
const eventTypes = [
  'run-created',
  'run-started',
  'run-suspended',
  'run-ended',
  'iteration-started',
  'iteration-ended',
  'iteration-restarted',
  'step-started',
  'step-finished',
  'step-failed',
  'step-interrupted',
  'budget-reserved',
  'budget-settled',
  'decision-applied',
  'run-rewound',
  'workspace-changed',
  'warning',
  'step-noted',
  'preflight-noted',
  'preflight-ended',
  'loop-printed',
  'policy-decided',
  'limit-warned',
  'guidance-delivered',
  'action-recorded',
] as const satisfies readonly EventType[]

type Listed = (typeof eventTypes)[number]

/** Fails to compile if an event type has no number. */
const codes: Readonly<Record<EventType, number>> = Object.fromEntries(
  eventTypes.map((type, index) => [type, index]),
) as Record<Listed, number>

export const eventCode = (type: EventType): number => codes[type]

export interface EncodedEvent {
  readonly code: number
  readonly body: string
}

export function encodeEvent(event: RunEvent): EncodedEvent {
  const { type } = event
  const body = JSON.stringify(event)
  const opening = `{"type":"${type}",`
  // Events are written with their type first; any other event is stored unchanged.
  if (!body.startsWith(opening)) return { code: codes[type], body }
  return { code: codes[type], body: `{${body.slice(opening.length)}` }
}

export const decodeEvent = (code: number, body: string): RunEvent =>
  JSON.parse(eventText(code, body)) as RunEvent

/** The original JSON of the event. */
export const eventText = (code: number, body: string): string =>
  body.startsWith('{"type":') ? body : `{"type":"${eventTypes[code]}",${body.slice(1)}`

export const eventTypeOf = (code: number): EventType => eventTypes[code] ?? 'warning'
