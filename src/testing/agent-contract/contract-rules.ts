/** Rules for every report, note and error of an agent. A broken rule is reported as a sentence. */

import {
  type AgentEnd,
  type AgentNote,
  type AgentReport,
  type Amount,
  isAmount,
  textOf,
  toJson,
} from '../../loop/index.ts'

/** A rule of the contract that the agent broke, and what to do about it. */
export class ContractError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'ContractError'
  }
}

/** How a task ended. The reported value is not validated yet. */
export type End =
  | { readonly type: 'reported'; readonly report: unknown }
  | { readonly type: 'threw'; readonly error: unknown }

const statuses: readonly AgentReport['status'][] = [
  'done',
  'done-with-concerns',
  'blocked',
  'needs-context',
  'failed',
]

const ends: readonly AgentEnd[] = [
  'claimed',
  'no-result',
  'idle',
  'lingered',
  'limit',
  'refused',
  'provider',
  'interrupted',
  'crashed',
  'time',
]

/** Errors that the engine can handle. By name: there may be two copies of a class in one process. */
const knownErrors: readonly string[] = ['FaultError', 'LoopError', 'AbortError', 'TimeoutError']

const textCharsMax = 1_000_000

export function requireReport(end: End): AgentReport {
  if (end.type === 'threw') {
    const { error } = end
    throw new ContractError(`It threw instead of reporting: ${textOf(error)}`, { cause: error })
  }
  const wrong = wrongReport(end.report)
  if (wrong !== undefined) throw new ContractError(`Its report is not one: ${wrong}`)
  return end.report as AgentReport
}

/** A report or an error that the engine knows what to do with. */
export function requireEnd(end: End, stoppedFor?: unknown): void {
  if (end.type === 'reported') {
    requireReport(end)
    return
  }
  const { error } = end
  if (error !== undefined && error === stoppedFor) return
  const name = error instanceof Error ? error.name : typeof error
  if (knownErrors.includes(name)) return
  const message =
    `It threw ${name} (${textOf(error)}), which says nothing to a run. Throw a FaultError, pass on the ` +
    "signal's reason, or report `failed`."
  throw new ContractError(message, { cause: error })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isUsage = (value: unknown): boolean => isObject(value) && isAmount(value as unknown as Amount)

const isCount = (value: unknown, least = 0): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least

function wrongReport(report: unknown): string | undefined {
  if (!isObject(report)) return `it is ${report === null ? 'null' : typeof report}.`
  const { status, text, usage, turns, ended } = report
  if (!statuses.some((known) => known === status)) {
    return `its status is ${JSON.stringify(status)}; it must be one of ${statuses.join(', ')}.`
  }
  if (typeof text !== 'string') return 'its text is no string.'
  if (text.length > textCharsMax) return `its text has more than ${textCharsMax} characters.`
  if (!isUsage(usage)) {
    return `its usage is ${JSON.stringify(usage)}; it must have whole tokens and costMicros.`
  }
  if (!isCount(turns)) return `its turns are ${JSON.stringify(turns)}; they must be a whole number.`
  if (ended !== undefined && !ends.some((known) => known === ended)) {
    return `ended is ${JSON.stringify(ended)}; it must be one of ${ends.join(', ')}.`
  }
  // An agent that had to be stopped may still have done its work.
  const mayClaim = ended === undefined || ended === 'claimed' || ended === 'lingered'
  const isWhole = status === 'done' && ended === 'lingered'
  if (isDone(report as unknown as AgentReport) && (!mayClaim || isWhole)) {
    return `it is ${String(status)} although it ended with ${JSON.stringify(ended)}.`
  }
  return notStorable(report)
}

/** It reports its work as done, with or without concerns. */
export const isDone = ({ status }: AgentReport): boolean =>
  status === 'done' || status === 'done-with-concerns'

function notStorable(value: unknown): string | undefined {
  try {
    toJson(value)
    return undefined
  } catch (error) {
    return textOf(error)
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** For each type of note, what its fields have to be. */
const noteFields: Readonly<
  Record<AgentNote['type'], Readonly<Record<string, (value: unknown) => boolean>>>
> = {
  'turn-ended': {
    turn: (value) => isCount(value, 1),
    text: isText,
    calls: (value) => isCount(value),
    calling: (value) => value === undefined || isText(value),
    usage: isUsage,
  },
  'context-cut': { tokens: (value) => isCount(value), what: isText },
  nudged: { tool: isText, times: (value) => isCount(value, 1) },
  said: { text: isText },
  todo: { items: Array.isArray, total: (value) => isCount(value), done: (value) => isCount(value) },
  waiting: { untilMs: (value) => Number.isFinite(value), message: isText },
}

export function requireNotes(notes: readonly unknown[]): void {
  for (const note of notes) {
    const wrong = wrongNote(note)
    if (wrong !== undefined) throw new ContractError(`A note of it is not one: ${wrong}`)
  }
}

function wrongNote(note: unknown): string | undefined {
  if (!isObject(note)) return `it is ${note === null ? 'null' : typeof note}.`
  const type = String(note['type'])
  const fields = Object.hasOwn(noteFields, type) ? noteFields[type as AgentNote['type']] : undefined
  if (fields === undefined) {
    return `its type is ${JSON.stringify(type)}; it must be one of ${Object.keys(noteFields).join(', ')}.`
  }
  const bad = Object.entries(fields).find(([name, isRight]) => !isRight(note[name]))
  if (bad !== undefined)
    return `"${bad[0]}" of a note "${type}" is ${JSON.stringify(note[bad[0]])}.`
  return notStorable(note)
}
