/**
 * A loop type whose code is in another process, as the engine drives it. One trip around is made over
 * there as a whole: context, iteration, progress, and the conditions in code.
 *
 * E3. Each trip gets the input and the previous progress, as JSON, and nothing else.
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
import { decodeError } from './carried-error.ts'
import { parseCondition, type SentCondition } from './sent-condition.ts'
import type { Session } from './session.ts'
import type { Described, WentAround } from './wire.ts'

interface Given {
  readonly input: unknown
  readonly previous: unknown
}

export function codeLoopType(
  session: Session,
  described: NonNullable<Described['loop']>,
  digest: string,
): AnyLoopType {
  const iterate = async (context: unknown, it: Iteration): Promise<WentAround> => {
    const { input, previous } = context as Given
    const connection = await session.connection()
    return connection.iterate(it, input, previous)
  }
  const createContext = (input: unknown, previous: unknown): Given => ({ input, previous })
  const extractProgress = async (
    result: unknown,
    _previous: unknown,
    findings: Findings,
  ): Promise<unknown> => {
    if (findings.checks.length + findings.refusals.length === 0) {
      return latest(result as WentAround).progress
    }
    const around = await (await session.connection()).conclude(findings)
    concluded.set(result as WentAround, around)
    return around.progress
  }
  return {
    name: described.name,
    // Says all about the code; the text of these functions is hidden, because it is ours.
    version: digest,
    createContext: createContext.bind(undefined),
    iterate: iterate.bind(undefined),
    extractProgress: extractProgress.bind(undefined),
    until: described.until.map((sent) => toCondition(parseCondition(sent))),
  }
}

/** Conditions in code are looked up in what the trip around left. */
function toCondition(sent: SentCondition): Condition {
  if ('of' in sent) return { type: sent.type, of: sent.of.map(toCondition) }
  if (!('code' in sent)) return sent
  const { code, name, ends, limit } = sent
  const met = (_progress: unknown, result: unknown): boolean => lookUp(result as WentAround, code)
  return { type: 'custom', name, met: met.bind(undefined), ...defined({ ends, limit }) }
}

/** What a trip around came to once the engine had looked, in the place of what it came to at first. */
const concluded = new WeakMap<WentAround, WentAround>()

const latest = (around: WentAround): WentAround => concluded.get(around) ?? around

function lookUp(around: WentAround, code: string): boolean {
  const { met } = latest(around)
  const found = Object.hasOwn(met, code) ? met[code] : undefined
  if (found === undefined)
    throw new LoopError(
      'bad-request',
      `"${code}" was not evaluated. Name it in the loop's conditions.`,
    )
  if (typeof found === 'boolean') return found
  throw decodeError(found.error satisfies Json)
}
