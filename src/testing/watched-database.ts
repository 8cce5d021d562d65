/**
 * A database that tells of each statement before and after it takes effect. What is thrown there,
 * the statement throws: so a test makes any one of them fail, or ends the process at it.
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

/** What a disk that is broken or full answers. */
export function diskError(code: 'EIO' | 'ENOSPC', what: string): Error {
  return Object.assign(new Error(`${code}: injected failure, ${what}`), { code })
}
