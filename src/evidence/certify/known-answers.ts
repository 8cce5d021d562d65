/**
 * What checks answered on the very same files before, in whichever run: two answers that differ make a
 * check flaky, however long it was between them.
 */

import type { CheckStatus, TreeId } from '../../loop/index.ts'
import type { Layer } from '../parts.ts'
import { baselineKey } from './baseline.ts'
import type { Ran } from './run-checks.ts'

/** Kept by key. What cannot be read is not there. */
export interface KnownAnswers {
  read(key: string): Promise<readonly CheckStatus[]>
  write(key: string, answers: readonly CheckStatus[]): Promise<void>
}

const answersMax = 10

/** With what is known of each, those that answered otherwise before are flaky. */
export async function withKnown(
  ran: readonly Ran[],
  tree: TreeId,
  layer: Layer,
  known: KnownAnswers,
): Promise<readonly Ran[]> {
  const all: Ran[] = []
  for (const one of ran) {
    const key = baselineKey(tree, one.check, layer)
    const before = await known.read(key)
    const answers = [...before, ...one.answers.filter(isAnswer)].slice(-answersMax)
    if (answers.length > 0) await known.write(key, answers)
    const isFlaky = new Set(answers).size > 1
    all.push(isFlaky ? { ...one, answers, result: { ...one.result, flaky: true } } : one)
  }
  return all
}

/** One that was cut short has not answered. */
const isAnswer = (status: CheckStatus): boolean => status === 'met' || status === 'not-met'
