import { expect, test } from 'vitest'
import { lockfiles } from '../../evidence/index.ts'
import { MissingManagerError } from './find-manager.ts'

const errorFor = (file: string): MissingManagerError => {
  const lockfile = lockfiles.find((one) => one.file === file)
  if (lockfile === undefined) throw new Error(`There is no ${file}.`)
  return new MissingManagerError(lockfile)
}

test('the error names the missing manager and what to do', () => {
  expect(errorFor('uv.lock').message).toMatch(/uv, which is not on your PATH\. Install uv, or copy/)
  expect(errorFor('uv.lock').message).not.toContain('package.json')
  expect(errorFor('bun.lock').message).toContain('"packageManager": "bun@…"')
})

test('Poetry is not run in the sandbox because it uses only pypi.org', () => {
  const { message, reason } = errorFor('poetry.lock')
  expect(message).toContain('poetry export')
  expect(reason).toBe('Poetry cannot use your registries')
})
