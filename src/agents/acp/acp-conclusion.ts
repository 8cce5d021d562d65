/** Judges how a conversation with an agent ended. */

import { type AgentEnd, FaultError, textOf } from '../../loop/index.ts'
import { tidy } from '../output-notes.ts'
import type { Conclusion } from '../programs/agent-program.ts'
import { defaultIdleMs } from '../programs/program-watch.ts'
import type { Broken } from './acp-connection.ts'
import type { StopReason } from './acp-session.ts'
import { type AcpWatchOptions, defaultTimeoutMs, type WatchEnd } from './acp-watch.ts'
import type { SessionUpdates } from './session-updates.ts'

/** How the conversation ended. */
export type ConversationEnd =
  | { readonly type: 'stopped'; readonly reason: StopReason }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'broken'; readonly broken: Broken }
  | { readonly type: 'cut'; readonly end: WatchEnd }

export interface ObservedWork {
  readonly program: string
  readonly updates: Pick<SessionUpdates, 'isRefused' | 'text' | 'turns'>
  /** The end of its output outside the protocol. */
  readonly stderrText: string
  /** The last response of its model was cut short or refused, according to the gateway. */
  readonly wasCut: boolean
  readonly limits: Pick<AcpWatchOptions, 'idleMs' | 'timeoutMs'>
}

const detailCharsMax = 2000
/** The reason comes first, and a report is cut at its start. */
const lastTextCharsMax = 4000

/** Exit codes of a sandbox for a program that does not exist or may not be run. */
const cannotStartCodes: readonly unknown[] = [126, 127]

const ends: Readonly<Record<StopReason, AgentEnd>> = {
  end_turn: 'claimed',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
  refusal: 'refused',
  cancelled: 'interrupted',
}

/** Throws a fault if another attempt would end in the same way. */
export function conclude(
  ended: ConversationEnd,
  { program, updates, limits, ...observed }: ObservedWork,
): Conclusion {
  const { turns } = updates
  const stderrText = tidy(observed.stderrText)
  const lastText = updates.text().slice(-lastTextCharsMax)
  const make = (end: AgentEnd, ...parts: readonly string[]): Conclusion => ({
    end,
    text: parts.filter((part) => part !== '').join('\n'),
    turns,
  })
  switch (ended.type) {
    case 'stopped':
      return concludeStop(ended.reason, updates, observed.wasCut, make)
    case 'failed':
      if (ended.error instanceof FaultError) throw ended.error
      return make(
        isProviderError(ended.error) ? 'provider' : 'crashed',
        describeError(ended.error),
        stderrText,
      )
    case 'broken': {
      const { exitCode, how } = ended.broken
      if (turns === 0 && cannotStartCodes.includes(exitCode)) {
        throw createStartFault(stderrText === '' ? `It ended: ${how}.` : stderrText, program)
      }
      return make('crashed', `It did not end its work: ${how}.`, stderrText, lastText)
    }
    case 'cut':
      return make(...describeCut(ended.end, limits), stderrText, lastText)
  }
}

type Make = (end: AgentEnd, ...parts: readonly string[]) => Conclusion

function concludeStop(
  reason: StopReason,
  updates: ObservedWork['updates'],
  wasCut: boolean,
  make: Make,
): Conclusion {
  const text = updates.text()
  const end = ends[reason]
  if (end !== 'claimed') return make(end, `It stopped: ${reason.replaceAll('_', ' ')}.`, text)
  if (updates.isRefused)
    return make('refused', 'It was not allowed to do what it wanted, and did nothing else.', text)
  // Some agents turn it into a message and then end their turn normally.
  if (wasCut)
    return make('provider', 'The last answer of its model was cut short or refused.', text)
  return text === '' ? make('no-result', 'It ended without a word.') : make('claimed', text)
}

function describeCut(
  end: WatchEnd,
  { idleMs = defaultIdleMs, timeoutMs = defaultTimeoutMs }: ObservedWork['limits'],
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

/** Some agents pass on the status of their provider. */
function isProviderError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'number' && code >= 400 && code < 600
}

/** The reason is often only in the details of an error. */
function describeError(error: unknown): string {
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

/** Fatal: the next iteration would fail in the same way. */
export const createStartFault = (why: string, program: string, cause?: unknown): FaultError =>
  new FaultError(
    {
      code: 'agent-not-started',
      message: `Cannot start the agent ${program}. ${why} Set another command under agent in the loop file.`,
      retryable: false,
      fatal: true,
    },
    { cause },
  )
