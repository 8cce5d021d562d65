/** What is to be made of the end of a conversation with an agent. */

import { type AgentEnd, FaultError, textOf } from '../../loop/index.ts'
import type { Conclusion } from '../programs/agent-program.ts'
import { defaultIdleMs } from '../programs/program-watch.ts'
import { tidy } from '../said-lines.ts'
import type { Broken } from './acp-connection.ts'
import type { StopReason } from './acp-session.ts'
import { type AcpWatchOptions, type Cut, defaultTimeoutMs } from './acp-watch.ts'
import type { SessionUpdates } from './session-updates.ts'

/** How the conversation came to its end. */
export type Ended =
  | { readonly type: 'stopped'; readonly reason: StopReason }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'broken'; readonly broken: Broken }
  | { readonly type: 'cut'; readonly end: Cut }

export interface Heard {
  readonly program: string
  readonly updates: Pick<SessionUpdates, 'isRefused' | 'text' | 'turns'>
  /** The end of what it wrote where no messages are. */
  readonly words: string
  /** The last answer of its model was cut short or refused, as others saw. */
  readonly wasCut: boolean
  readonly limits: Pick<AcpWatchOptions, 'idleMs' | 'timeoutMs'>
}

const detailCharsMax = 2000
/** The reason comes first, and a report is cut at its beginning. */
const lastWordsCharsMax = 4000

/** What a sandbox exits with when there is no such program, or it may not be run. */
const cannotStartCodes: readonly unknown[] = [126, 127]

const ends: Readonly<Record<StopReason, AgentEnd>> = {
  end_turn: 'claimed',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
  refusal: 'refused',
  cancelled: 'interrupted',
}

/** Throws a fault where another try would end in the same way. */
export function conclude(ended: Ended, { program, updates, limits, ...heard }: Heard): Conclusion {
  const { turns } = updates
  const words = tidy(heard.words)
  const lastWords = updates.text().slice(-lastWordsCharsMax)
  const make = (end: AgentEnd, ...parts: readonly string[]): Conclusion => ({
    end,
    text: parts.filter((part) => part !== '').join('\n'),
    turns,
  })
  switch (ended.type) {
    case 'stopped':
      return ofStop(ended.reason, updates, heard.wasCut, make)
    case 'failed':
      if (ended.error instanceof FaultError) throw ended.error
      return make(
        isProviderError(ended.error) ? 'provider' : 'crashed',
        failure(ended.error),
        words,
      )
    case 'broken': {
      const { exitCode, how } = ended.broken
      if (turns === 0 && cannotStartCodes.includes(exitCode)) {
        throw notStarted(words === '' ? `It ended: ${how}.` : words, program)
      }
      return make('crashed', `It did not end its work: ${how}.`, words, lastWords)
    }
    case 'cut':
      return make(...whyCut(ended.end, limits), words, lastWords)
  }
}

type Make = (end: AgentEnd, ...parts: readonly string[]) => Conclusion

function ofStop(
  reason: StopReason,
  updates: Heard['updates'],
  wasCut: boolean,
  make: Make,
): Conclusion {
  const text = updates.text()
  const end = ends[reason]
  if (end !== 'claimed') return make(end, `It stopped: ${reason.replaceAll('_', ' ')}.`, text)
  if (updates.isRefused)
    return make('refused', 'It was not allowed to do what it wanted, and did nothing else.', text)
  // Some make a message of it, and call that the end of their turn.
  if (wasCut)
    return make('provider', 'The last answer of its model was cut short or refused.', text)
  return text === '' ? make('no-result', 'It ended without a word.') : make('claimed', text)
}

function whyCut(
  end: Cut,
  { idleMs = defaultIdleMs, timeoutMs = defaultTimeoutMs }: Heard['limits'],
): [AgentEnd, string] {
  const seconds = (ms: number): number => Math.ceil(ms / 1000)
  switch (end) {
    case 'idle':
      return ['idle', `It was silent for ${seconds(idleMs)} s without a result, and was ended.`]
    case 'silent':
      return ['idle', 'It did not answer the handshake of ACP and was ended. Is it an ACP agent?']
    case 'time':
      return ['time', `It did not end within ${seconds(timeoutMs)} s and was stopped.`]
    case 'interrupted':
      return ['interrupted', 'It was stopped.']
  }
}

/** Some hand on the status that their provider answered with. */
function isProviderError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'number' && code >= 400 && code < 600
}

/** The reason is often only in the details of an error. */
function failure(error: unknown): string {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: unknown }
  const details = data === undefined || data === null ? '' : safeJson(data)
  const number = typeof code === 'number' ? ` (${code})` : ''
  return tidy(`It failed: ${textOf(error)}${number}. ${details}`)
}

function safeJson(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? '').slice(0, detailCharsMax)
  } catch {
    return ''
  }
}

/** Where the same would happen next time, there is no use in another iteration. */
export const notStarted = (why: string, program: string, cause?: unknown): FaultError =>
  new FaultError(
    {
      code: 'agent-not-started',
      message: `${why} It is the agent of this loop: give another command for ${program}.`,
      retryable: false,
      fatal: true,
    },
    { cause },
  )
