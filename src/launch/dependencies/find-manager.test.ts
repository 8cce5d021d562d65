import { expect, test } from 'vitest'
import { lockfiles } from '../../evidence/index.ts'
import { NoManagerError } from './find-manager.ts'

const errorFor = (file: string): NoManagerError => {
  const lockfile = lockfiles.find((one) => one.file === file)
  if (lockfile === undefined) throw new Error(`There is no ${file}.`)
  return new NoManagerError(lockfile)
}

test('a missing manager is named, with what to do', () => {
  expect(errorFor('uv.lock').message).toMatch(/uv, which is not on your PATH\. Install uv, or copy/)
  expect(errorFor('uv.lock').message).not.toContain('package.json')
  expect(errorFor('bun.lock').message).toContain('"packageManager": "bun@…"')
})

test('Poetry is not run in the sandbox, since it takes packages from one index only', () => {
  const { message, reason } = errorFor('poetry.lock')
  expect(message).toContain('poetry export')
  expect(reason).toBe('Poetry cannot use your registries')
})
