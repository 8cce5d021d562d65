/** People's decisions: stored in order, one answer to a question, applied once (E11). */

import { requireDecision, storeErrors } from '../engine/index.ts'
import {
  type Decision,
  defined,
  isEnd,
  type RunStatus,
  type StoredDecision,
} from '../loop/index.ts'
import { type Database, orNull } from './database.ts'

export interface Decisions {
  insert(key: number, made: Omit<StoredDecision, 'id'>): StoredDecision
  pending(key: number): readonly StoredDecision[]
  markApplied(id: number, seq: number): void
}

interface DecisionColumns {
  readonly id: number
  readonly body: string
  readonly by: string
  readonly at: number
}

/** The decision, and with it the name that its request claimed. */
type Body = Decision & Pick<StoredDecision, 'claimedBy'>

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
    insert(key, made) {
      const { decision, by, atMs, claimedBy } = made
      requireDecision(decision)
      const { name, status } = selectStatus.get(key) as { name: string; status: RunStatus }
      if (isEnd(status)) {
        throw storeErrors.alreadyEnded(name, status)
      }
      const question = decision.type === 'answer' ? decision.question : undefined
      try {
        const body = JSON.stringify({ ...decision, ...defined({ claimedBy }) })
        const row = insert.get(key, orNull(question), body, by, atMs)
        return { id: (row as { id: number }).id, ...made }
      } catch (cause) {
        if (!/UNIQUE/.test(String(cause))) throw cause
        throw storeErrors.alreadyAnswered(String(question), cause)
      }
    },
    pending: (key) =>
      (select.all(key) as DecisionColumns[]).map((row) => {
        const { claimedBy, ...decision } = JSON.parse(row.body) as Body
        return { id: row.id, by: row.by, atMs: row.at, ...defined({ claimedBy }), decision }
      }),
    markApplied(id, seq) {
      if (Number(mark.run(seq, id).changes) === 1) return
      throw storeErrors.alreadyApplied(id)
    },
  }
}
