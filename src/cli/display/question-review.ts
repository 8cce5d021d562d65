/** Everything that a question asks to approve, in reading order. */

import type { QuestionChanges } from '../../history/review-question.ts'
import { questionName } from '../../loop/index.ts'
import { shellWord } from '../shell-word.ts'
import { plural } from './amounts.ts'

export function renderQuestionReview({
  run,
  question,
  observed,
  files,
  code,
}: QuestionChanges): string {
  const command = `loopctl answer ${shellWord(run.name)} ${shellWord(questionName(question))}`
  return [
    `Observed:\n\n${observed}`,
    section(
      'Changed outside the work',
      files.filter(({ needsApproval }) => needsApproval),
    ),
    section(
      'The work',
      files.filter(({ needsApproval }) => !needsApproval),
    ),
    [
      `This is everything. Its code: ${code}`,
      `To approve: ${command} approve`,
      `If a code is required: ${command} 'approve ${code}'`,
      `To reject: ${command} reject`,
    ].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function section(title: string, files: QuestionChanges['files']): string {
  if (files.length === 0) return ''
  const texts = files.map(({ path, patch }) =>
    patch === '' ? `${path}: no difference in content` : patch.trimEnd(),
  )
  return [`${title} (${plural(files.length, 'file')}):`, ...texts].join('\n')
}
