import { expect, test } from 'vitest'
import { LoopError } from '../loop/index.ts'
import { openFailure, storeFailed } from './store-failures.ts'

test.each([
  ['database disk image is malformed', 'store-damaged', /restore it from a backup/],
  ['file is not a database', 'store-damaged', /restore it from a backup/],
  ['database is locked', 'store-failed', /Another process holds the record/],
  ['database is not open', 'store-failed', /the host is closed/],
  ['disk I/O error', 'store-failed', /free disk space/],
])('"%s" is %s and says what to do', (message, code, advice) => {
  const error = storeFailed(new Error(message))
  expect(error).toMatchObject({ code, message: expect.stringMatching(advice) })
  expect(error.message.includes('disk space')).toBe(message === 'disk I/O error')
})

test('a record that another process holds is told from a disk that fails, also on opening', () => {
  const error = openFailure('/a/journal.db', new Error('database is locked'))
  expect(error).toMatchObject({ code: 'store-failed' })
  expect(error.message).toMatch(/Another process holds the record/)
  expect(error.message).not.toMatch(/Check the disk/)
})

test('a rejection stays as it is', () => {
  const error = new LoopError('fenced', 'taken over')
  expect(storeFailed(error)).toBe(error)
})
