import { expect, test } from 'vitest'
import { requireOpenFiles } from './open-files.ts'

const limits = (max: string): string =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${max}                 ${max}  files\n`

test('a limit of too few open files is refused with advice', () => {
  expect(() => requireOpenFiles(limits('64'))).toThrow(/limit of open files is 64.*ulimit -n/)
})

test.each([limits('256'), limits('unlimited'), ''])('enough, unlimited, or unknown: %j', (text) => {
  expect(() => requireOpenFiles(text)).not.toThrow()
})
