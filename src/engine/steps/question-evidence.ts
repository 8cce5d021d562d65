/** What questions of the engine show: the results of checks, and what the run changed. */

import {
  type CheckResult,
  type EvidentCheck,
  type QuestionEvidence,
  type RunState,
  selectKeyLines,
} from '../../loop/index.ts'

const linesMax = 20

export const toEvidentCheck = ({ check, status, output }: CheckResult): EvidentCheck => {
  const lines = status === 'met' ? '' : selectKeyLines(output.trim(), linesMax).join('\n')
  return { check, status, ...(lines === '' ? {} : { output: lines }) }
}

/** Undefined if nothing changed since the base, or the run has no workspace. */
export const diffOf = ({
  baseTree,
  tree,
}: Pick<RunState, 'baseTree' | 'tree'>): QuestionEvidence['diff'] | undefined =>
  baseTree === undefined || tree === undefined || baseTree === tree
    ? undefined
    : { base: baseTree, tree }
