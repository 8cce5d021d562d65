/** Applies decisions of people to runs, whether or not a process drives them. */

import { applyIdle, openQuestions, type RunRow, suspendIdle } from '../engine/index.ts'
import {
  type AnswerInput,
  type Decider,
  isLoopError,
  LoopError,
  type OpenQuestion,
  questionName,
  resolveAnswer,
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
    async answer(idOrName, questionId, given, by) {
      const input = requireAnswer(given)
      const { name, claimed } = requireDecider(by)
      const run = await journal.findRun(idOrName)
      const questions = await openQuestions(journal, run.id)
      const asked = findQuestion(questions, questionId)
      if (asked === undefined) throw unknownQuestion(run, questionId, questions)
      const resolution = resolveAnswer(asked.question, input)
      if (resolution.type === 'invalid') throw new LoopError('bad-answer', resolution.problem)
      const decision = { type: 'answer', question: asked.id, ...resolution.answer } as const
      await journal.recordDecision(run.id, decision, name, clock.now(), claimed)
    },
    async sendDecision(idOrName, decision, by) {
      const checked = requireDecision(decision)
      const { name, claimed } = requireDecider(by)
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await journal.recordDecision(run.id, checked, name, clock.now(), claimed)
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

function requireDecider(by: Decider): Exclude<Decider, string> {
  const decider = typeof by === 'string' ? { name: by } : by
  const { name, claimed } = decider ?? {}
  if (typeof name === 'string' && (claimed === undefined || typeof claimed === 'string')) {
    return decider
  }
  throw new LoopError('bad-request', 'The name of the person who decides must be text.')
}

/** Callers may be JavaScript. */
function requireAnswer(given: string | AnswerInput): AnswerInput {
  if (typeof given === 'string') return { answer: given }
  const { answer, code } = given ?? {}
  const isText = [answer, code].every((one) => one === undefined || typeof one === 'string')
  if (typeof given === 'object' && given !== null && isText) return given
  throw new LoopError('bad-answer', 'An answer must be text, or say its kind.')
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
