import { expect, test } from 'vitest'
import { LoopError } from '../loop/index.ts'
import { openFailure, storeFailed } from './store-failures.ts'

test.each([
  ['database disk image is malformed', 'store-damaged', /restore it from a backup/],
  ['file is not a database', 'store-damaged', /restore it from a backup/],
  ['database is locked', 'store-failed', /Another process has the journal locked/],
  ['database is not open', 'store-failed', /the host is closed/],
  ['disk I/O error', 'store-failed', /free disk space/],
])('"%s" is %s and says what to do', (message, code, advice) => {
  const error = storeFailed(new Error(message))
  expect(error).toMatchObject({ code, message: expect.stringMatching(advice) })
  expect(error.message.includes('disk space')).toBe(message === 'disk I/O error')
})

test('a locked journal is distinguished from a failing disk, also on opening', () => {
  const error = openFailure('/a/journal.db', new Error('database is locked'))
  expect(error).toMatchObject({ code: 'store-failed' })
  expect(error.message).toMatch(/Another process has the journal locked/)
  expect(error.message).not.toMatch(/Check the disk/)
})

test('a rejection stays unchanged', () => {
  const error = new LoopError('fenced', 'taken over')
  expect(storeFailed(error)).toBe(error)
})
