/** What the preflight of a run found, and what to do next where the run itself did no work. */

import {
  describePreflight,
  endedWithoutWork,
  type Outcome,
  type PreflightCheck,
  type PreflightEnded,
  type RunState,
} from '../../loop/index.ts'
import type { Style } from '../terminal.ts'
import { renderSpan } from './amounts.ts'
import { shortId } from './certification-lines.ts'
import { visible } from './render.ts'

type Line = (name: string, text: string) => string

export function preflightLines(
  style: Style,
  line: Line,
  { checks }: PreflightEnded,
): readonly string[] {
  return checks.map((found) => {
    const { check, answer, durationMs, known } = found
    const took = known === true ? 'cached' : renderSpan(durationMs)
    const text = visible(describePreflight(found).slice(check.length + 1))
    return line('preflight', `${check} ${paint(style, answer)(text)} ${style.dim(took)}`)
  })
}

const paint = (style: Style, answer: PreflightCheck['answer']): ((text: string) => string) => {
  if (answer === 'cannot-run') return style.red
  return answer === 'timeout' ? style.yellow : (text) => text
}

/** What `run` without a loop file stores: to run it again would repeat a mistake in its options. */
const inlineLoop = /\/loops\/[^/]+-[0-9a-f]{12}\.yaml$/

/** What to do next, where the run itself did no work. */
export function nextLines(style: Style, outcome: Outcome, { source }: RunState): readonly string[] {
  if (outcome.type === 'completed' && outcome.earlier !== undefined) {
    const { name, branch, certificate } = outcome.earlier
    return [
      ...(branch === undefined
        ? []
        : [`  The work is on ${branch}. To merge it: loopctl merge ${name}`]),
      `  Certificate ${shortId(certificate)} still verifies. To run the task anyway, pass --again.`,
    ].map((text) => style.dim(visible(text)))
  }
  if (!endedWithoutWork(outcome)) return []
  const isTyped = source === undefined || inlineLoop.test(source.file)
  const again = isTyped ? 'run it again' : `loopctl run ${source.file}`
  return [visible(`  Nothing was spent. When this is fixed: ${again}`)]
}
