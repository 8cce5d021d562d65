/** Somebody who decides things about runs, from a process of their own, at moments that are a seed's. */

import { openQuestions } from '#src/engine/index.ts'
import { type Decision, type ErrorCode, isLoopError, type OpenQuestion } from '#src/loop/index.ts'
import type { SimulatedRun } from './simulated-ports.ts'
import { createSimulatedProcess } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface SimulatedPerson {
  /** Decisions that were acknowledged, by run. */
  readonly accepted: readonly { readonly run: string; readonly id: number }[]
  /** The disk fails for them soon. */
  hinder(): void
  decide(run: SimulatedRun, decision: Decision): Promise<void>
  /** A run asks something: it may be answered in time, too late, twice at once, or never. */
  noticeQuestion(run: SimulatedRun, deadlineMs: number): void
}

/** Questions that wait longer than this are answered in the end: a day is long to simulate. */
const patientMs = 600_000

const refusals: ReadonlySet<ErrorCode> = new Set([
  'wrong-status',
  'already-answered',
  'unknown-run',
])

export function createSimulatedPerson(
  world: SimulatedWorld,
  violate: (reason: string) => void,
  count: (what: string) => void,
): SimulatedPerson {
  const { random, time } = world
  const process = createSimulatedProcess(world, 'person')
  const { journal, clock } = process
  const accepted: { run: string; id: number }[] = []

  async function record(run: SimulatedRun, decision: Decision, by: string): Promise<boolean> {
    try {
      const { id } = await journal.recordDecision(run.id, decision, by, clock.now())
      accepted.push({ run: run.id, id })
      count(`accepted ${decision.type}`)
      return true
    } catch (error) {
      // It ended meanwhile, somebody was faster, or it is not created yet.
      const failed = isLoopError(error, 'store-failed') && process.failures > 0
      if (failed || (isLoopError(error) && refusals.has(error.code))) {
        count(`refused ${decision.type}`)
        return false
      }
      violate(`a decision was not taken: ${String(error)}`)
      return false
    }
  }

  async function answer(run: SimulatedRun, open: OpenQuestion): Promise<void> {
    const options = open.question.options ?? ['anything']
    const one = (who: string): Promise<boolean> =>
      record(run, { type: 'answer', question: open.id, answer: random.pick(options) }, who)
    const answers = await Promise.all(random.chance(0.3) ? [one('ann'), one('bob')] : [one('ann')])
    if (answers.every(Boolean) && answers.length > 1) violate('E11: two answers were accepted')
  }

  async function answerSome(run: SimulatedRun, always: boolean): Promise<void> {
    if (run.watch.log.state.outcome !== undefined) return
    const questions = await openQuestions(journal, run.id).catch((error: unknown) => {
      if (process.failures === 0) violate(`questions cannot be read: ${String(error)}`)
      return []
    })
    if (questions.length > 0) await answer(run, random.pick(questions))
    if (always) later(run, random.between(1000, 60_000), true)
  }

  function later(run: SimulatedRun, ms: number, always: boolean): void {
    time.post(process.lane, ms, () => {
      void answerSome(run, always)
    })
  }

  return {
    accepted,
    hinder() {
      const after = random.between(0, 6)
      process.mishaps.push({ at: 'statement', what: 'error', when: 'before', after, noticed: true })
    },
    async decide(run, decision) {
      await record(run, decision, 'ann')
    },
    noticeQuestion(run, deadlineMs) {
      if (deadlineMs > patientMs) later(run, random.between(0, 60_000), true)
      else if (!run.program.exact && random.chance(0.6)) {
        later(run, random.between(0, Math.ceil(deadlineMs * 1.2)), false)
      }
    },
  }
}
