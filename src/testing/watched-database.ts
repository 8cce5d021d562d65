/**
 * A database that calls back before and after each statement takes effect. The statement throws what the
 * callback throws, so a test can make any statement fail or end the process at it.
 */

import type { Database } from '../journal/index.ts'

export interface StatementWatch {
  before(sql: string): void
  after(sql: string): void
}

type Statement = ReturnType<Database['prepare']>

export function watchDatabase(database: Database, watch: StatementWatch): Database {
  function tell<T>(sql: string, work: () => T): T {
    watch.before(sql)
    const result = work()
    watch.after(sql)
    return result
  }

  return {
    exec: (sql) => tell(sql, () => database.exec(sql)),
    prepare(sql): Statement {
      const statement = database.prepare(sql)
      return {
        run: (...values) => tell(sql, () => statement.run(...values)),
        get: (...values) => tell(sql, () => statement.get(...values)),
        all: (...values) => tell(sql, () => statement.all(...values)),
      }
    },
    close: () => database.close(),
  }
}

/** The error of a broken or full disk. */
export function diskError(code: 'EIO' | 'ENOSPC', what: string): Error {
  return Object.assign(new Error(`${code}: injected failure, ${what}`), { code })
}
