/** Has a task reviewed. An unclear answer is asked for once more, with a new token. */

import { defined, type TreeId } from '../../loop/index.ts'
import { createToken, readVerdict } from '../context/read-verdict.ts'
import type { ReviewFindings } from './build-progress.ts'
import { toValues } from './build-prompt.ts'
import { filesOf, type Session } from './build-session.ts'
import { readSkills } from './knowledge.ts'
import { type WrittenReview, writeReview } from './review.ts'

const attemptsMax = 2

export interface WorkToReview {
  readonly task: number
  /** Undefined: the files have not changed in this iteration. */
  readonly before: TreeId | undefined
  readonly report: string | undefined
}

export async function reviewTask(
  session: Session,
  { task, before, report }: WorkToReview,
): Promise<ReviewFindings | 'pass'> {
  const { it, prompts, progress } = session
  const text = progress.plan?.tasks[task]?.text ?? ''
  const skills = await readSkills(session, 'reviewer', text)
  for (let attempt = 1; ; attempt += 1) {
    const written: WrittenReview = await it.step(
      'review',
      async () => {
        const patch = before === undefined ? '' : await filesOf(session).patchSince(before)
        const values = toValues(session, {
          iteration: it.number,
          choice: { kind: 'review', task },
          skills,
        })
        return writeReview(prompts.reviewer, values, { patch, report }, createToken())
      },
      { readOnly: true, role: 'review-prompt' },
    )
    const { retry } = session.settings
    const answer = await it.agent(
      'reviewer',
      { prompt: written.prompt },
      { readOnly: true, ...defined({ retry }) },
    )
    const { verdict, reasons } = readVerdict(answer, written.token, 'reviewer')
    if (verdict === 'pass') return 'pass'
    if (verdict === 'fail' || attempt >= attemptsMax) return { task, verdict, reasons }
  }
}
