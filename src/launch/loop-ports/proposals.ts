/**
 * Proposals of earlier rounds that still wait for a person. A later round replaces them: it answers their question, unless a
 * person was first.
 *
 * E11. The answer is a decision like any other: the first one counts, and it is applied once, whatever process drives that run.
 */

import { openQuestions, type Store } from '../../engine/index.ts'
import { isLoopError, questionName, type RunStatus } from '../../loop/index.ts'
import type { OpenProposal, Proposals } from '../../loops/loop-ports.ts'

export interface ProposalOptions {
  readonly journal: Store
  readonly loop: string
  /** The repository or folder that the loop works on. */
  readonly repository: string | undefined
  /** The name of the run that asks. */
  readonly run: string
  readonly now: () => number
}

/** A run that waits, also if its process is gone. */
const open: readonly RunStatus[] = ['waiting', 'running', 'suspended', 'paused']
const runsMax = 100

export function createProposals({
  journal,
  loop,
  repository,
  run,
  now,
}: ProposalOptions): Proposals {
  return {
    async list() {
      const filter = { loop, status: open, limit: runsMax }
      const { runs } = await journal.pageRuns(
        repository === undefined ? filter : { ...filter, workspace: repository },
      )
      const others = runs.filter(({ name }) => name !== run)
      const found = await Promise.all(
        others.map(async ({ id, name }) =>
          (await openQuestions(journal, id)).flatMap(({ id: question, question: asked }) =>
            asked.about === undefined || !questionName(question).startsWith('allow ')
              ? []
              : [{ run: name, question, about: asked.about }],
          ),
        ),
      )
      return found.flat()
    },
    async supersede({ run: other, question }: OpenProposal) {
      const { id } = await journal.findRun(other)
      const text = `superseded by ${run}`
      const decision = {
        type: 'answer',
        question,
        answer: 'refuse',
        kind: 'respond',
        text,
      } as const
      try {
        await journal.recordDecision(id, decision, `round ${run}`, now())
        return true
      } catch (error) {
        if (isLoopError(error, 'already-answered') || isLoopError(error, 'wrong-status'))
          return false
        throw error
      }
    },
  }
}
