/**
 * Facts about a run that are not events: where its run folder is, what happened to its work after it
 * ended. The newest value counts; driving a run never depends on it.
 */

import type { RunFact } from '../engine/index.ts'
import { readStoredJson } from './damage/stored-json.ts'
import type { Database } from './database.ts'

export interface RunFacts {
  set(key: number, name: string, fact: RunFact): void
  of(key: number): ReadonlyMap<string, RunFact>
}

interface Row {
  readonly name: string
  readonly body: string
  readonly at: number
}

export function createRunFacts(database: Database): RunFacts {
  return {
    set(key, name, { value, atMs }) {
      const sql = 'INSERT OR REPLACE INTO facts (run, name, body, at) VALUES (?, ?, ?, ?)'
      database.prepare(sql).run(key, name, JSON.stringify(value), atMs)
    },
    of(key) {
      const rows = database.prepare('SELECT name, body, at FROM facts WHERE run = ?').all(key)
      return new Map(
        (rows as unknown as Row[]).map(({ name, body, at }) => [
          name,
          { value: readStoredJson(body), atMs: at },
        ]),
      )
    },
  }
}
