/** Policy files that cannot be used. A run with such a file does not start, because its rules would not apply. */

import { LoopError } from '../../loop/index.ts'
import { describePolicyProblem, type PolicyProblem } from './policy-problem.ts'

const shownMax = 20

/** Policy files with errors, each with its line and column. */
export class PolicyError extends LoopError {
  readonly problems: readonly PolicyProblem[]
  constructor(problems: readonly PolicyProblem[]) {
    const kept = problems.slice(0, shownMax)
    const more = problems.length - kept.length
    const files = [...new Set(problems.map(({ file }) => file))]
    super(
      'bad-policy',
      [
        `The policy cannot be used. Correct it, then try: loopctl policy check ${files.join(' ')}`,
        ...kept.map(describePolicyProblem),
        ...(more > 0 ? [`and ${more} more`] : []),
      ].join('\n'),
    )
    this.problems = kept
  }
}
