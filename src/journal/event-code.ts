/**
 * Events as rows: the type as a number of its own column, the rest as JSON. The names of the types
 * are a tenth of what a run of small steps would otherwise keep.
 */

import type { EventType, RunEvent } from '../loop/index.ts'

/** The place in the list is what is stored: only ever add at the end. */
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
] as const satisfies readonly EventType[]

type Listed = (typeof eventTypes)[number]

/** Fails to compile when a type of event has no number. */
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
  // Events are written with their type first; one that is not is kept whole.
  if (!body.startsWith(opening)) return { code: codes[type], body }
  return { code: codes[type], body: `{${body.slice(opening.length)}` }
}

export const decodeEvent = (code: number, body: string): RunEvent =>
  JSON.parse(eventText(code, body)) as RunEvent

/** The event as JSON, as it was given. */
export const eventText = (code: number, body: string): string =>
  body.startsWith('{"type":') ? body : `{"type":"${eventTypes[code]}",${body.slice(1)}`

export const eventTypeOf = (code: number): EventType => eventTypes[code] ?? 'warning'
