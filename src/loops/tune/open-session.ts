/**
 * The iteration as the phases of a tuning loop see it. Every question can be answered from a file, every answer is logged, and what a
 * phase has shown is collected, so that no code of a phase can leave one without it.
 *
 *   ask  ─▶ the answers file, else a person ─▶ an entry "interaction"
 *   log  ─▶ entries with their time, in the order in which they are journaled
 */

import { type Answer, FaultError, type Iteration, type Question } from '../../loop/index.ts'
import { type Answers, answersFile, findAnswer } from './answers.ts'
import { gateRole, proofRole } from './phase-proofs.ts'
import type { LogEntry } from './report/log-entry.ts'
import { logRole, note } from './report/note.ts'
import type { GateDecision, Shown } from './shown.ts'

export interface OpenedSession {
  readonly it: Iteration
  readonly shown: Shown
}

export function openSession(it: Iteration, answers: Answers, now?: () => number): OpenedSession {
  const entries: LogEntry[] = []
  const proofs: string[] = []
  const gates: GateDecision[] = []
  const stamp = (result: unknown): unknown => {
    if (now === undefined || !Array.isArray(result)) return result
    const atMs = now()
    return result.map((entry: object) => ({ atMs, ...entry }))
  }
  const wrapped: Iteration = {
    ...it,
    get workspace() {
      return it.workspace
    },
    async step(name, run, options) {
      const role = options?.role
      // The result is what the journal has, so that a continued iteration collects the same.
      const code: typeof run =
        role === logRole ? async (context) => stamp(await run(context)) as never : run
      const result = await it.step(name, code, options)
      if (role === logRole) entries.push(...(result as unknown as readonly LogEntry[]))
      if (role === proofRole) proofs.push(name.replace(/^proof /, ''))
      if (role === gateRole) gates.push(result as unknown as GateDecision)
      return result
    },
    async ask(name, question) {
      const answer =
        (await answerFrom(it, answers, name, question)) ?? (await it.ask(name, question))
      await note(wrapped, [toInteraction(name, question, answer)])
      return answer
    },
  }
  return { it: wrapped, shown: { entries, proofs, gates } }
}

/** The user wrote it before the run, so it counts as theirs. */
async function answerFrom(
  it: Iteration,
  answers: Answers,
  name: string,
  question: Question,
): Promise<Answer | undefined> {
  const given = findAnswer(answers, name)
  if (given === undefined) return undefined
  const { options } = question
  if (options !== undefined && !options.includes(given)) {
    const retry = `Correct the answer in the answers file, then run the loop again.`
    throw new FaultError({
      code: 'bad-answer',
      message: `The answers file answers "${name}" with "${given.slice(0, 100)}", which is not one of ${options.join(', ')}. ${retry}`,
      retryable: false,
      fatal: true,
    })
  }
  return it.step(
    `answer ${name}`,
    (): Answer => ({ answer: given, by: 'person', who: answersFile }),
    { readOnly: true, role: 'answer' },
  )
}

function toInteraction(
  question: string,
  { text }: Question,
  { answer, by, who, text: said }: Answer,
): LogEntry {
  const name = by === 'default' ? 'the default' : (who ?? 'a person')
  const full = said === undefined || said === '' ? answer : `${answer}: ${said}`
  return { type: 'interaction', question, text: text.slice(0, 1000), answer: full, by: name }
}
