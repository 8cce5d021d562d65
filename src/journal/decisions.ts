/** What people decided: kept in order, one answer to a question, applied once (E11). */

import {
  type Decision,
  isEnd,
  LoopError,
  type RunStatus,
  type StoredDecision,
} from '../loop/index.ts'
import { type Database, orNull } from './database.ts'

export interface Decisions {
  insert(key: number, decision: Decision, by: string, atMs: number): StoredDecision
  pending(key: number): readonly StoredDecision[]
  markApplied(id: number, seq: number): void
}

interface DecisionColumns {
  readonly id: number
  readonly body: string
  readonly by: string
  readonly at: number
}

const types: Readonly<Record<Decision['type'], true>> = {
  pause: true,
  resume: true,
  stop: true,
  cancel: true,
  'change-limits': true,
  answer: true,
}

export function createDecisions(database: Database): Decisions {
  const insert = database.prepare(
    'INSERT INTO decisions (run, question, body, by, at) VALUES (?, ?, ?, ?, ?) RETURNING id',
  )
  const selectStatus = database.prepare('SELECT name, status FROM runs WHERE key = ?')
  const select = database.prepare(
    'SELECT id, body, by, at FROM decisions WHERE run = ? AND applied_seq IS NULL ORDER BY id',
  )
  const mark = database.prepare(
    'UPDATE decisions SET applied_seq = ? WHERE id = ? AND applied_seq IS NULL',
  )

  return {
    insert(key, decision, by, atMs) {
      if (!Object.hasOwn(types, decision.type)) {
        const known = Object.keys(types).join(', ')
        throw new LoopError(
          'bad-request',
          `"${decision.type}" is no decision. Say one of: ${known}.`,
        )
      }
      const { name, status } = selectStatus.get(key) as { name: string; status: RunStatus }
      if (isEnd(status)) {
        throw new LoopError('wrong-status', `Run "${name}" has ended (${status}); fork it instead.`)
      }
      const question = decision.type === 'answer' ? decision.question : undefined
      try {
        const row = insert.get(key, orNull(question), JSON.stringify(decision), by, atMs)
        return { id: (row as { id: number }).id, by, atMs, decision }
      } catch (cause) {
        if (!/UNIQUE/.test(String(cause))) throw cause
        throw new LoopError('already-answered', `Question ${question} has its answer already.`, {
          cause,
        })
      }
    },
    pending: (key) =>
      (select.all(key) as DecisionColumns[]).map((row) => ({
        id: row.id,
        by: row.by,
        atMs: row.at,
        decision: JSON.parse(row.body) as Decision,
      })),
    markApplied(id, seq) {
      if (Number(mark.run(seq, id).changes) === 1) return
      throw new LoopError(
        'fenced',
        `Decision ${id} was applied already; nothing was kept. Read the run anew.`,
      )
    },
  }
}
