import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { explainTemporaryFolderErrors, makeTemporaryFolder } from './temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-test-'))
})
afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

test('every call creates a new temporary folder', async () => {
  const [one, two] = [
    await makeTemporaryFolder('a-', folder),
    await makeTemporaryFolder('a-', folder),
  ]
  expect(one).not.toBe(two)
  expect(existsSync(one) && existsSync(two)).toBe(true)
})

test('a missing parent folder is reported with the variable that set it and what to do', async () => {
  const gone = join(folder, 'gone')
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = `${gone}/`
  try {
    await expect(makeTemporaryFolder('a-')).rejects.toMatchObject({
      code: 'store-failed',
      message: `The temporary folder ${gone} (set by TMPDIR) does not exist. Create it, or unset TMPDIR.`,
    })
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  await expect(makeTemporaryFolder('a-', gone)).rejects.toThrow(/Create it, or use another folder/)
})

test.each([
  ['ENOSPC', /has no space left\. Free some/],
  ['EACCES', /is not writable\. Change its permissions/],
])(
  'work that fails with %s is explained, and an unrelated error is passed on unchanged',
  async (code, words) => {
    const fail = (error: unknown) => async (): Promise<never> => {
      throw error
    }
    const error = Object.assign(new Error(code), { code })
    await expect(explainTemporaryFolderErrors(folder, fail(error))).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringMatching(words),
      cause: error,
    })
    const other = new Error('other')
    await expect(explainTemporaryFolderErrors(folder, fail(other))).rejects.toBe(other)
  },
)
