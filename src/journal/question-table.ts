/**
 * A row for each open question, updated with the events in the transaction of the caller, so that the
 * inbox need not read every run.
 */

import type { AskedAfter, AskedQuestion } from '../engine/index.ts'
import { parseStepKind, type RunEvent, type RunId, type StepId } from '../loop/index.ts'
import type { Database } from './database.ts'
import { decodeEvent } from './event-code.ts'

export function createQuestionKeeper(
  database: Database,
): (key: number, seq: number, atMs: number, event: RunEvent) => void {
  // A question that is asked again after an interruption keeps its original time.
  const insert = database.prepare(
    'INSERT OR IGNORE INTO questions (run, question, step, seq, asked_at, deadline_at) ' +
      'VALUES (?, ?, ?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM questions WHERE run = ? AND question = ?')
  const removeAll = database.prepare('DELETE FROM questions WHERE run = ?')
  return (key, seq, atMs, event) => {
    switch (event.type) {
      case 'step-started': {
        const { iteration, step, question, wakeAtMs } = event
        if (question === undefined || wakeAtMs === undefined) return
        insert.run(key, questionKey(iteration, step), step, seq, atMs, wakeAtMs)
        return
      }
      case 'step-finished':
      case 'step-failed':
        if (parseStepKind(event.step) === 'ask')
          remove.run(key, questionKey(event.iteration, event.step))
        return
      case 'iteration-ended':
        if (endsIteration(event)) removeAll.run(key)
        return
      case 'iteration-restarted':
      case 'run-rewound':
      case 'run-ended':
        removeAll.run(key)
        return
      default:
        return
    }
  }
}

/** Only iterations that count can be rewound to. */
export function endsIteration(
  event: RunEvent,
): event is Extract<RunEvent, { type: 'iteration-ended' }> {
  if (event.type !== 'iteration-ended') return false
  return event.ending.type !== 'interrupted' && event.ending.type !== 'rate-limited'
}

const questionKey = (iteration: number, step: StepId): string => `${iteration}/${step}`

/** Excludes answered questions, which only wait until their run applies the answer. */
const selectSql =
  'SELECT runs.id AS run, runs.name, questions.question AS id, questions.asked_at, ' +
  'questions.deadline_at, events.type, events.body FROM questions ' +
  'JOIN runs ON runs.key = questions.run ' +
  'JOIN events ON events.run = questions.run AND events.seq = questions.seq ' +
  'WHERE NOT EXISTS (SELECT 1 FROM decisions WHERE decisions.run = questions.run ' +
  'AND decisions.question = questions.question AND decisions.applied_seq IS NULL) '

const order = 'ORDER BY questions.deadline_at, questions.run, questions.question LIMIT ?'

interface QuestionColumns {
  readonly run: RunId
  readonly name: string
  readonly id: string
  readonly asked_at: number
  readonly deadline_at: number
  readonly type: number
  readonly body: string
}

/** The earliest deadline first. */
export function readQuestions(
  database: Database,
  limit: number,
  after: AskedAfter | undefined,
): readonly AskedQuestion[] {
  const rows =
    after === undefined
      ? database.prepare(`${selectSql}${order}`).all(limit)
      : database
          .prepare(
            `${selectSql}AND (questions.deadline_at, questions.run, questions.question) > ` +
              `(?, coalesce((SELECT key FROM runs WHERE id = ?), 0), ?) ${order}`,
          )
          .all(after.deadlineAtMs, after.run, after.id, limit)
  return (rows as QuestionColumns[]).flatMap((row) => {
    const event = decodeEvent(row.type, row.body)
    if (event.type !== 'step-started' || event.question === undefined) return []
    const { run, name, id, asked_at: askedAtMs, deadline_at: deadlineAtMs } = row
    return [{ run, name, id, question: event.question, askedAtMs, deadlineAtMs }]
  })
}
