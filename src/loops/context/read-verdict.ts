/**
 * Reads the verdict of an agent that reviews or checks work, in a fresh context and without write access. It is read only from
 * its final answer, with a token that is created after the work ended: nothing that the other agent wrote can contain it. An
 * answer in any other form is unclear, and unclear is not a pass.
 */

import type { AgentReport } from '../../loop/index.ts'
import { type JudgeVerdict, parseVerdict } from '../../protocol/index.ts'

/** Only an agent that ended by itself gave an answer. */
export function readVerdict(
  { status, text, ended }: AgentReport,
  token: string,
  who: string,
): JudgeVerdict {
  const isByItself = ended === undefined || ended === 'claimed'
  if (isByItself && (status === 'done' || status === 'done-with-concerns')) {
    return parseVerdict(text, token)
  }
  const reason = `The ${who} gave no answer: it ended with ${ended ?? status}.`
  return { verdict: 'unclear', reasons: [{ text: reason }] }
}

/** Unpredictable for the agent whose work is judged. */
export const createToken = (): string => crypto.randomUUID().replaceAll('-', '')
