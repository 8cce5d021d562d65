/**
 * A loop type whose code runs in another process. A whole iteration happens there: context, iteration,
 * progress, and the conditions in code.
 *
 * E3. Each iteration gets the input and the previous progress, as JSON, and nothing else.
 */

import type { AnyLoopType } from '../../engine/index.ts'
import {
  type Condition,
  defined,
  type Findings,
  type Iteration,
  type Json,
  LoopError,
} from '../../loop/index.ts'
import { decodeError } from './error-codec.ts'
import { parseCondition, type SentCondition } from './sent-condition.ts'
import type { Session } from './session.ts'
import type { IterationSummary, LoopDescription } from './wire.ts'

interface IterationInput {
  readonly input: unknown
  readonly previous: unknown
}

export function codeLoopType(
  session: Pick<Session, 'connection'>,
  described: NonNullable<LoopDescription['loop']>,
  digest: string,
): AnyLoopType {
  const iterate = async (context: unknown, it: Iteration): Promise<IterationSummary> => {
    const { input, previous } = context as IterationInput
    const connection = await session.connection()
    return connection.iterate(it, input, previous)
  }
  const createContext = (input: unknown, previous: unknown): IterationInput => ({ input, previous })
  const extractProgress = async (
    result: unknown,
    _previous: unknown,
    findings: Findings,
  ): Promise<unknown> => {
    if (findings.checks.length + findings.refusals.length === 0) {
      return latest(result as IterationSummary).progress
    }
    const summary = await (await session.connection()).conclude(findings)
    concluded.set(result as IterationSummary, summary)
    return summary.progress
  }
  return {
    name: described.name,
    // The digest identifies the code; the functions here are only wrappers, so their text is hidden.
    version: digest,
    createContext: createContext.bind(undefined),
    iterate: iterate.bind(undefined),
    extractProgress: extractProgress.bind(undefined),
    until: described.until.map((sent) => toCondition(parseCondition(sent))),
  }
}

/** Conditions in code were evaluated in the loop's process: reads their results from the summary. */
function toCondition(sent: SentCondition): Condition {
  if ('of' in sent) return { type: sent.type, of: sent.of.map(toCondition) }
  if (!('code' in sent)) return sent
  const { code, name, ends, limit } = sent
  const met = (_progress: unknown, result: unknown): boolean =>
    findMet(result as IterationSummary, code)
  return { type: 'custom', name, met: met.bind(undefined), ...defined({ ends, limit }) }
}

/** The summary of an iteration after the engine's findings, which replaces the first one. */
const concluded = new WeakMap<IterationSummary, IterationSummary>()

const latest = (summary: IterationSummary): IterationSummary => concluded.get(summary) ?? summary

function findMet(summary: IterationSummary, code: string): boolean {
  const { met } = latest(summary)
  const found = Object.hasOwn(met, code) ? met[code] : undefined
  if (found === undefined)
    throw new LoopError(
      'bad-request',
      `"${code}" was not evaluated. Name it in the loop's conditions.`,
    )
  if (typeof found === 'boolean') return found
  throw decodeError(found.error satisfies Json)
}
