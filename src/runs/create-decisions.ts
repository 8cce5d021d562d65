/** Applies decisions of people to runs, whether or not a process drives them. */

import { applyIdle, openQuestions, type RunRow, suspendIdle } from '../engine/index.ts'
import {
  findAnswerProblem,
  isLoopError,
  LoopError,
  type OpenQuestion,
  questionName,
} from '../loop/index.ts'
import { createOwnerId } from '../system/index.ts'
import type { HostPorts } from './host-ports.ts'
import { requireDecision, requireOpen } from './requests.ts'
import type { Runs } from './runs.ts'

export function createDecisions(
  base: HostPorts,
): Pick<Runs, 'answer' | 'sendDecision' | 'suspend' | 'tell'> {
  const { journal, clock } = base
  // A decision needs the lease of the run, but not its workspace.
  const idle = { ...base, journal: { ...journal, acquire: journal.acquireIdle } }
  const decisions: Omit<ReturnType<typeof createDecisions>, 'tell'> = {
    async suspend(idOrName, reason) {
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await suspendIdle(run.id, idle, createOwnerId(), reason)
    },
    async answer(idOrName, questionId, answer, by) {
      if (typeof answer !== 'string') throw new LoopError('bad-answer', 'An answer must be text.')
      requireBy(by)
      const run = await journal.findRun(idOrName)
      const questions = await openQuestions(journal, run.id)
      const asked = findQuestion(questions, questionId)
      if (asked === undefined) throw unknownQuestion(run, questionId, questions)
      const problem = findAnswerProblem(asked.question, answer)
      if (problem !== undefined) throw new LoopError('bad-answer', problem)
      const decision = { type: 'answer', question: asked.id, answer } as const
      await journal.recordDecision(run.id, decision, by, clock.now())
    },
    async sendDecision(idOrName, decision, by) {
      const checked = requireDecision(decision)
      requireBy(by)
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await journal.recordDecision(run.id, checked, by, clock.now())
      if (run.held) return
      try {
        await applyIdle(run.id, idle, createOwnerId())
      } catch (error) {
        // The process that acquired it meanwhile applies the decision.
        if (!isLoopError(error, 'run-busy')) throw error
      }
    },
  }
  return { ...decisions, tell: decisions.sendDecision }
}

function requireBy(by: string): void {
  if (typeof by !== 'string')
    throw new LoopError('bad-request', 'The name of the person who decides must be text.')
}

/** Finds a question by its id, or by its name if only one open question has that name. */
function findQuestion(open: readonly OpenQuestion[], name: string): OpenQuestion | undefined {
  const exact = open.find((question) => question.id === name)
  if (exact !== undefined) return exact
  const named = open.filter((question) => questionName(question.id) === name)
  return named.length === 1 ? named[0] : undefined
}

function unknownQuestion(run: RunRow, id: string, open: readonly OpenQuestion[]): LoopError {
  const names = open.map((question) => questionName(question.id))
  // If two questions have the same name, list their full ids.
  const asked = new Set(names).size === names.length ? names : open.map((one) => one.id)
  const choice =
    open.length === 0
      ? `It has no open questions. See all questions: loopctl inbox`
      : `Its questions: ${asked.join(', ')}. Answer: loopctl answer ${run.name} '${asked[0]}' <answer>`
  return new LoopError(
    'unknown-question',
    `Run "${run.name}" has no open question "${id}". ${choice}`,
  )
}
