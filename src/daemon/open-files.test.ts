import { expect, test } from 'vitest'
import { requireOpenFiles } from './open-files.ts'

const limits = (max: string): string =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${max}                 ${max}  files\n`

test('too few open files are refused with what to do', () => {
  expect(() => requireOpenFiles(limits('64'))).toThrow(/limit of open files is 64.*ulimit -n/)
})

test.each([limits('256'), limits('unlimited'), ''])(
  'enough, no limit, or none told: %j',
  (text) => {
    expect(() => requireOpenFiles(text)).not.toThrow()
  },
)
