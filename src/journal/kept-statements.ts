/**
 * A connection that prepares each SQL text once, and releases its statements when it is closed.
 *
 * `@photostructure/sqlite` cannot finalize a statement: the files stay open until the last statement is
 * garbage-collected. So nothing references a statement after `close`, and garbage collection is forced now
 * and then in a program that opens and closes many journals: memory pressure alone would not trigger it
 * before the program runs out of file handles.
 */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Database, SqlValue, Statement } from './database.ts'
import { closedMessage } from './store-failures.ts'

const closedMax = 50
let closedSinceCollected = 0

/** `onClose` is called once. */
export function keepStatements(raw: Database, onClose: () => void): Database {
  const kept = new Map<string, KeptStatement>()
  let isOpen = true
  return {
    exec: (sql) => raw.exec(sql),
    prepare(sql) {
      const known = kept.get(sql)
      if (known !== undefined) return known
      const statement = new KeptStatement(raw.prepare(sql))
      kept.set(sql, statement)
      return statement
    },
    close() {
      if (!isOpen) return
      isOpen = false
      for (const statement of kept.values()) statement.letGo()
      kept.clear()
      raw.close()
      onClose()
      collectSometimes()
    },
  }
}

function collectSometimes(): void {
  closedSinceCollected++
  // Node's own SQLite releases its files on close.
  if (closedSinceCollected < closedMax || 'sqlite' in process.versions) return
  closedSinceCollected = 0
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  setFlagsFromString('--no-expose-gc')
}

class KeptStatement implements Statement {
  #raw: Statement | undefined

  constructor(raw: Statement) {
    this.#raw = raw
  }

  run(...values: SqlValue[]): ReturnType<Statement['run']> {
    return (this.#raw ?? closed()).run(...values)
  }

  get(...values: SqlValue[]): unknown {
    return (this.#raw ?? closed()).get(...values)
  }

  all(...values: SqlValue[]): unknown[] {
    return (this.#raw ?? closed()).all(...values)
  }

  letGo(): void {
    this.#raw = undefined
  }
}

function closed(): never {
  throw new Error(closedMessage)
}
