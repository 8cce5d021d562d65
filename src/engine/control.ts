/**
 * Applies people's decisions while a run is being driven.
 *
 * E11. Each decision becomes one event, in the order in which they were made; an answer and the end
 *      of its question are one unit. At the deadline the default is submitted as a decision too, so a
 *      person and the deadline cannot both win.
 */

import {
  type Answer,
  type Decision,
  type DecisionApplied,
  defined,
  isLoopError,
  type Question,
  type RunId,
  type StoredDecision,
} from '../loop/index.ts'
import type { Interrupter } from './interrupter.ts'
import type { Clock, Journal } from './ports.ts'
import type { Recorder } from './recorder.ts'

export interface Answers {
  /** Waits for a person, the deadline or an interruption. The decision is not applied yet. */
  wait(questionId: string, question: Question, deadlineAtMs: number): Promise<StoredDecision>
  /** Makes a decision that follows from an answer, and applies it. */
  submit(decision: Decision, by: string): Promise<void>
}

export interface Control extends Answers {
  /** Applies pending decisions; resolves when they are on disk. */
  apply(): Promise<void>
  /** Resolves when the known pending decisions are applied. The watch reports newer ones. */
  applied(): Promise<void>
  stop(): void
}

const retryMsMin = 1000
const retryMsMax = 30_000

export const toApplied = ({ id, by, claimedBy, decision }: StoredDecision): DecisionApplied => ({
  type: 'decision-applied',
  id,
  by,
  ...defined({ claimedBy }),
  decision,
})

export const answerOf = (stored: StoredDecision): Answer => {
  const { decision, by } = stored
  if (decision.type !== 'answer') return { answer: '', by: 'default' }
  const { answer, kind, text, value } = decision
  if (by === 'default') return { answer, by: 'default' }
  return { answer, by: 'person', who: by, ...defined({ kind, text, value }) }
}

async function recordDefault(
  journal: Journal,
  run: RunId,
  questionId: string,
  question: Question,
  nowMs: number,
): Promise<void> {
  const decision = { type: 'answer', question: questionId, answer: question.default } as const
  try {
    await journal.recordDecision(run, decision, 'default', nowMs)
  } catch (error) {
    // A process that lost the run may find it ended; it notices that when it renews its lease.
    const isLate = isLoopError(error, 'already-answered') || isLoopError(error, 'wrong-status')
    if (!isLate) throw error
  }
}

export function createControl(
  run: RunId,
  ports: { readonly journal: Journal; readonly clock: Clock },
  recorder: Recorder,
  interrupter: Interrupter,
  onApplied: (decision: Decision) => void,
): Control {
  const { journal, clock } = ports
  const waiting = new Map<string, (decision: StoredDecision) => void>()
  let applying: Promise<void> = Promise.resolve()
  const retry = createRetry(clock, apply)
  const stopWatching = journal.watch('decisions', () => {
    void apply().catch(retry.begin)
  })

  function apply(): Promise<void> {
    applying = applying.catch(() => undefined).then(applyPending)
    return applying
  }

  async function applyPending(): Promise<void> {
    for (const stored of await journal.pendingDecisions(run)) {
      // Decisions after the end change nothing: the end closes them.
      if (recorder.state.outcome !== undefined) return
      const { decision } = stored
      if (decision.type === 'answer') {
        waiting.get(decision.question)?.(stored)
      } else {
        await recorder.record([toApplied(stored)])
        onApplied(decision)
      }
    }
  }

  return {
    apply,
    async submit(decision, by) {
      await journal.recordDecision(run, decision, by, clock.now())
      await apply()
    },
    // After a failed read, try again soon.
    applied: () => applying.catch(() => undefined),
    stop() {
      stopWatching()
      retry.stop()
    },
    async wait(questionId, question, deadlineAtMs) {
      interrupter.check()
      const done = new AbortController()
      let stop = (): void => undefined
      try {
        return await new Promise<StoredDecision>((resolve, reject) => {
          // Includes a default that another process applied after it took over the run.
          stop = () => reject(interrupter.refuse())
          interrupter.draining.addEventListener('abort', stop, { once: true })
          waiting.set(questionId, resolve)
          apply().catch(reject)
          clock
            .sleep(Math.max(0, deadlineAtMs - clock.now()), done.signal)
            .then(() => recordDefault(journal, run, questionId, question, clock.now()))
            .then(apply)
            .catch(reject)
        })
      } finally {
        waiting.delete(questionId)
        interrupter.draining.removeEventListener('abort', stop)
        done.abort()
      }
    },
  }
}

/**
 * A run that waits for a person writes nothing, so no write would reveal a temporary failure of the store,
 * and a decision is announced only once (E9).
 */
function createRetry(
  clock: Clock,
  apply: () => Promise<void>,
): { begin(): Promise<void>; stop(): void } {
  const stopped = new AbortController()
  let isUnderWay = false
  return {
    async begin() {
      if (isUnderWay) return
      isUnderWay = true
      let isApplied = false
      for (let delayMs = retryMsMin; !isApplied; delayMs = Math.min(retryMsMax, delayMs * 2)) {
        await clock.sleep(delayMs, stopped.signal).catch(() => undefined)
        if (stopped.signal.aborted) return
        isApplied = await apply().then(
          () => true,
          () => false,
        )
      }
      isUnderWay = false
    },
    stop: () => stopped.abort(),
  }
}
