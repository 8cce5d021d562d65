/** A config file with errors: one line for each, with its position. */

import { plural } from '../../loop/excerpt/plural.ts'
import { LoopError } from '../../loop/index.ts'
import { describeProblem, type LoopFileProblem, oneLine } from '../loop-file/loop-file-error.ts'

const shownMax = 20

export class ConfigError extends LoopError {
  readonly problems: readonly LoopFileProblem[]
  constructor(file: string, problems: readonly LoopFileProblem[]) {
    const kept = problems.slice(0, shownMax)
    const more = problems.length - kept.length
    const count = problems.length === 1 ? 'a problem' : plural(problems.length, 'problem')
    super(
      'bad-config',
      [
        `${oneLine(file)} cannot be used: there ${problems.length === 1 ? 'is' : 'are'} ${count}. ` +
          `Correct ${problems.length === 1 ? 'it' : 'them'}, then try: ` +
          `loopctl config check ${oneLine(file)}`,
        ...kept.map(describeProblem),
        ...(more > 0 ? [`and ${more} more`] : []),
      ].join('\n'),
    )
    this.problems = kept
  }
}
